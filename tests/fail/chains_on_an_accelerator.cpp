// EXPECT: takt: an accelerator runs kernels with wcet\(\), and no other platform does
// SPDX-License-Identifier: Apache-2.0
#include <takt/kernels.hpp>
#include <takt/takt.hpp>

#include "board.hpp"

constexpr auto sms = takt::platform(takt::pool(takt::accelerator(2, 2), takt::levels(takt::edf)));
#ifdef TAKT_FIXED
constexpr auto verdict =
    takt::analyze(sms, takt::task_set(takt::task("camera", takt::period(33_ms), takt::kernel(takt::wcet(6_ms)))));
#else
constexpr auto verdict = takt::analyze(sms, takt::task_set(camera));
#endif
