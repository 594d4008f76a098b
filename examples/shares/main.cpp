// SPDX-License-Identifier: Apache-2.0
// Whole applications that share a GPU by per cent: each has a lasting share that keeps its deadline whatever the others
// do, and gets what is left beside it.
#include <iostream>

#include <takt/systems/explain.hpp>
#include <takt/systems/shares.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto applications = takt::application_set(
    takt::application("map", takt::period(1_s), takt::share_priority(3), takt::scaling_wcet(261_ms, 500)),
    takt::application("track", takt::period(2_s), takt::share_priority(2), takt::scaling_wcet(356_ms, 300)),
    takt::application("log", takt::period(5_s), takt::share_priority(1), takt::scaling_wcet(900_ms, 100)));
constexpr auto board = takt::platform(takt::pool(takt::gpu_shares(), takt::shares()));

constexpr auto verdict = takt::analyze(board, applications, takt::share_methods);
static_assert(verdict.schedulable());

auto main() -> int {
  takt::explain(std::cout, board, applications, verdict);
  const auto seen = takt::simulate(board, applications, verdict.plan, {.horizon = 20_s});
  std::cout << '\n';
  takt::explain(std::cout, board, applications, verdict, seen);
  return seen.misses() == 0 ? 0 : 1;
}
