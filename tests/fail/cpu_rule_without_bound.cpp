// EXPECT: takt: the rule of a pool, which is the template argument, has no bound
// TAKT-TEST: RTGPU-51 a rule without a bound on the processors is refused with a message
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

/// Its author has not said how long anything takes.
struct lottery : takt::fifo_rule {};

#ifdef TAKT_FIXED
constexpr auto other = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority), engine, gpu);
constexpr auto verdict = takt::analyze(other, takt::task_set(camera), takt::dedicate(1));
#else
constexpr auto other = takt::platform(takt::pool(takt::processors(1), lottery{}), engine, gpu);
constexpr auto verdict = takt::analyze(other, takt::task_set(camera), takt::dedicate(1));
#endif
