// EXPECT: takt: the platform has no processors for the nodes of graphs
// SPDX-License-Identifier: Apache-2.0
#include <takt/graphs.hpp>
#include <takt/kernels.hpp>
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>

using namespace takt::literals;

constexpr auto graphs = takt::graph_set(takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms))));
constexpr auto slots = takt::pool(takt::block_slots(2, 2048), takt::fifo_blocks(takt::per_job_streams, takt::guarded));
#ifdef TAKT_FIXED
constexpr auto other = takt::platform(takt::pool(takt::processors(2), takt::g_fl), slots);
#else
constexpr auto other = takt::platform(slots);
#endif
constexpr auto verdict = takt::analyze(other, graphs, takt::published_methods);
