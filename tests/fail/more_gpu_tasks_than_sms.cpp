// EXPECT: takt: more tasks with kernels than SMs
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto tasks = takt::task_set(
    camera, takt::task("lidar", takt::period(66_ms), takt::cpu(1_ms), takt::kernel(takt::work(2_ms)), takt::cpu(1_ms)),
    takt::task("radar", takt::period(70_ms), takt::cpu(1_ms)));
constexpr auto plan = takt::allocate(board, tasks, takt::published_methods);
#else
constexpr auto tasks = takt::task_set(
    camera, takt::task("lidar", takt::period(66_ms), takt::cpu(1_ms), takt::kernel(takt::work(2_ms)), takt::cpu(1_ms)),
    takt::task("radar", takt::period(70_ms), takt::cpu(1_ms), takt::kernel(takt::work(2_ms)), takt::cpu(1_ms)));
constexpr auto plan = takt::allocate(board, tasks, takt::published_methods);
#endif
