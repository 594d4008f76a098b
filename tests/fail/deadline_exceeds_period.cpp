// EXPECT: "planner"
// EXPECT: takt: a deadline exceeds its period
// TAKT-TEST: RTGPU-1 a deadline above the period does not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include <takt/systems/rtgpu.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks =
    takt::task_set(takt::task("planner", takt::period(15_ms), takt::deadline(15_ms), takt::cpu(2_ms)));
#else
constexpr auto tasks =
    takt::task_set(takt::task("planner", takt::period(15_ms), takt::deadline(16_ms), takt::cpu(2_ms)));
#endif
// Combiners do not stand beside the method of this board, which knows no such deadlines.
constexpr auto spinning =
    takt::platform(takt::pool(takt::processors(1), takt::busy_waiting(takt::fixed_priority)), engine, gpu);
constexpr auto verdict = takt::analyze(spinning, tasks, takt::dedicate(0), takt::rtgpu_methods);
static_assert(takt::require_schedulable<verdict>);
