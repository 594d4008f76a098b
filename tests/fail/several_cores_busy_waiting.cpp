// EXPECT: takt: this analysis knows one core and one GPU
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto spinning =
    takt::platform(takt::pool(takt::processors(1), takt::busy_waiting(takt::fixed_priority)), engine, gpu);
constexpr auto verdict = takt::analyze(spinning, takt::task_set(camera), takt::dedicate(1), takt::published_methods);
#else
constexpr auto spinning =
    takt::platform(takt::pool(takt::processors(2), takt::busy_waiting(takt::fixed_priority)), engine, gpu);
constexpr auto verdict = takt::analyze(spinning, takt::task_set(camera), takt::dedicate(1), takt::published_methods);
#endif
