// EXPECT: "video"
// EXPECT: takt: an edge names a node that its graph lacks
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto graphs = takt::graph_set(takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms)),
                                                    takt::node("show", takt::cpu(3_ms)), takt::edge("read", "show")));
#else
constexpr auto graphs = takt::graph_set(takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms)),
                                                    takt::node("show", takt::cpu(3_ms)), takt::edge("read", "print")));
#endif
