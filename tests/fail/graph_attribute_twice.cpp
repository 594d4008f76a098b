// EXPECT: takt: a graph says the same thing twice
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto video = takt::graph("video", takt::period(33_ms), takt::node("in", takt::cpu(2_ms)));
#else
constexpr auto video =
    takt::graph("video", takt::period(33_ms), takt::period(40_ms), takt::node("in", takt::cpu(2_ms)));
#endif
