// EXPECT: takt: this question is about tokens under fifo_order, k_fmlp_order, r2dglp_order or ck_omlp_order; include
// <takt/tokens.hpp> SPDX-License-Identifier: Apache-2.0
#include <takt/rules/locking/token_orders.hpp>
#include <takt/takt.hpp>
#ifdef TAKT_FIXED
#include <takt/tokens.hpp>
#endif

#include "board.hpp"

constexpr auto shared = takt::platform(takt::pool(takt::processors(1), takt::edf),
                                       takt::pool(takt::virtual_sms(10, 2), takt::locked(takt::fifo_order, 2)));
constexpr auto verdict =
    takt::analyze(shared, takt::task_set(takt::task("camera", takt::period(33_ms), takt::cpu(2_ms),
                                                    takt::kernel(takt::work(8_ms)), takt::cpu(1_ms))));
