// EXPECT: segment\[1\].*"planner"
// EXPECT: takt: a chain does not alternate
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks = takt::task_set(takt::task("planner", takt::period(15_ms), takt::cpu(1_ms)));
constexpr auto verdict = takt::analyze(board, tasks, takt::dedicate(0), takt::published_methods);
#else
constexpr auto tasks = takt::task_set(takt::task("planner", takt::period(15_ms), takt::cpu(1_ms), takt::cpu(1_ms)));
constexpr auto verdict = takt::analyze(board, tasks, takt::dedicate(0), takt::published_methods);
#endif
