// EXPECT: segment\[.*"video"
// EXPECT: takt: two tasks, or two nodes of a graph, have the same name
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto graphs =
    takt::graph_set(takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms)),
                                takt::node("show", takt::cpu(3_ms)), takt::node("print", takt::cpu(1_ms))));
#else
constexpr auto graphs =
    takt::graph_set(takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms)),
                                takt::node("show", takt::cpu(3_ms)), takt::node("read", takt::cpu(1_ms))));
#endif
