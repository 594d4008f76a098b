// EXPECT: visit_time_is_known<.*kernel_segment.*block_queue|visit_time_is_known<.*kernel_segment.*fifo_blocks
// EXPECT: takt: the rule of a pool cannot tell how long this visit takes
// SPDX-License-Identifier: Apache-2.0
#include <takt/graphs.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto kernel = takt::kernel(takt::grid(8, 256), takt::block_length(1_ms));
#else
constexpr auto kernel = takt::kernel(takt::work(4_ms));
#endif
constexpr auto tasks = takt::task_set(takt::task("a", takt::period(20_ms), takt::cpu(1_ms), kernel, takt::cpu(1_ms)));
constexpr auto board =
    takt::platform(takt::pool(takt::processors(1), takt::edf),
                   takt::pool(takt::block_slots(2, 1024), takt::fifo_blocks(takt::per_job_streams, takt::unguarded)));
constexpr auto verdict = takt::analyze(board, tasks);
