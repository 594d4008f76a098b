// EXPECT: takt: the facts of a visit do not say how long it takes
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

#ifdef TAKT_FIXED
constexpr auto other =
    takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::virtual_sms(4, 2), takt::fifo));
#else
constexpr auto other =
    takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::virtual_sms(4, 2), takt::federated));
#endif
constexpr auto detect =
    takt::task("detect", takt::period(20_ms), takt::cpu(1_ms), takt::visit<takt::gpu>(takt::wcet(2_ms)));
constexpr auto track =
    takt::task("track", takt::period(20_ms), takt::cpu(1_ms), takt::visit<takt::gpu>(takt::wcet(1_ms)));
constexpr auto verdict = takt::analyze(other, takt::task_set(detect, track));
