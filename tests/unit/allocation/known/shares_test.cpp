// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include <takt/allocation/analyze.hpp>
#include <takt/model/platform.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/shares/figures/synthetic_sets.hpp>
#include <takt/systems/shares/plans/judge.hpp>

#include "support/runtime_sets.hpp"
#include "support/same_verdict.hpp"

using namespace takt_tests;

namespace {

[[nodiscard]] constexpr auto one_gpu(std::int64_t memory = 0) -> takt::hardware {
  takt::hardware out;
  out.gpus.unchecked_push_back({.memory = memory});
  return out;
}

template <std::size_t N>
void check_same(const takt::application_set<N>& table, const takt::shares_rule& rule, std::int64_t memory) {
  const auto gpu = memory > 0 ? takt::gpu_shares(takt::memory_units::holding(memory)) : takt::gpu_shares();
  const auto typed = takt::analysis::analyze_by<takt::published>(takt::platform(takt::pool(gpu, rule)), table);
  const auto described = runtime_of(table);
  const auto found = takt::judge_shares(described, one_gpu(memory), rule, table.contention);
  check_same_verdict(found, typed);
  check_same_verdict(takt::judge_shares(described, one_gpu(memory), rule, table.contention, found.plan), typed);
}

using small = takt::runtime_task_set<3, 6>;

}  // namespace

TEST_CASE("applications have the same shares and verdicts as a described workload") {
  takt::application_set<10> trio;
  trio.add({.name = "detector",
            .period = 50,
            .deadline = 40,
            .priority = 30,
            .alone = takt::wcet_row::scaling(9, 200),
            .memory = takt::memory_units{4}});
  trio.add({.name = "planner", .period = 100, .deadline = 100, .priority = 20, .alone = takt::wcet_row::scaling(14)});
  trio.add({.name = "recorder", .period = 200, .deadline = 200, .priority = 10, .alone = takt::wcet_row::scaling(20)});
  trio.contention.set(0, 1, 50'000);
  check_same(trio, takt::shares(), 0);
  check_same(trio, takt::shares(takt::wamp2s_text), std::int64_t{1} << 33);
  check_same(trio, takt::shares(takt::wamp2s_literal, takt::workload_decrease), std::int64_t{1} << 29);
  for (std::uint64_t i = 0; i < 60; ++i) {
    takt::application_set<10> table;
    const auto load = static_cast<std::int32_t>(300 + i * 20);
    const takt::generation::benchmark_set_options options{.utilization_permille = load};
    REQUIRE(takt::generation::generate(options, 3, i, table) == takt::model_fault::none);
    if (table.size() == 0) { continue; }
    CAPTURE(i);
    check_same(table, takt::shares(), 0);
  }
}

TEST_CASE("without priorities the shorter deadline goes first") {
  runtime_builder<small> b;
  b.task({.name = "slow", .period = 100}).whole(20);
  b.task({.name = "fast", .period = 40}).whole(20);
  b.task({.name = "late", .period = 300}).whole(150);
  auto tasks = b.done();
  for (std::uint32_t i = 0; i < 3; ++i) {
    tasks.visits[i].known.add(visit_fact::wcet_by_share);
    tasks.visits[i].row = i;
    tasks.rows.unchecked_push_back(takt::wcet_row::scaling(tasks.visits[i].wcet));
  }
  const auto found = takt::judge_shares(tasks, one_gpu());
  CHECK(found.plan.percents[0] == 20);
  CHECK(found.plan.percents[1] == 50);
  CHECK(found.plan.percents[2] == 50);
  CHECK(found.tasks[1].meets);
  CHECK(found.tasks[0].meets);
  CHECK_FALSE(found.tasks[2].meets);
}

TEST_CASE("a GPU of another speed has other times by share") {
  runtime_builder<small> b;
  b.task({.name = "a", .period = 100}).whole(20);
  auto tasks = b.done();
  tasks.visits[0].known.add(visit_fact::wcet_by_share);
  tasks.rows.unchecked_push_back(takt::wcet_row::scaling(40));
  CHECK(takt::judge_shares(tasks, one_gpu()).plan.percents[0] == 40);
  auto faster = one_gpu();
  faster.gpus[0].speed = {2, 1};
  CHECK(takt::judge_shares(tasks, faster).plan.percents[0] == 20);
}

TEST_CASE("a kernel without times by share is named") {
  runtime_builder<small> b;
  b.task({.name = "a", .period = 100}).whole(20);
  const auto error = takt::judge_shares(b.done(), one_gpu()).error;
  CHECK(error == takt::fault_at(takt::model_fault::visit_time_unknown, 0, 0));
  CHECK(error.name == "a");
  CHECK(error.lacks.first == visit_fact::wcet_by_share);
}
