// EXPECT: takt: code is bound to a graph, a node or a segment that the set does not have
// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/graph/bind_graphs.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto graphs = takt::graph_set(
    takt::graph("vision", takt::period(20_ms), takt::node("resize", takt::cpu(1_ms)),
                takt::node("detect", takt::cpu(1_ms), takt::kernel(takt::grid(4, 256), takt::block_length(1_ms)))));
constexpr auto one = [](const takt::runtime::graph_job& /*job*/) {};
constexpr auto block = [](const takt::runtime::graph_job& /*job*/, std::int64_t /*block*/) {};

#ifdef TAKT_FIXED
const auto code = takt::codes<graphs>(takt::bind<"vision", "detect", "cpu">(one));
#else
const auto code = takt::codes<graphs>(takt::bind<"vision", "detect">(one));
#endif
