// EXPECT: takt: the protocol of this section, the template argument, is one of a single processor
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

struct queue_mutex {};
#ifdef TAKT_FIXED
constexpr auto queue = takt::pool(queue_mutex{}, takt::locked(takt::priority_mutex_order));
#else
constexpr auto queue = takt::pool(queue_mutex{}, takt::locked(takt::priority_ceiling_order));
#endif
constexpr auto other = takt::platform(cores, engine, gpu, queue);
constexpr auto logger = takt::task("logger", takt::period(50_ms), takt::locks<queue_mutex>(takt::copy(1_ms)));
constexpr auto verdict = takt::analyze(other, takt::task_set(camera, logger), takt::dedicate(1, 0));
