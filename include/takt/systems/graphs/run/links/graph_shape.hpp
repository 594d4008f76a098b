// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include <sys/types.h>

#include <takt/core/checked.hpp>
#include <takt/systems/graphs/run/links/link_description.hpp>

namespace takt::inline TAKT_ABI::runtime::detail {

/// Holds what does not change of an edge.
struct edge_shape {
  text_field<32> name{};
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t produce = 1;
  std::int64_t consume = 1;
  std::int64_t threshold = 1;
  std::int64_t initial = 0;
  std::int64_t token_bytes = 1;
  transport over{};
  std::uint64_t ring_at = 0;  ///< in the memory

  [[nodiscard]] auto counted() const noexcept -> bool { return counts_tokens(over); }
  /// Tokens that have been produced, with the initial ones, once `jobs` of the producer are complete; -1 if too many.
  [[nodiscard]] auto produced_by(std::int64_t jobs) const noexcept -> std::int64_t {
    std::int64_t out = 0;
    return checked_multiply(produce, jobs, out) && checked_add(out, initial, out) ? out : -1;
  }
  [[nodiscard]] auto has_bytes() const noexcept -> bool { return carries_bytes(over); }
};

/// Holds what does not change of a node.
struct node_shape {
  text_field<32> name{};
  std::uint64_t users = 0;  ///< of the monitor, a bit per node
};

/// Holds what does not change of a graph as a whole. Its first two fields are the same for all monitors.
struct graph_head {
  std::uint32_t monitor = 0;
  std::uint64_t bytes = 0;
  std::uint64_t processes = 0;  ///< namespace of the claims
  std::uint32_t mode = 0;
  std::uint32_t nodes_used = 0;
  std::uint32_t edges_used = 0;
  text_field<32> name{};
  text_field<48> folder{};
};

/// Holds what does not change of a graph. Others can write the memory at any time: a process copies this once, checks
/// the copy, and never reads it there again.
struct graph_shape : graph_head {
  std::uint32_t format = 0;
  std::array<node_shape, graph_description::max_nodes> nodes{};
  std::array<edge_shape, graph_description::max_edges> edges{};

  [[nodiscard]] auto find_node(std::string_view wanted) const noexcept -> std::uint32_t {
    std::uint32_t v = 0;
    while (v < nodes_used && text_of(nodes[v].name) != wanted) { ++v; }
    return v;
  }
  [[nodiscard]] auto find_edge(std::string_view wanted) const noexcept -> std::uint32_t {
    std::uint32_t e = 0;
    while (e < edges_used && text_of(edges[e].name) != wanted) { ++e; }
    return e;
  }
};

[[nodiscard]] inline auto ring_bytes(const transport& t) noexcept -> std::uint64_t {
  const auto* ring = std::get_if<shared_ring>(&t);
  return ring == nullptr ? 0 : static_cast<std::uint64_t>(ring->capacity + 63) / 64 * 64;
}

/// Returns the description of a graph that has such a shape. Pre: no more nodes and edges than there can be, ends of
/// edges are nodes, and transports are some.
[[nodiscard]] inline auto description_of(const graph_shape& s) -> graph_description {
  TAKT_EXPECTS(s.nodes_used <= s.nodes.size() && s.edges_used <= s.edges.size());
  graph_description out{.name = std::string{text_of(s.name)},
                        .folder = std::string{text_of(s.folder)},
                        .mode = static_cast<mode_t>(s.mode)};
  for (std::uint32_t v = 0; v < s.nodes_used; ++v) { out.nodes.emplace_back(text_of(s.nodes[v].name)); }
  for (std::uint32_t i = 0; i < s.edges_used; ++i) {
    const edge_shape& e = s.edges[i];
    TAKT_EXPECTS(e.from < s.nodes_used && e.to < s.nodes_used && !e.over.valueless_by_exception());
    out.edges.push_back({.name = std::string{text_of(e.name)},
                         .from = out.nodes[e.from],
                         .to = out.nodes[e.to],
                         .produce = e.produce,
                         .consume = e.consume,
                         .threshold = e.threshold,
                         .initial = e.initial,
                         .token_bytes = e.token_bytes,
                         .over = e.over});
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::runtime::detail
