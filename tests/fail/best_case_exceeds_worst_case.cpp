// EXPECT: "planner"
// EXPECT: takt: a best case exceeds its worst case
// TAKT-TEST: RTGPU-1 a lower length above its upper one does not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks = takt::task_set(takt::task("planner", takt::period(15_ms), takt::cpu(2_ms, 3_ms)));
#else
constexpr auto tasks = takt::task_set(takt::task("planner", takt::period(15_ms), takt::cpu(3_ms, 2_ms)));
#endif
