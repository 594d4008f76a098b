// EXPECT: segment\[1\].*"video"
// EXPECT: takt: a task has a kernel, but the platform has no GPU
// SPDX-License-Identifier: Apache-2.0
#include <takt/graphs.hpp>
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>

using namespace takt::literals;

constexpr auto graphs =
    takt::graph_set(takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms)),
                                takt::node("scale", takt::kernel(takt::grid(8, 256), takt::block_length(2_ms)))));
#ifdef TAKT_FIXED
constexpr auto board =
    takt::platform(takt::pool(takt::processors(4), takt::g_edf),
                   takt::pool(takt::block_slots(8, 1024), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));
#else
constexpr auto board = takt::platform(takt::pool(takt::processors(4), takt::g_edf));
#endif
constexpr auto verdict = takt::analyze(board, graphs, takt::published_methods);
