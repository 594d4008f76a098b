// SPDX-License-Identifier: Apache-2.0
// On a Cortex-M or Cortex-R without an operating system: the proof costs no byte, and the plan is a table in flash that
// a timer interrupt would walk. Here time is a number, and the bodies of the tasks count.
#include <array>
#include <cstdint>

#include <takt/model/schedule_table.hpp>
#include <takt/takt.hpp>

#include "semihosting.hpp"

using namespace takt::literals;

namespace brakes {

constexpr auto tasks = takt::task_set(takt::task("brake", takt::period(5_ms), takt::cpu(1_ms)),
                                      takt::task("steer", takt::period(10_ms), takt::cpu(2_ms)),
                                      takt::task("log", takt::period(40_ms), takt::cpu(6_ms)));
constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority));
constexpr auto verdict = takt::analyze(board, tasks);
static_assert(takt::require_schedulable<verdict>);

constexpr auto table = takt::schedule_table_of<tasks>(verdict.plan);
static_assert(!table.error && table.points.size() == 13);

}  // namespace brakes

auto run() -> bool;

auto run() -> bool {
  std::array<std::int64_t, 3> jobs{};
  const auto walk = [&jobs] {
    for (const auto& x : brakes::table.points) { ++jobs[x.task]; }
  };
  for (int round = 0; round < 25; ++round) { walk(); }  // one second
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    semihosting::write(brakes::verdict.tasks[i].name.data());
    semihosting::write(": ");
    semihosting::write(jobs[i]);
    semihosting::write(" jobs, each proven to end within us ");
    semihosting::write(brakes::verdict.tasks[i].bound.value / 1000);
    semihosting::write("\n");
  }
  const bool all = jobs[0] == 200 && jobs[1] == 100 && jobs[2] == 25;
  semihosting::write(all ? "PASS\n" : "FAIL\n");
  return all;
}
