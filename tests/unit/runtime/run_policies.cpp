// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/executor/run.hpp>

#include <cstddef>
#include <memory>
#include <string_view>

#include <doctest/doctest.h>

#include <takt/allocation/policies/judge_any.hpp>
#include <takt/rules/policies/cpu_keywords.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/simulation/simulate_recorded.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/policies.hpp>
#include "support/trace_checker.hpp"

namespace {

namespace rt = takt::runtime;
using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using tasks_type = takt::runtime_task_set<4, 32, 4, 4>;
constexpr std::size_t max_visits = takt::visits_of<tasks_type>;

constexpr ticks us = 1000;

[[nodiscard]] auto timed(resource_kind where, ticks upper, takt::visit_mask before) -> takt::runtime_visit {
  takt::runtime_visit v{.where = where, .predecessors = before};
  v.known.add(visit_fact::time);
  v.time = {upper / 2, upper};
  return v;
}
/// With all that any policy asks of one.
[[nodiscard]] auto kernel(ticks work, takt::visit_mask before) -> takt::runtime_visit {
  takt::runtime_visit v{.where = resource_kind::gpu, .predecessors = before};
  for (const auto fact : {visit_fact::work, visit_fact::wcet, visit_fact::grid, visit_fact::block_length}) {
    v.known.add(fact);
  }
  v.work = {work / 2, work};
  v.wcet = work / 2;
  v.blocks = 8;
  v.threads = 256;
  v.block_length = work / 4;
  return v;
}
void add_chain(tasks_type& out, std::string_view name, ticks period, ticks cpu, ticks work) {
  REQUIRE(out.add_task({.name = name, .period = period, .deadline = period}));
  REQUIRE(out.add_visit(timed(resource_kind::processor, cpu, 0)));
  REQUIRE(out.add_visit(timed(resource_kind::copy_engine, cpu / 2, 0b1)));
  REQUIRE(out.add_visit(kernel(work, 0b10)));
  REQUIRE(out.add_visit(timed(resource_kind::copy_engine, cpu / 2, 0b100)));
  REQUIRE(out.add_visit(timed(resource_kind::processor, cpu, 0b1000)));
}
[[nodiscard]] auto three_tasks() -> tasks_type {
  tasks_type out;
  add_chain(out, "detect", 6000 * us, 200 * us, 1200 * us);
  add_chain(out, "track", 4000 * us, 100 * us, 800 * us);
  REQUIRE(out.add_task({.name = "control", .period = 2000 * us, .deadline = 2000 * us}));
  REQUIRE(out.add_visit(timed(resource_kind::processor, 150 * us, 0)));
  return out;
}
[[nodiscard]] auto board() -> takt::hardware {
  takt::hardware out{.processors = 2, .copy_engines = 1, .gpus = {}, .own = {}};
  REQUIRE(out.gpus.try_push_back({.sms = 8,
                                  .virtual_per_sm = 2,
                                  .threads_per_sm = 2048,
                                  .blocks_per_sm = 16,
                                  .preemption_levels = 2,
                                  .context_switch = 50 * us,
                                  .switch_is_known = true}));
  return out;
}

}  // namespace

TEST_CASE(
    "every policy that is proven is simulated and runs for a moment under every rule of processors, and keeps its rules") {
  const tasks_type tasks = three_tasks();
  std::size_t runs = 0;
  std::uint64_t completed = 0;  // a loaded machine may give one run no time at all
  const auto under = [&](const auto& rule) {
    takt::published_policies.each([&](const auto& policy) {
      if constexpr (!takt::keeps_processor<std::remove_cvref_t<decltype(policy)>>()) {
        CAPTURE(policy.name);
        CAPTURE(takt::cpu_keyword<std::remove_cvref_t<decltype(rule)>>);
        const auto found = takt::judge_at_run_time<takt::published_judges>(policy, rule, tasks, board());
        if (!found.judged) { return; }
        const auto erased = takt::any_board_of<max_visits>(found.policy, board(), rule);
        rt::run_options options;
        options.length = takt::duration{20'000 * us};
        options.real_time = options.pin_to_cores = options.lock_memory = false;
        takt::trace seen;
        const auto& plan = found.verdict.plan;
        const auto flat =
            std::make_unique<decltype(takt::flatten(erased, tasks, plan))>(takt::flatten(erased, tasks, plan));
        auto legal = trace_checker::legal_on(*flat, plan);
        legal.gpus = {{.at_once = static_cast<std::size_t>(takt::kernels_at_once(found.policy))}};
        takt::trace simulated;
        const auto played = takt::simulate(erased, tasks, plan, {.horizon = takt::duration{100'000 * us}}, simulated);
        REQUIRE_FALSE(played.error);
        CHECK(played.tasks[2].completed > 40);
        CHECK(trace_checker::complaint(simulated, tasks, legal) == "");
        const auto ran = rt::run(erased, tasks, plan, options, seen);
        REQUIRE_FALSE(ran.error);
        REQUIRE(ran.ended == takt::observation_status::no_miss);
        ++runs;
        CHECK(ran.tasks[2].released <= 10);
        completed += ran.tasks[2].completed;
        for (std::size_t v = 0; v < legal.lengths.size(); ++v) {  // a late thread may be told late to stop
          if (tasks.visits[v].where == resource_kind::processor) { legal.lengths[v].lower = 0; }
        }
        CHECK(trace_checker::complaint(seen, tasks, legal) == "");
        CHECK(trace_checker::disagreement(seen, ran) == "");
      }
    });
  };
  under(takt::fixed_priority);
  under(takt::edf);
  under(takt::clustered(takt::g_edf, 2));
  CHECK(runs >= 24);
  CHECK(completed > 0);
}
