// EXPECT: takt: on this board each kernel has a stream of its own and is enqueued when it is ready
// SPDX-License-Identifier: Apache-2.0
#include <takt/graphs.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto rule = takt::fifo_blocks(takt::per_job_streams, takt::unguarded);
#else
constexpr auto rule = takt::fifo_blocks(takt::per_job_streams, takt::guarded);
#endif
constexpr auto tasks =
    takt::task_set(takt::task("a", takt::period(20_ms), takt::cpu(1_ms),
                              takt::kernel(takt::grid(8, 256), takt::block_length(1_ms)), takt::cpu(1_ms)));
constexpr auto board =
    takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::block_slots(2, 1024), rule));
constexpr auto verdict = takt::analyze(board, tasks);
