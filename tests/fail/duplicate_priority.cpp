// EXPECT: "lidar"
// EXPECT: takt: two tasks have the same priority
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks = takt::task_set(takt::task("planner", takt::period(15_ms), takt::priority(0), takt::cpu(2_ms)),
                                      takt::task("lidar", takt::period(33_ms), takt::priority(1), takt::cpu(2_ms)));
#else
constexpr auto tasks = takt::task_set(takt::task("planner", takt::period(15_ms), takt::priority(0), takt::cpu(2_ms)),
                                      takt::task("lidar", takt::period(33_ms), takt::priority(0), takt::cpu(2_ms)));
#endif
