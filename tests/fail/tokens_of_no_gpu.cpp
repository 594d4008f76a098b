// EXPECT: takt: locked\(\.\.\.\) divides the SMs of a GPU into tokens
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto engines = takt::pool(takt::copy_engines(1), takt::fifo);
#else
constexpr auto engines = takt::pool(takt::copy_engines(1), takt::locked(takt::fifo_order, 2));
#endif
constexpr auto other = takt::platform(takt::pool(takt::processors(1), takt::edf), engines, gpu);
constexpr auto verdict = takt::analyze(other, takt::task_set(camera), takt::dedicate(1));
