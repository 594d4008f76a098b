// EXPECT: takt: this question is about a GPU that is granted by shares; include <takt/shares.hpp>
// SPDX-License-Identifier: Apache-2.0
#include <takt/rules/lasting_shares.hpp>
#include <takt/takt.hpp>
#ifdef TAKT_FIXED
#include <takt/shares.hpp>
#endif

#include "board.hpp"

constexpr auto shared = takt::platform(takt::pool(takt::processors(1), takt::edf),
                                       takt::pool(takt::virtual_sms(10, 2), takt::lasting_shares));
constexpr auto verdict = takt::analyze(
    shared, takt::task_set(takt::task("camera", takt::period(33_ms), takt::cpu(2_ms), takt::kernel(takt::work(8_ms)))));
