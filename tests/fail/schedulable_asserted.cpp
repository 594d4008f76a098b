// EXPECT: static assertion
// TAKT-TEST: RTGPU-19 static_assert on a verdict refuses a set that is not schedulable
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks =
    takt::task_set(camera, takt::task("planner", takt::period(15_ms), takt::deadline(12_ms), takt::cpu(4_ms),
                                      takt::copy(1_ms), takt::kernel(takt::work(3_ms)), takt::cpu(1_ms)));
#else
constexpr auto tasks =
    takt::task_set(camera, takt::task("planner", takt::period(15_ms), takt::deadline(7_ms), takt::cpu(4_ms),
                                      takt::copy(1_ms), takt::kernel(takt::work(3_ms)), takt::cpu(1_ms)));
#endif
constexpr auto verdict = takt::analyze(board, tasks, takt::dedicate(1, 1));
static_assert(verdict.schedulable());
