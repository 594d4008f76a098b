// EXPECT: takt: a GPU that is granted by shares is a platform of its own
// SPDX-License-Identifier: Apache-2.0
#include <takt/shares.hpp>
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>

using namespace takt::literals;

constexpr auto avionics = takt::application_set(
    takt::application("map", takt::period(1_s), takt::share_priority(2), takt::scaling_wcet(261_ms)));
#ifdef TAKT_FIXED
constexpr auto board = takt::platform(takt::pool(takt::gpu_shares(), takt::shares()));
#else
constexpr auto board = takt::platform(takt::pool(takt::gpu_shares(), takt::fixed_priority));
#endif
constexpr auto verdict = takt::analyze(board, avionics, takt::published_methods);
