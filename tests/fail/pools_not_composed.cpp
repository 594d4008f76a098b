// EXPECT: takt: no published method knows these rules together
// SPDX-License-Identifier: Apache-2.0
#ifdef TAKT_FIXED
#include <takt/takt.hpp>
#else
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>
#endif

#include "board.hpp"

constexpr auto other = takt::platform(takt::pool(takt::processors(1), takt::edf), engine, gpu);
constexpr auto verdict = takt::analyze(other, takt::task_set(camera), takt::dedicate(1), takt::published_methods);
