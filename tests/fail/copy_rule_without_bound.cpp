// EXPECT: takt: this rule preempts, and a copy cannot be taken back
// TAKT-TEST: RTGPU-51 a rule that takes copies back is refused with a message
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto other =
    takt::platform(cores, takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)), gpu);
constexpr auto verdict = takt::analyze(other, takt::task_set(camera), takt::dedicate(1));
#else
constexpr auto other = takt::platform(cores, takt::pool(takt::copy_engines(1), takt::fixed_priority), gpu);
constexpr auto verdict = takt::analyze(other, takt::task_set(camera), takt::dedicate(1));
#endif
