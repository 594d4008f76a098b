// EXPECT: segment\[2\].*"video"
// EXPECT: takt: a kernel has no block, no time, or a block that no SM takes
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

#ifdef TAKT_FIXED
constexpr auto graphs = takt::graph_set(
    takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms)), takt::node("show", takt::cpu(3_ms)),
                takt::node("scale", takt::kernel(takt::grid(8, 256), takt::block_length(2_ms)))));
#else
constexpr auto graphs = takt::graph_set(
    takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms)), takt::node("show", takt::cpu(3_ms)),
                takt::node("scale", takt::kernel(takt::grid(0, 256), takt::block_length(2_ms)))));
#endif
