// EXPECT: "video"
// EXPECT: takt: the edges of a graph form a cycle
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto graphs = takt::graph_set(takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms)),
                                                    takt::node("show", takt::cpu(3_ms)), takt::edge("read", "show"),
                                                    takt::history("show", "read")));
#else
constexpr auto graphs = takt::graph_set(takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms)),
                                                    takt::node("show", takt::cpu(3_ms)), takt::edge("read", "show"),
                                                    takt::edge("show", "read")));
#endif
