// EXPECT: takt: a section of a mutex of one processor is not time on that one alone
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

struct queue_mutex {};
#ifdef TAKT_FIXED
constexpr std::int32_t core = 0;
#else
constexpr std::int32_t core = 1;
#endif
constexpr auto queue = takt::pool(queue_mutex{}, takt::locked(takt::priority_ceiling_order));
constexpr auto two = takt::pool(takt::processors(2), takt::fixed_priority);
constexpr auto other = takt::platform(two, engine, gpu, queue);
constexpr auto tasks = takt::task_set(
    camera, takt::task("a", takt::period(50_ms), takt::on_core(0), takt::locks<queue_mutex>(takt::cpu(1_ms))),
    takt::task("b", takt::period(50_ms), takt::on_core(core), takt::locks<queue_mutex>(takt::cpu(1_ms))));
constexpr auto verdict = takt::analyze(other, tasks, takt::dedicate(1, 0, 0));
