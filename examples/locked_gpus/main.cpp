// SPDX-License-Identifier: Apache-2.0
// A GPU behind tokens: a job takes one of two for its copies and kernels, first come, first served, and its bound says
// how long it waits for one. Processors are two clusters under EDF; tasks that name no core are placed.
#include <iostream>

#include <takt/simulation.hpp>
#include <takt/systems/explain.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

using namespace takt::literals;

constexpr auto tasks = takt::task_set(takt::task("detect", takt::period(40_ms), takt::cpu(2_ms), takt::copy(1_ms),
                                                 takt::kernel(takt::work(24_ms)), takt::copy(300_us), takt::cpu(1_ms)),
                                      takt::task("lanes", takt::period(50_ms), takt::cpu(3_ms), takt::copy(1_ms),
                                                 takt::kernel(takt::work(16_ms)), takt::cpu(2_ms)),
                                      takt::task("map", takt::period(90_ms), takt::cpu(8_ms), takt::copy(2_ms),
                                                 takt::kernel(takt::work(30_ms)), takt::cpu(4_ms)),
                                      takt::task("plan", takt::period(60_ms), takt::cpu(9_ms)));
constexpr auto board = takt::platform(takt::pool(takt::processors(4), takt::clustered(takt::edf, 2)),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::edf)),
                                      takt::pool(takt::virtual_sms(8, 1), takt::locked(takt::k_fmlp_order, 2)));

constexpr auto verdict = takt::analyze(board, tasks);
static_assert(takt::require_schedulable<verdict>);

auto main() -> int {
  takt::explain(std::cout, board, tasks, verdict);
  std::cout << '\n';
  const auto seen = takt::simulate(board, tasks, verdict.plan, {.horizon = 10_s});
  takt::explain(std::cout, board, tasks, verdict, seen);
  return seen.misses() == 0 ? 0 : 1;
}
