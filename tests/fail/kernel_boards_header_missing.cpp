// EXPECT: takt: this question is about an accelerator
// SPDX-License-Identifier: Apache-2.0
#ifdef TAKT_FIXED
#include <takt/kernels.hpp>
#endif
#include <takt/takt.hpp>

#include "board.hpp"

constexpr auto npu = takt::platform(takt::pool(takt::accelerator(4), takt::nonpreemptive(takt::edf)));
constexpr auto verdict =
    takt::analyze(npu, takt::task_set(takt::task("camera", takt::period(33_ms), takt::kernel(takt::wcet(8_ms)))));
