// EXPECT: takt: a section locks a mutex, the template argument, that no pool of the platform is
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

struct queue_mutex {};
constexpr auto logger = takt::task("logger", takt::period(50_ms), takt::locks<queue_mutex>(takt::cpu(1_ms)));

#ifdef TAKT_FIXED
constexpr auto queue = takt::pool(queue_mutex{}, takt::locked(takt::priority_ceiling_order));
constexpr auto other = takt::platform(cores, engine, gpu, queue);
#else
constexpr auto other = takt::platform(cores, engine, gpu);
#endif
constexpr auto verdict = takt::analyze(other, takt::task_set(camera, logger), takt::dedicate(1, 0));
