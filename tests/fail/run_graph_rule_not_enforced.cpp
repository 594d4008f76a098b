// EXPECT: takt: a run of graphs does not enforce this rule on the block_slots pool
// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/graph/run_graphs.hpp>

using namespace takt::literals;

constexpr auto graphs =
    takt::graph_set(takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms)),
                                takt::node("scale", takt::kernel(takt::grid(8, 256), takt::block_length(2_ms)))));
#ifdef TAKT_FIXED
constexpr auto enqueues = takt::guarded;
#else
constexpr auto enqueues = takt::unguarded;
#endif
constexpr auto board =
    takt::platform(takt::pool(takt::processors(4), takt::nonpreemptive(takt::g_edf)),
                   takt::pool(takt::block_slots(8, 1024), takt::fifo_blocks(takt::per_job_streams, enqueues)));
auto seen(const takt::plan<1, 8>& plan) { return takt::runtime::run(board, graphs, plan); }
