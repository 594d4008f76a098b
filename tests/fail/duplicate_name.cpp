// EXPECT: "camera"
// EXPECT: takt: two tasks, or two nodes of a graph, have the same name
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks = takt::task_set(camera, takt::task("planner", takt::period(15_ms), takt::cpu(2_ms)));
#else
constexpr auto tasks = takt::task_set(camera, takt::task("camera", takt::period(15_ms), takt::cpu(2_ms)));
#endif
