// EXPECT: takt: an accelerator runs kernels with wcet\(\), and no other platform does
// SPDX-License-Identifier: Apache-2.0
#include <takt/kernels.hpp>
#include <takt/takt.hpp>

#include "board.hpp"

constexpr auto kernels = takt::task_set(takt::task("detect", takt::period(40_ms), takt::kernel(takt::wcet(6_ms))));
#ifdef TAKT_FIXED
constexpr auto verdict =
    takt::analyze(takt::platform(takt::pool(takt::accelerator(2, 2), takt::levels(takt::edf))), kernels);
#else
constexpr auto verdict = takt::analyze(board, kernels, takt::dedicate(0));
#endif
