// EXPECT: "planner"
// EXPECT: takt: a task is on a core that the platform lacks
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks = takt::task_set(takt::task("planner", takt::period(15_ms), takt::on_core(0), takt::cpu(2_ms)));
constexpr auto verdict = takt::analyze(board, tasks, takt::dedicate(0));
#else
constexpr auto tasks = takt::task_set(takt::task("planner", takt::period(15_ms), takt::on_core(1), takt::cpu(2_ms)));
constexpr auto verdict = takt::analyze(board, tasks, takt::dedicate(0));
#endif
