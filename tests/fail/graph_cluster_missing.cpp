// EXPECT: "video"
// EXPECT: takt: a graph is on a CPU cluster that the platform lacks
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>

using namespace takt::literals;

constexpr auto graphs = takt::graph_set(
    takt::graph("video", takt::period(33_ms), takt::on_cluster(1), takt::node("read", takt::cpu(2_ms))));
#ifdef TAKT_FIXED
constexpr auto board = takt::platform(takt::pool(takt::processors(4), takt::clustered(takt::g_fl, 2)));
#else
constexpr auto board = takt::platform(takt::pool(takt::processors(4), takt::g_fl));
#endif
constexpr auto verdict = takt::analyze(board, graphs, takt::published_methods);
