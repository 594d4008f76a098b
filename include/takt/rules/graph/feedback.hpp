// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include <takt/core/inline_vector.hpp>
#include <takt/model/graph/pgm_table.hpp>

namespace takt::inline TAKT_ABI {

/// A node uses a data object, of which the graph keeps several copies.
struct object_use {
  std::string_view object;
  std::uint32_t node = 0;
};

/// A graph whose nodes run at the same time on data of different invocations: job j works on copy j mod `copies` of
/// every object. `edges` lead from those who use a copy to those who must not overwrite it yet, and start with one
/// token per copy (Elliott 2015, section 5.4.1).
template <std::size_t MaxNodes, std::size_t MaxEdges>
struct feedback_graph {
  bool complete = false;  ///< false if the graph has a cycle, or more edges than fit
  std::int64_t copies = 1;
  std::array<std::int32_t, MaxNodes> depth{};  ///< edges on the longest path from a source
  inline_vector<token_edge, MaxEdges> edges;

  /// Returns a priority under which nodes farther down the graph go first, so that invocations that have begun end.
  /// Pre: node < MaxNodes.
  [[nodiscard]] constexpr auto fifo_priority(std::size_t node, std::int32_t base) const -> std::int32_t {
    TAKT_EXPECTS(node < MaxNodes);
    return base + depth[node];
  }
};

/// Returns how many places an object has that readers see `lag` invocations later: as many as the writer may be ahead
/// and the past that is still read.
[[nodiscard]] constexpr auto ring_size(std::int64_t copies, std::int64_t lag) noexcept -> std::int64_t {
  return copies + lag;
}

namespace detail {

template <std::size_t MaxNodes, std::size_t MaxEdges>
constexpr auto add_feedback(feedback_graph<MaxNodes, MaxEdges>& out, std::uint32_t from, std::uint32_t to) -> bool {
  for (std::size_t e = 0; e < out.edges.size(); ++e) {
    if (out.edges[e].from == from && out.edges[e].to == to) { return true; }
  }
  return out.edges.try_push_back({.from = from, .to = to, .initial = out.copies});
}

}  // namespace detail

/// Makes feedback edges and depths of a graph of `nodes` nodes. Feedback edges are the reverse of every forward edge,
/// and of every pair of users of one object of which one comes after the other. Edges with initial tokens lead into the
/// past, as those of delayed objects do: they do not count for depths or order and get a feedback edge of their own.
/// `copies` 0 stands for one per node on the longest path. Cost: nodes x edges + uses^2 + feedback edges^2.
template <std::size_t MaxNodes, std::size_t MaxEdges>
[[nodiscard]] constexpr auto make_feedback(std::size_t nodes, std::span<const token_edge> forward,
                                           std::span<const object_use> uses, std::int64_t copies = 0)
    -> feedback_graph<MaxNodes, MaxEdges> {
  feedback_graph<MaxNodes, MaxEdges> out;
  if (nodes > MaxNodes) { return out; }
  std::array<std::array<bool, MaxNodes>, MaxNodes> after{};
  for (std::size_t round = 0; round <= nodes; ++round) {
    bool changed = false;
    for (const token_edge& edge : forward) {
      if (edge.from >= nodes || edge.to >= nodes) { return out; }
      if (edge.initial != 0) { continue; }
      if (out.depth[edge.to] <= out.depth[edge.from]) {
        out.depth[edge.to] = out.depth[edge.from] + 1;
        changed = true;
      }
      changed = changed || !after[edge.to][edge.from];
      after[edge.to][edge.from] = true;
      for (std::size_t v = 0; v < nodes; ++v) {
        const bool reached = after[edge.from][v];
        changed = changed || (reached && !after[edge.to][v]);
        after[edge.to][v] = after[edge.to][v] || reached;
      }
    }
    if (!changed) { break; }
    if (round == nodes) { return out; }
  }
  out.copies = copies;
  for (std::size_t v = 0; copies == 0 && v < nodes; ++v) {
    if (out.copies <= out.depth[v]) { out.copies = out.depth[v] + 1; }
  }
  out.complete = out.copies >= 1;
  for (const token_edge& edge : forward) {
    out.complete = out.complete && detail::add_feedback(out, edge.to, edge.from);
  }
  for (std::size_t a = 0; a < uses.size(); ++a) {
    for (std::size_t b = 0; b < uses.size(); ++b) {
      if (uses[a].object == uses[b].object && uses[b].node < nodes && uses[a].node < nodes &&
          after[uses[b].node][uses[a].node]) {
        out.complete = out.complete && detail::add_feedback(out, uses[b].node, uses[a].node);
      }
    }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI
