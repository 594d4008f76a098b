// SPDX-License-Identifier: Apache-2.0
// Deadlines after the period in typed sets and in run-time ones: one order and one bound in proof and simulation.
#include <doctest/doctest.h>

#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

namespace {

constexpr auto fixed = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority));
constexpr auto by_deadline = takt::platform(takt::pool(takt::processors(1), takt::edf));
constexpr auto long_jobs =
    takt::task_set(takt::task("T1", takt::period(70_ms), takt::priority(0), takt::cpu(26_ms)),
                   takt::task("T2", takt::period(100_ms), takt::deadline(118_ms), takt::priority(1), takt::cpu(62_ms)));
constexpr auto late_first =
    takt::task_set(takt::task("late", takt::period(20_ms), takt::deadline(60_ms), takt::cpu(5_ms)),
                   takt::task("soon", takt::period(40_ms), takt::deadline(40_ms), takt::cpu(5_ms)));
constexpr auto long_verdict = takt::analyze(fixed, long_jobs, takt::published_methods);
constexpr auto late_verdict = takt::analyze(by_deadline, late_first, takt::published_methods);
static_assert(takt::require_schedulable<long_verdict>);
static_assert(takt::require_schedulable<late_verdict>);

template <class Board, class Tasks>
auto bounds_of(const Board& board, const Tasks& tasks) {
  const auto verdict = takt::analyze(board, tasks, takt::published_methods);
  REQUIRE(verdict.schedulable());
  return std::pair{verdict.tasks[0].bound.value, verdict.tasks[1].bound.value};
}
template <class Board, class Tasks>
auto worst_of(const Board& board, const Tasks& tasks) {
  const auto seen = takt::simulate(board, tasks, takt::analyze(board, tasks, takt::published_methods).plan,
                                   {.horizon = 2'000_ms, .releases = {}});
  REQUIRE_FALSE(seen.error);
  CHECK(seen.misses() == 0);
  return std::pair{seen.tasks[0].worst_response, seen.tasks[1].worst_response};
}
constexpr takt::ticks ms = 1'000'000;

}  // namespace

TEST_CASE("typed tasks may have deadlines after their periods, which order them in proof and simulation") {
  CHECK(bounds_of(fixed, long_jobs) == std::pair{26 * ms, 118 * ms});
  CHECK(worst_of(fixed, long_jobs) == std::pair{26 * ms, 118 * ms});
  CHECK(bounds_of(by_deadline, late_first) == std::pair{10 * ms, 5 * ms});
  CHECK(worst_of(by_deadline, late_first) == std::pair{10 * ms, 5 * ms});
  constexpr auto monotonic = takt::platform(takt::pool(takt::processors(1), takt::deadline_monotonic));
  CHECK(bounds_of(monotonic, late_first) == std::pair{10 * ms, 5 * ms});
  CHECK(worst_of(monotonic, late_first) == std::pair{10 * ms, 5 * ms});
}

TEST_CASE("a board with a published method asks its pools about deadlines after the period") {
  const auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                    takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                    takt::pool(takt::virtual_sms(2, 1), takt::federated));
  const auto tasks = takt::task_set(
      takt::task("camera", takt::period(33_ms), takt::priority(0), takt::cpu(1_ms), takt::copy(500_us),
                 takt::kernel(takt::work(8_ms)), takt::copy(200_us), takt::cpu(1_ms)),
      takt::task("planner", takt::period(15_ms), takt::deadline(60_ms), takt::priority(1), takt::cpu(14_ms)));
  const auto plan = takt::dedicate(2, 0);
  const auto verdict = takt::analyze(board, tasks, plan, takt::published_methods);
  REQUIRE(verdict.schedulable());
  CHECK(verdict.tasks[1].bound.value > 15 * ms);
  CHECK(verdict.tasks[1].bound.value <= 60 * ms);
  const auto seen = takt::simulate(board, tasks, verdict.plan, {.horizon = 2'000_ms, .releases = {}});
  REQUIRE_FALSE(seen.error);
  CHECK(seen.tasks[1].worst_response > 15 * ms);
  CHECK(seen.tasks[1].worst_response <= verdict.tasks[1].bound.value);
}
