// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/exact.hpp>
#include <takt/model/graph/graph_fault.hpp>

namespace takt::analysis {

enum class graph_status : std::uint8_t {
  bounded,           ///< every response is bounded as given
  cpu_unbounded,     ///< no bound is known for the CPUs of cluster `where`
  gpu_unbounded,     ///< no bound is known for the kernels
  copies_unbounded,  ///< no bound is known for the copies
  history_cycle,     ///< graph `where` waits for its own past for too long
  overflow,
  invalid_model,
};

[[nodiscard]] constexpr auto name_of(graph_status s) noexcept -> std::string_view {
  switch (s) {
    case graph_status::bounded: return "bounded";
    case graph_status::cpu_unbounded: return "cpu-unbounded";
    case graph_status::gpu_unbounded: return "gpu-unbounded";
    case graph_status::copies_unbounded: return "copies-unbounded";
    case graph_status::history_cycle: return "history-cycle";
    case graph_status::overflow: return "overflow";
    case graph_status::invalid_model: return "invalid-model";
  }
  return "";
}

/// Bounds and offsets by the position of the node in its table. A junction and a node without demand respond in 0.
template <ExactNumber Number, std::size_t MaxNodes, std::size_t MaxGraphs>
struct graph_timing {
  graph_status status = graph_status::bounded;
  std::uint32_t where = nowhere;
  std::array<Number, MaxNodes> response{};     ///< from the nominal release
  std::array<Number, MaxNodes> offset{};       ///< of the nominal release from that of the graph
  std::array<Number, MaxGraphs> end_to_end{};  ///< of graphs before `where`, if that is a graph

  [[nodiscard]] constexpr auto bounded() const noexcept -> bool { return status == graph_status::bounded; }
};

template <class Table>
using timing_of = graph_timing<typename Table::number, Table::max_nodes, Table::max_graphs>;

}  // namespace takt::analysis
