// SPDX-License-Identifier: Apache-2.0
// A proven plan as a schedule table of AUTOSAR OS: expiry points with offsets, as constants that lie in flash, and as
// text for the configuration of the operating system.
#include <iostream>

#include <takt/model/schedule_table.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto tasks = takt::task_set(takt::task("Brake", takt::period(5_ms), takt::cpu(1_ms)),
                                      takt::task("Detect", takt::period(20_ms), takt::cpu(2_ms), takt::copy(500_us),
                                                 takt::kernel(takt::work(8_ms)), takt::cpu(2_ms)),
                                      takt::task("Log", takt::period(40_ms), takt::cpu(6_ms)));
constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(4, 1), takt::federated));
constexpr auto verdict = takt::analyze(board, tasks);
static_assert(takt::require_schedulable<verdict>);

constexpr auto table = takt::schedule_table_of<tasks>(verdict.plan);
static_assert(!table.error && table.duration == takt::duration{40_ms}.count());

auto main() -> int {
  std::cout << "SCHEDULETABLE takt_table {\n  COUNTER = nanoseconds;\n  DURATION = " << table.duration << ";\n";
  takt::ticks open = -1;
  for (const auto& x : table.points) {
    if (x.offset != open) { std::cout << (open < 0 ? "" : "  }\n") << "  EXPIRY_POINT at " << x.offset << " {\n"; }
    open = x.offset;
    const auto name = verdict.tasks[x.task].name;
    if (x.visit == takt::no_index) {
      std::cout << "    ACTIVATE_TASK = " << name << ";\n";
    } else {  // a visit that waits for its offset
      std::cout << "    SET_EVENT = " << name << "_visit_" << x.visit << ";\n";
    }
  }
  std::cout << "  }\n}\n";
}
