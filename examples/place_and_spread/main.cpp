// SPDX-License-Identifier: Apache-2.0
// Tasks that name no core are placed, and what the cheapest plan leaves of the GPU goes where the least slack is.
#include <algorithm>
#include <iostream>

#include <takt/systems/explain.hpp>
#include <takt/systems/rtgpu.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto tasks = takt::task_set(
    takt::task("camera", takt::period(33_ms), takt::cpu(8_ms), takt::kernel(takt::work(30_ms)), takt::cpu(1_ms)),
    takt::task("lidar", takt::period(50_ms), takt::cpu(9_ms), takt::kernel(takt::work(70_ms)), takt::cpu(2_ms)),
    takt::task("map", takt::period(80_ms), takt::cpu(20_ms), takt::kernel(takt::work(45_ms)), takt::cpu(4_ms)),
    takt::task("control", takt::period(5_ms), takt::on_core(0), takt::cpu(2_ms)));
constexpr auto board = takt::platform(takt::pool(takt::processors(4), takt::fixed_priority),
                                      takt::pool(takt::virtual_sms(16, 1), takt::federated));

constexpr auto cheap = takt::analyze(board, tasks, takt::rtgpu_methods);
constexpr auto spread = takt::analyze(
    board, tasks, takt::allocate_by<takt::chain_methods>(board, tasks, takt::spread_search), takt::rtgpu_methods);
static_assert(cheap.schedulable() && spread.schedulable());

/// Least of what deadlines leave, in permille of them.
constexpr auto least_slack(const auto& verdict) {
  std::int64_t least = 1000;
  for (const auto& t : verdict.tasks) { least = std::min(least, (t.deadline - t.bound.value) * 1000 / t.deadline); }
  return least;
}
static_assert(least_slack(cheap) < least_slack(spread));

auto main() -> int {
  takt::explain(std::cout, board, tasks, spread);
  std::cout << "Least slack: " << least_slack(cheap) << " permille with the fewest SMs, " << least_slack(spread)
            << " with all.\n";
}
