// EXPECT: takt: this resource, the template argument, is a mutex, and no place to spend time
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

struct queue_mutex {};
constexpr auto queue = takt::pool(queue_mutex{}, takt::locked(takt::priority_ceiling_order));
constexpr auto other = takt::platform(cores, engine, gpu, queue);

#ifdef TAKT_FIXED
constexpr auto logger = takt::task("logger", takt::period(50_ms), takt::locks<queue_mutex>(takt::cpu(1_ms)));
#else
constexpr auto logger = takt::task("logger", takt::period(50_ms), takt::visit<queue_mutex>(takt::takes(1_ms)));
#endif
constexpr auto verdict = takt::analyze(other, takt::task_set(camera, logger), takt::dedicate(1, 0));
