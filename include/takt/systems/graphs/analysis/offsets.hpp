// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/exact.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/systems/graphs/analysis/timing.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Where job j of `edge.to` may be released at the earliest from the offset of `edge.from`. False if it does not fit.
template <class Number, std::size_t N, std::size_t G>
[[nodiscard]] constexpr auto offset_after(const graph_edge& edge, const graph_timing<Number, N, G>& timing,
                                          const Number& period, Number& offset) -> bool {
  Number back{};
  return add_exactly(timing.offset[edge.from], timing.response[edge.from], offset) &&
         (edge.lag == 0 || (takt::detail::multiply_exactly(period, Number(edge.lag), back) &&
                            add_exactly(offset, Number(Number(0) - back), offset)));
}

/// Fills the offsets and the end-to-end bound of a graph from the responses of its nodes. By longest paths it finds the
/// least offsets >= 0 with offset_v >= offset_u + response_u - lag x period over every edge. With them precedence turns
/// into independent sporadic tasks. Sound for sporadic invocations: those of the past lie at least lag x period back.
/// Error: `history_cycle`, `overflow`. Cost: at most (nodes + 1) x edges, a few passes over the edges if these lead
/// forward in the table. Source: Yang et al. 2018, section 2; history edges are takt's.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto set_offsets(const graph_table<Number, N, E, G>& table, std::size_t graph,
                                         graph_timing<Number, N, G>& timing) -> obstacle {
  const auto& g = table.graphs[graph];
  const std::size_t end = g.first_node + g.nodes;
  for (std::size_t v = g.first_node; v < end; ++v) { timing.offset[v] = Number(0); }
  bool changed = true;
  for (std::size_t round = 0; changed; ++round) {
    if (round > g.nodes) { return obstacle::history; }
    changed = false;
    for (std::size_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
      const graph_edge& edge = table.edges[e];
      Number earliest{};
      if (!detail::offset_after(edge, timing, g.period, earliest)) { return obstacle::overflow; }
      if (timing.offset[edge.to] < earliest) {
        timing.offset[edge.to] = earliest;
        changed = true;
      }
    }
  }
  Number last(0);
  for (std::size_t v = g.first_node; v < end; ++v) {
    Number finish{};
    if (!add_exactly(timing.offset[v], timing.response[v], finish)) { return obstacle::overflow; }
    if (last < finish) { last = finish; }
  }
  timing.end_to_end[graph] = last;
  return obstacle::none;
}

/// Sets the offsets of all graphs, in their order; the first failure stands in `status` and `where`.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
constexpr void set_all_offsets(const graph_table<Number, N, E, G>& table, graph_timing<Number, N, G>& timing) {
  for (std::uint32_t i = 0; i < table.graphs.size(); ++i) {
    timing.status = set_offsets(table, i, timing);
    if (timing.status != obstacle::none) {
      timing.where = i;
      return;
    }
  }
}

}  // namespace takt::inline TAKT_ABI::analysis::detail
