// SPDX-License-Identifier: Apache-2.0
// Jobs that wait on their processors need processors that preempt; any other rule is refused by analysis and
// simulation.
#include <doctest/doctest.h>

#include <takt/allocation/policies/judge_any.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/policies.hpp>

namespace {

using tasks_type = takt::runtime_task_set<4, 12>;

[[nodiscard]] auto waiting_task() -> tasks_type {
  tasks_type out;
  REQUIRE(out.add_task({.name = "a", .period = 20'000, .deadline = 20'000}));
  takt::runtime_visit on_core{.where = takt::resource_kind::processor};
  on_core.known.add(takt::visit_fact::time);
  on_core.time = {0, 1'000};
  takt::runtime_visit on_gpu{.where = takt::resource_kind::gpu};
  on_gpu.known.add(takt::visit_fact::wcet);
  on_gpu.wcet = 4'000;
  REQUIRE(out.add_visit(on_core));
  REQUIRE(out.add_visit(on_gpu));
  return out;
}

template <class Rule>
[[nodiscard]] auto faults_under(const Rule& rule) -> std::pair<takt::model_fault, takt::model_fault> {
  const tasks_type tasks = waiting_task();
  takt::hardware board{.processors = 1, .copy_engines = 0, .gpus = {}, .own = {}};
  board.gpus.unchecked_push_back({.sms = 4, .virtual_per_sm = 1});
  const takt::busy_waiting_policy policy;
  const auto judged = takt::judge_at_run_time<takt::published_judges>(policy, rule, tasks, board, 1);
  const auto made = takt::any_board_of<12>(policy, board, rule);
  const auto seen =
      takt::simulate(made, tasks, takt::plan<4, 12>{judged.verdict.plan}, {.horizon = takt::duration{100'000}});
  CHECK(judged.judged == (judged.verdict.error.fault == takt::model_fault::none));
  return {judged.verdict.error.fault, seen.error.fault};
}

}  // namespace

TEST_CASE("jobs that wait on processors are judged and simulated where these preempt, and refused by both elsewhere") {
  using takt::model_fault;
  const std::pair fine{model_fault::none, model_fault::none};
  const std::pair refused{model_fault::waits_unpreempted, model_fault::waits_unpreempted};
  CHECK(faults_under(takt::fixed_priority) == fine);
  CHECK(faults_under(takt::edf) == fine);
  CHECK(faults_under(takt::g_edf) == fine);
  CHECK(faults_under(takt::nonpreemptive(takt::fixed_priority)) == refused);
  CHECK(faults_under(takt::nonpreemptive(takt::edf)) == refused);
}
