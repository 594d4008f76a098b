// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/verdict.hpp>
#include <takt/core/exact.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Bounds and offsets by the position of the node in its table. A junction and a node without demand respond in 0.
template <ExactNumber Number, std::size_t MaxNodes, std::size_t MaxGraphs>
struct graph_timing {
  obstacle status = obstacle::none;  ///< none: every response is bounded as given
  std::uint32_t where = no_index;
  std::array<Number, MaxNodes> response{};     ///< from the nominal release
  std::array<Number, MaxNodes> offset{};       ///< of the nominal release from that of the graph
  std::array<Number, MaxGraphs> end_to_end{};  ///< of graphs before `where`, if that is a graph

  [[nodiscard]] constexpr auto bounded() const noexcept -> bool { return status == obstacle::none; }
};

template <class Table>
using timing_of = graph_timing<typename Table::number, Table::max_nodes, Table::max_graphs>;

}  // namespace takt::inline TAKT_ABI::analysis
