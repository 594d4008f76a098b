// EXPECT: takt: a flat table holds no visits of resources of your own
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

struct npu {};
constexpr auto tasks =
    takt::task_set(takt::task("a", takt::period(20_ms), takt::cpu(1_ms), takt::visit<npu>(takt::takes(1_ms))));
constexpr auto board =
    takt::platform(takt::pool(takt::processors(1), takt::fixed_priority), takt::pool(npu{}, takt::fifo));
constexpr auto verdict = takt::analyze(board, tasks);
#ifdef TAKT_FIXED
constexpr auto period = takt::flatten(board, tasks, verdict.plan).table.tasks[0].period;
#else
constexpr auto period = tasks.table().tasks[0].period;
#endif
