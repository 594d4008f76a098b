// SPDX-License-Identifier: Apache-2.0
// A proven plan as a header of constants, for an embedded build that has no takt: cores, priorities and SMs of tasks,
// and the bounds that a monitor compares with.
#include <fstream>
#include <iostream>

#include <takt/report/plan_constants.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto tasks = takt::task_set(
    takt::task("camera", takt::period(33_ms), takt::cpu(8_ms), takt::kernel(takt::work(30_ms)), takt::cpu(1_ms)),
    takt::task("lidar", takt::period(50_ms), takt::cpu(9_ms), takt::kernel(takt::work(45_ms)), takt::cpu(2_ms)),
    takt::task("control", takt::period(5_ms), takt::cpu(2_ms)));
constexpr auto board = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                                      takt::pool(takt::virtual_sms(8, 1), takt::federated));
constexpr auto verdict = takt::analyze(board, tasks);
static_assert(takt::require_schedulable<verdict>);

// The same without a file: the plan is a constant of this program.
static_assert(verdict.plan.cores[0] != verdict.plan.cores[2]);

auto main(int argc, char** argv) -> int {
  std::ofstream file;
  if (argc > 1) { file.open(argv[1]); }
  takt::write_constants(argc > 1 ? file : std::cout, "camera_plan", board, tasks, verdict);
  return argc == 1 || file.flush() ? 0 : 1;
}
