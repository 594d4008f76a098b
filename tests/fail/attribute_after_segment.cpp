// EXPECT: takt: a task takes period\(\) and its other attributes first and then only segments
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks =
    takt::task_set(takt::task("planner", takt::period(15_ms), takt::deadline(12_ms), takt::cpu(2_ms)));
#else
constexpr auto tasks =
    takt::task_set(takt::task("planner", takt::period(15_ms), takt::cpu(2_ms), takt::deadline(12_ms)));
#endif
