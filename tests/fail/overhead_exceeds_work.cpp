// EXPECT: segment\[1\].*"planner"
// EXPECT: takt: a kernel's overhead exceeds its stretched work
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks =
    takt::task_set(takt::task("planner", takt::period(15_ms), takt::cpu(1_ms),
                              takt::kernel(takt::work(2_ms), takt::overhead(1_ms)), takt::cpu(1_ms)));
#else
constexpr auto tasks =
    takt::task_set(takt::task("planner", takt::period(15_ms), takt::cpu(1_ms),
                              takt::kernel(takt::work(2_ms), takt::overhead(3_ms)), takt::cpu(1_ms)));
#endif
