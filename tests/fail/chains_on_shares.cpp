// EXPECT: takt: a GPU that is granted by shares runs an application_set
// SPDX-License-Identifier: Apache-2.0
#include <takt/shares.hpp>
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>

using namespace takt::literals;

constexpr auto board = takt::platform(takt::pool(takt::gpu_shares(), takt::shares()));
#ifdef TAKT_FIXED
constexpr auto avionics = takt::application_set(
    takt::application("map", takt::period(1_s), takt::share_priority(2), takt::scaling_wcet(261_ms)));
#else
constexpr auto avionics = takt::task_set(takt::task("map", takt::period(1_s), takt::cpu(261_ms)));
#endif
constexpr auto verdict = takt::analyze(board, avionics, takt::published_methods);
