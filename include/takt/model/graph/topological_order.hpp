// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/inline_vector.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Returns whether all edges join some of so many nodes, the first of which is `first`.
template <class Edge>
[[nodiscard]] constexpr auto edges_join(std::uint32_t first, std::size_t nodes, std::span<const Edge> edges) -> bool {
  const auto joined = [&](std::uint32_t v) { return v >= first && v - first < nodes; };
  for (const Edge& e : edges) {
    if (!joined(e.from) || !joined(e.to)) { return false; }
  }
  return true;
}

}  // namespace detail

/// Returns so many nodes, the first of which is `first`, such that every edge that `counts` leads forward; ties in the
/// given order. Fewer if such edges form a cycle. Pre: all edges join these nodes, which are below MaxNodes. Cost:
/// nodes x edges.
template <std::size_t MaxNodes, class Edge, std::predicate<const Edge&> Counts>
[[nodiscard]] constexpr auto topological_order(std::uint32_t first, std::size_t nodes, std::span<const Edge> edges,
                                               const Counts& counts) -> inline_vector<std::uint32_t, MaxNodes> {
  TAKT_EXPECTS(first + nodes <= MaxNodes && detail::edges_join(first, nodes, edges));
  std::array<std::uint32_t, MaxNodes> open{};
  for (const Edge& e : edges) { open[e.to] += counts(e) ? 1U : 0U; }
  inline_vector<std::uint32_t, MaxNodes> order;  // Bound: each node once, at most MaxNodes.
  for (std::uint32_t v = first; v < first + nodes; ++v) {
    if (open[v] == 0) { order.unchecked_push_back(v); }
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const Edge& e : edges) {
      if (counts(e) && e.from == order[next] && --open[e.to] == 0) { order.unchecked_push_back(e.to); }
    }
  }
  return order;
}

}  // namespace takt::inline TAKT_ABI
