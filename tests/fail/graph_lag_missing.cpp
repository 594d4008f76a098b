// EXPECT: "video"
// EXPECT: takt: a history edge has no lag
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto graphs =
    takt::graph_set(takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms)),
                                takt::node("show", takt::cpu(3_ms)), takt::history("show", "read", 1)));
#else
constexpr auto graphs =
    takt::graph_set(takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms)),
                                takt::node("show", takt::cpu(3_ms)), takt::history("show", "read", 0)));
#endif
