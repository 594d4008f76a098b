// EXPECT: takt: this question is about an accelerator, or about kernels under levels\(...\), slots\(...\), gang\(...\)
// or time slices; include <takt/kernels.hpp> SPDX-License-Identifier: Apache-2.0
#ifdef TAKT_FIXED
#include <takt/kernels.hpp>
#endif
#include <takt/takt.hpp>

#include "board.hpp"

constexpr auto shared = takt::platform(takt::pool(takt::processors(1), takt::edf),
                                       takt::pool(takt::virtual_sms(10, 2), takt::time_slices(1_ms, 50_us)));
constexpr auto verdict = takt::analyze(
    shared, takt::task_set(takt::task("camera", takt::period(33_ms), takt::cpu(2_ms), takt::kernel(takt::work(8_ms)))));
