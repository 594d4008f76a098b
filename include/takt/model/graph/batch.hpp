// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/exact.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI {

/// Makes every job of a graph work on `frames` inputs, as the batching of OpenVX does: CPU nodes and copies take so
/// many times as long, kernels have so many times as many blocks, launching and awaiting stay. A utilization may exceed
/// 1, for jobs may overlap: OpenVX's pipelining is what graphs do anyway. Error: `amount_out_of_range` below one frame,
/// `time_overflow`; the table is changed only without one. Cost: the nodes.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto batch(graph_table<Number, N, E, G>& table, std::uint32_t graph, std::int32_t frames)
    -> model_error {
  if (frames < 1) { return {model_fault::amount_out_of_range, graph}; }
  const auto& g = table.graphs[graph];
  auto nodes = table.nodes;
  for (std::uint32_t v = g.first_node; v < g.first_node + g.nodes; ++v) {
    auto& n = nodes[v];
    if (!detail::multiply_exactly(n.wcet, Number(frames), n.wcet) ||
        !checked_multiply<std::int64_t>(n.blocks, frames, n.blocks)) {
      return {model_fault::time_overflow, graph, v};
    }
  }
  table.nodes = nodes;
  return {};
}

}  // namespace takt::inline TAKT_ABI
