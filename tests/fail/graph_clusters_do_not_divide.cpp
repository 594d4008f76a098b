// EXPECT: takt: the size of a pool is out of range; .* and clusters divide
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>

using namespace takt::literals;

constexpr auto graphs = takt::graph_set(takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms))));
#ifdef TAKT_FIXED
constexpr auto board = takt::platform(takt::pool(takt::processors(6), takt::clustered(takt::g_fl, 3)));
#else
constexpr auto board = takt::platform(takt::pool(takt::processors(6), takt::clustered(takt::g_fl, 4)));
#endif
constexpr auto verdict = takt::analyze(board, graphs, takt::published_methods);
