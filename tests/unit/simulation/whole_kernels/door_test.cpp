// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

#include <takt/allocation/analyze.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/task.hpp>
#include <takt/model/task_set.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/systems/methods.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt::literals;
using takt::execution_times;
using takt::model_fault;
using takt::release_pattern;
using takt::ticks;

constexpr auto tasks =
    takt::task_set(takt::task("a", takt::period(40_ns), takt::kernel(takt::wcet(8_ns), takt::preemption_cost(0_ns))),
                   takt::task("b", takt::period(60_ns), takt::kernel(takt::wcet(12_ns), takt::preemption_cost(0_ns))));
constexpr auto pinned = takt::task_set(
    takt::task("a", takt::period(40_ns), takt::kernel(takt::wcet(8_ns), takt::preemption_cost(0_ns), takt::on_sm(0))),
    takt::task("b", takt::period(60_ns), takt::kernel(takt::wcet(12_ns), takt::preemption_cost(0_ns), takt::on_sm(0))));

template <class Rule>
[[nodiscard]] constexpr auto under(const Rule& rule) {
  return takt::platform(takt::pool(takt::accelerator(2), rule));
}
[[nodiscard]] auto with_priorities(std::int32_t a, std::int32_t b) -> takt::plan<2> {
  takt::plan<2> p;
  REQUIRE(p.priorities.try_push_back(a));
  REQUIRE(p.priorities.try_push_back(b));
  return p;
}

TEST_CASE("kernels run with the priorities of their plan, in the simulation and in the analysis" *
          takt_tests::traces("AP-35")) {
  constexpr auto board = under(takt::levels(takt::fixed_priority));
  const auto seen = [&](const takt::plan<2>& p) {
    const auto run = takt::simulate(board, tasks, p, {.horizon = 40_ns});
    const auto verdict = takt::analysis::analyze_by<takt::published>(board, tasks, p);
    REQUIRE_FALSE(run.error);
    REQUIRE_FALSE(verdict.error);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(run.tasks[i].worst_response == verdict.tasks[i].bound.value);
      if (!p.priorities.empty()) { CHECK(verdict.plan.priorities[i] == p.priorities[i]); }
    }
    return run.tasks[0].worst_response;
  };
  CHECK(seen({}) == 8);
  CHECK(seen(with_priorities(0, 1)) == 8);
  CHECK(seen(with_priorities(1, 0)) == 20);
}

TEST_CASE("a plan repeats the order of a rule that has one, and has no priority twice or below zero" *
          takt_tests::traces("AP-35")) {
  constexpr auto board = under(takt::levels(takt::rate_monotonic));
  const auto fault = [](const auto& platform, const takt::plan<2>& p) {
    const auto error = takt::simulate(platform, tasks, p, {.horizon = 40_ns}).error;
    CHECK(takt::analysis::analyze_by<takt::published>(platform, tasks, p).error == error);
    CHECK(takt::analyze(platform, tasks, p).error == error);
    return error.fault;
  };
  CHECK(fault(board, with_priorities(0, 1)) == model_fault::none);
  CHECK(fault(board, with_priorities(3, 7)) == model_fault::none);
  CHECK(fault(board, with_priorities(1, 0)) == model_fault::plan_does_not_fit);
  constexpr auto assigned = under(takt::levels(takt::fixed_priority));
  CHECK(fault(assigned, with_priorities(-1, 0)) == model_fault::plan_does_not_fit);
  CHECK(fault(assigned, with_priorities(2, 2)) == model_fault::duplicate_priority);
  takt::plan<2> on_a_core;
  REQUIRE(on_a_core.cores.try_push_back(0));
  REQUIRE(on_a_core.cores.try_push_back(takt::unassigned_core));
  CHECK(fault(assigned, on_a_core) == model_fault::plan_does_not_fit);
}

TEST_CASE("kernels run on the cores of their plan" * takt_tests::traces("AP-35")) {
  constexpr auto board = under(takt::gang(takt::edf));
  takt::plan<2> apart;
  REQUIRE(apart.cores.try_push_back(0));
  REQUIRE(apart.cores.try_push_back(1));
  CHECK(takt::simulate(board, pinned, {.horizon = 40_ns}).tasks[1].worst_response == 20);
  CHECK(takt::simulate(board, pinned, apart, {.horizon = 40_ns}).tasks[1].worst_response == 12);
  apart.cores[1] = 2;
  CHECK(takt::simulate(board, pinned, apart).error == takt::fault_at(model_fault::core_out_of_range, 1));
}

TEST_CASE("bounds of combiners are about the cores and priorities of the plan, as a simulation is") {
  const auto holds = [](const auto& board, const auto& set, const takt::plan<2>& p) {
    const auto verdict = takt::analyze(board, set, p);
    const auto seen = takt::simulate(board, set, p, {.horizon = 240_ns});
    REQUIRE(verdict.schedulable());
    REQUIRE_FALSE(seen.error);
    for (std::size_t i = 0; i < 2; ++i) { CHECK(seen.tasks[i].worst_response <= verdict.tasks[i].bound.value); }
    return verdict.tasks[1].bound.value;
  };
  constexpr auto board = under(takt::gang(takt::rate_monotonic));
  constexpr auto on_two = takt::task_set(
      takt::task("a", takt::period(40_ns), takt::kernel(takt::wcet(8_ns), takt::preemption_cost(0_ns), takt::on_sm(0))),
      takt::task("b", takt::period(60_ns),
                 takt::kernel(takt::wcet(12_ns), takt::preemption_cost(0_ns), takt::on_sm(1))));
  takt::plan<2> on_one;
  REQUIRE(on_one.cores.try_push_back(0));
  REQUIRE(on_one.cores.try_push_back(0));
  CHECK(holds(board, on_two, {}) == 12);
  CHECK(holds(board, on_two, on_one) == 20);
  constexpr auto assigned = under(takt::levels(takt::fixed_priority));
  CHECK(holds(assigned, tasks, with_priorities(0, 1)) == 20);
  CHECK(holds(assigned, tasks, with_priorities(1, 0)) == 12);
}

TEST_CASE("kernels take their longest times, none, or anything between, however they are released" *
          takt_tests::traces("AP-35")) {
  constexpr auto board = under(takt::nonpreemptive(takt::edf));
  constexpr auto one =
      takt::task_set(takt::task("a", takt::period(40_ns), takt::kernel(takt::wcet(8_ns), takt::preemption_cost(0_ns))));
  for (const auto pattern : {release_pattern::periodic, release_pattern::sporadic, release_pattern::adversarial}) {
    bool between = false;
    for (std::uint64_t seed = 1; seed < 30; ++seed) {
      const auto seen = [&](execution_times e) {
        const auto run =
            takt::simulate(board, one, {.horizon = 800_ns, .releases = pattern, .execution = e, .seed = seed});
        REQUIRE(run.tasks[0].completed > 5);
        return run.tasks[0];
      };
      CHECK(seen(execution_times::upper).best_response == 8);
      CHECK(seen(execution_times::lower).worst_response == 0);
      const auto random = seen(execution_times::random);
      CHECK(random.worst_response <= 8);
      between = between || (random.best_response < random.mean_response() && random.mean_response() < 8);
    }
    CHECK(between);
  }
}

}  // namespace
