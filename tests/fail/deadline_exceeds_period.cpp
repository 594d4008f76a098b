// EXPECT: "planner"
// EXPECT: takt: a deadline exceeds its period
// TAKT-TEST: RTGPU-1 a deadline above the period does not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks =
    takt::task_set(takt::task("planner", takt::period(15_ms), takt::deadline(15_ms), takt::cpu(2_ms)));
#else
constexpr auto tasks =
    takt::task_set(takt::task("planner", takt::period(15_ms), takt::deadline(16_ms), takt::cpu(2_ms)));
#endif
constexpr auto verdict = takt::analysis::analyze_by<takt::published>(board, tasks);
static_assert(takt::require_schedulable<verdict>);
