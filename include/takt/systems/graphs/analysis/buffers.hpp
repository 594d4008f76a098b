// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <takt/core/exact.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/systems/graphs/analysis/timing.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Says when the jobs of a node may begin.
enum class early_release : std::uint8_t {
  as_soon_as_possible,  ///< all predecessors are complete; the priority stays that of the nominal release
  never,                ///< at their nominal release
};

/// Says how many places a pipelined run needs, so that nothing is overwritten and no job waits for room. A count that
/// does not fit is the largest integer.
template <std::size_t MaxNodes, std::size_t MaxEdges, std::size_t MaxGraphs>
struct graph_buffers {
  std::array<std::int64_t, MaxGraphs> instances{};      ///< invocations of a graph under way: its reorder window
  std::array<std::int64_t, MaxNodes> node_instances{};  ///< jobs of a node under way
  std::array<std::int64_t, MaxEdges> edge_places{};     ///< results of an edge's producer that are still needed
};

namespace detail {

/// Returns a whole number >= 0 as an integer; the largest one if it does not fit.
template <class Number>
[[nodiscard]] constexpr auto whole_count(const Number& value) -> std::int64_t {
  if constexpr (number_traits<Number>::integral) {
    return value;
  } else {
    std::int64_t count = 0;
    for (int bit = 62; bit >= 0; --bit) {
      const std::int64_t more = count + (INT64_C(1) << bit);
      if (!(value < Number(more))) { count = more; }
    }
    return count;
  }
}

/// Computes max(1, ceil(span / period)).
template <class Number>
[[nodiscard]] constexpr auto periods_in(const Number& span, const Number& period) -> std::int64_t {
  if (!is_number(span)) { return std::numeric_limits<std::int64_t>::max(); }
  if (!(period < span)) { return 1; }
  return whole_count(takt::detail::ceil_quotient(span, period));
}

}  // namespace detail

/// Computes sizes from bounds. A job of node v is under way for at most its response R_v, so ceil(R_v / T) jobs are.
/// An edge w -> v keeps what it brings from the end of w to the end of v. That is at most offset_v + R_v after the
/// invocation, plus the lag of a history edge. Where a graph waits for its own past for too long, sizes are those of
/// the graphs before it. Pre: `timing` is bounded but for such a graph, and `early` is known. Cost: nodes + edges.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto buffer_sizes(const graph_table<Number, N, E, G>& table,
                                          const graph_timing<Number, N, G>& timing,
                                          early_release early = early_release::as_soon_as_possible)
    -> graph_buffers<N, E, G> {
  TAKT_EXPECTS((timing.bounded() || timing.status == obstacle::history) && early <= early_release::never);
  graph_buffers<N, E, G> out;
  for (std::size_t i = 0; i < table.graphs.size(); ++i) {
    out.instances[i] = detail::periods_in(timing.end_to_end[i], table.graphs[i].period);
  }
  for (std::size_t v = 0; v < table.nodes.size(); ++v) {
    out.node_instances[v] = detail::periods_in(timing.response[v], table.period_of(v));
  }
  for (std::size_t e = 0; e < table.edges.size(); ++e) {
    const graph_edge& edge = table.edges[e];
    const Number& period = table.period_of(edge.to);
    Number span{};
    Number past{};
    const bool fits = add_exactly(timing.offset[edge.to], timing.response[edge.to], span) &&
                      takt::detail::multiply_exactly(period, Number(edge.lag), past) && add_exactly(span, past, span);
    switch (early) {
      case early_release::as_soon_as_possible: break;
      case early_release::never: span = span - timing.offset[edge.from]; break;
    }
    out.edge_places[e] = fits ? detail::periods_in(span, period) : std::numeric_limits<std::int64_t>::max();
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
