// EXPECT: deadline_can_be_missed<.*"camera".*no_bound.*33000000
// EXPECT: takt: some legal run misses a deadline
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto planner = takt::task("planner", takt::period(15_ms), takt::cpu(4_ms));
#else
constexpr auto planner = takt::task("planner", takt::period(15_ms), takt::cpu(14'900_us));
#endif
constexpr auto verdict = takt::analyze(board, takt::task_set(camera, planner), takt::dedicate(1, 0));
static_assert(takt::require_schedulable<verdict>);
