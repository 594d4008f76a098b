// EXPECT: segment\[1\].*"planner"
// EXPECT: takt: times overflow 64-bit nanoseconds
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks = takt::task_set(
    takt::task("planner", takt::period(15_ms), takt::cpu(1_ms),
               takt::kernel(takt::work(5_ms), takt::overhead(0_ns), takt::interleave(9, 5)), takt::cpu(1_ms)));
#else
constexpr auto tasks = takt::task_set(takt::task(
    "planner", takt::period(15_ms), takt::cpu(1_ms),
    takt::kernel(takt::work(takt::duration::max()), takt::overhead(0_ns), takt::interleave(9, 5)), takt::cpu(1_ms)));
#endif
