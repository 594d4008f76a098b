// EXPECT: platform_or_plan|"video"
// EXPECT: takt: an edge joins two jobs of a graph
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

constexpr auto read = takt::node("read", takt::cpu(2_ms));
constexpr auto send = takt::node("send", takt::copy(1_ms));
#ifdef TAKT_FIXED
constexpr auto back = takt::edge("read", "send");
#else
constexpr auto back = takt::history("send", "read");
#endif
constexpr auto graphs = takt::graph_set(takt::graph("video", takt::period(33_ms), read, send, back));
constexpr auto other = takt::platform(takt::pool(takt::processors(1), takt::edf), engine);
constexpr auto verdict = takt::analyze(other, graphs);
