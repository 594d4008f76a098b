// SPDX-License-Identifier: Apache-2.0
// The same rules in virtual time: what jobs do under the proven plan, as numbers, as a picture and for Perfetto.
#include <iostream>

#include <takt/report.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/explain.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto tasks = takt::task_set(takt::task("camera", takt::period(33_ms), takt::cpu(2_ms), takt::copy(800_us),
                                                 takt::kernel(takt::work(15_ms)), takt::copy(300_us), takt::cpu(1_ms)),
                                      takt::task("lidar", takt::period(50_ms), takt::cpu(5_ms), takt::copy(1_ms),
                                                 takt::kernel(takt::work(20_ms)), takt::cpu(2_ms)),
                                      takt::task("control", takt::period(5_ms), takt::cpu(700_us)));
constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(6, 1), takt::federated));
constexpr auto verdict = takt::analyze(board, tasks);
static_assert(takt::require_schedulable<verdict>);

auto main() -> int {
  takt::trace seen;
  const auto result = takt::simulate(board, tasks, verdict.plan, {.horizon = 100_ms}, seen);
  takt::explain(std::cout, board, tasks, verdict, result);
  takt::draw("schedule.svg", board, tasks, seen, {.title = "camera, lidar and control"});
  takt::write_trace("schedule.json", board, tasks, seen);
  std::cout << "schedule.svg and schedule.json show " << seen.slices().size() << " slices of time.\n";
  return result.misses() == 0 ? 0 : 1;
}
