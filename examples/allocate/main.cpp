// SPDX-License-Identifier: Apache-2.0
// How many SMs each task needs: the search asks the analysis, and stops at the first proof. A plan by hand is judged by
// the same analysis.
#include <iostream>

#include <takt/systems/explain.hpp>
#include <takt/systems/rtgpu.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto tasks = takt::task_set(
    takt::task("camera", takt::period(33_ms), takt::cpu(2_ms), takt::kernel(takt::work(30_ms)), takt::cpu(1_ms)),
    takt::task("lidar", takt::period(50_ms), takt::cpu(3_ms), takt::kernel(takt::work(70_ms)), takt::cpu(2_ms)),
    takt::task("planner", takt::period(100_ms), takt::cpu(9_ms), takt::kernel(takt::work(40_ms)), takt::cpu(4_ms)));
constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::virtual_sms(10, 1), takt::federated));

constexpr auto found = takt::allocate_by<takt::chain_methods>(board, tasks);
static_assert(found.feasible);
static_assert(
    !takt::analyze(board, tasks, takt::dedicate(1, 1, 8), takt::rtgpu_methods).schedulable());  // not any plan will do

auto main() -> int {
  std::cout << found.effort.evaluations << " task analyses, " << found.effort.plans << " whole plan\n\n";
  takt::explain(std::cout, board, tasks, takt::analyze(board, tasks, found, takt::rtgpu_methods));
}
