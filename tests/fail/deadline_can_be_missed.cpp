// EXPECT: deadline_can_be_missed<.*"planner".*7999999.*7000000
// EXPECT: takt: some legal run misses a deadline
// TAKT-TEST: RTGPU-19 a set that can miss a deadline does not compile, and the message names task, bound and deadline
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks = takt::task_set(
    camera, takt::task("planner", takt::period(15_ms), takt::deadline(12_ms), takt::cpu(4_ms), takt::copy(1_ms),
                       takt::kernel(takt::work(3_ms), takt::interleave(1, 1)), takt::cpu(1_ms)));
#else
constexpr auto tasks = takt::task_set(
    camera, takt::task("planner", takt::period(15_ms), takt::deadline(7_ms), takt::cpu(4_ms), takt::copy(1_ms),
                       takt::kernel(takt::work(3_ms), takt::interleave(1, 1)), takt::cpu(1_ms)));
#endif
constexpr auto verdict = takt::analyze(board, tasks, takt::dedicate(1, 1), takt::published_methods);
static_assert(takt::require_schedulable<verdict>);
