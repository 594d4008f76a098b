// EXPECT: takt: a section holds a mutex and a token of the GPU at once
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

#include "board.hpp"

struct queue_mutex {};
constexpr auto queue = takt::pool(queue_mutex{}, takt::locked(takt::fifo_order));
#ifdef TAKT_FIXED
constexpr auto sms = takt::pool(takt::virtual_sms(2, 2), takt::fifo);
#else
constexpr auto sms = takt::pool(takt::virtual_sms(2, 2), takt::locked(takt::fifo_order));
#endif
constexpr auto other = takt::platform(takt::pool(takt::processors(1), takt::edf), engine, sms, queue);
constexpr auto tasks =
    takt::task_set(camera,
                   takt::task("loader", takt::period(50_ms), takt::cpu(1_ms),
                              takt::locks<queue_mutex>(takt::cpu(1_ms), takt::copy(1_ms)), takt::cpu(1_ms)),
                   takt::task("logger", takt::period(50_ms), takt::locks<queue_mutex>(takt::cpu(1_ms))));
constexpr auto verdict = takt::analyze(other, tasks);
