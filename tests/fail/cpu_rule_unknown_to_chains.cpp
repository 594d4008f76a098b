// EXPECT: takt: no bound is known for this rule on the processors pool
// TAKT-TEST: RTGPU-51 a rule that no bound of chains knows is refused on the processors with a message
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto other = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority), engine, gpu);
#else
constexpr auto other = takt::platform(takt::pool(takt::processors(1), takt::gel), engine, gpu);
#endif
constexpr auto verdict = takt::analyze(other, takt::task_set(camera), takt::dedicate(1));
