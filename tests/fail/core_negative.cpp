// EXPECT: "planner"
// EXPECT: takt: a core is negative
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks = takt::task_set(takt::task("planner", takt::period(15_ms), takt::on_core(0), takt::cpu(1_ms)));
#else
constexpr auto tasks = takt::task_set(takt::task("planner", takt::period(15_ms), takt::on_core(-1), takt::cpu(1_ms)));
#endif
