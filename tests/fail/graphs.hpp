// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/graphs.hpp>
#include <takt/runtime/graph/graph_options.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

inline constexpr auto graphs = takt::graph_set(
    takt::graph("g", takt::period(20_ms), takt::node("in", takt::cpu(1_ms)),
                takt::node("n", takt::cpu(1_ms), takt::kernel(takt::grid(4, 256), takt::block_length(1_ms)))));
struct go {
  void operator()(const takt::runtime::graph_job& job) const;
};
struct at {
  void operator()(const takt::runtime::graph_job& job, std::int64_t block) const;
};
