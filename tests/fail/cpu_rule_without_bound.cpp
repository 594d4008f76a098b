// EXPECT: takt: no bound is known for this rule on the processors pool
// TAKT-TEST: RTGPU-51 a rule without a bound on the processors is refused with a message
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto other = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority), engine, gpu);
constexpr auto verdict = takt::analyze(other, takt::task_set(camera), takt::dedicate(1));
#else
constexpr auto other =
    takt::platform(takt::pool(takt::processors(1), takt::nonpreemptive(takt::fixed_priority)), engine, gpu);
constexpr auto verdict = takt::analyze(other, takt::task_set(camera), takt::dedicate(1));
#endif
