// EXPECT: takt: the periods of the tasks repeat too seldom for a schedule table of at most 4096 expiry points
// SPDX-License-Identifier: Apache-2.0
#include <takt/model/schedule_table.hpp>
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks = takt::task_set(takt::task("fast", takt::period(3_ms), takt::cpu(1_ms)));
#else
constexpr auto tasks = takt::task_set(takt::task("fast", takt::period(3_ms), takt::cpu(1_ms)),
                                      takt::task("odd", takt::period(32'999'999_ns), takt::cpu(1_ms)));
#endif
constexpr auto table = takt::schedule_table_of<tasks>(takt::plan<2>{});
