// EXPECT: "planner"
// EXPECT: takt: a deadline is not positive
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks =
    takt::task_set(takt::task("planner", takt::period(15_ms), takt::deadline(15_ms), takt::cpu(2_ms)));
#else
constexpr auto tasks =
    takt::task_set(takt::task("planner", takt::period(15_ms), takt::deadline(0_ms), takt::cpu(2_ms)));
#endif
