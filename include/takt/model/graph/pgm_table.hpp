// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/core/exact.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/model/graph/topological_order.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI {

/// Tokens over one edge of a processing graph (PGM): every job of `from` adds `produce`; a job of `to` starts when
/// `threshold` are there and takes `consume` of them.
struct token_edge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t produce = 1;
  std::int64_t consume = 1;
  std::int64_t threshold = 1;
  std::int64_t initial = 0;  ///< tokens before the first job

  [[nodiscard]] friend constexpr auto operator==(const token_edge&, const token_edge&) noexcept -> bool = default;
};

template <ExactNumber Number>
struct pgm_node {
  std::string_view name;
  std::int64_t arrivals = 1;  ///< of a source: at most so many jobs ...
  Number window{};            ///< ... in any span of this length
  Number wcet{};
};

/// A processing graph whose nodes run at different rates (Elliott 2015, section 2.1.3).
template <ExactNumber Number, std::size_t MaxNodes, std::size_t MaxEdges>
struct pgm_table {
  using number = Number;
  static constexpr std::size_t max_nodes = MaxNodes;
  static constexpr std::size_t max_edges = MaxEdges;

  inline_vector<pgm_node<Number>, MaxNodes> nodes;
  inline_vector<token_edge, MaxEdges> edges;

  [[nodiscard]] constexpr auto is_source(std::size_t node) const -> bool {
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (edges[e].to == node) { return false; }
    }
    return true;
  }
};

/// Orders nodes such that every edge leads forward. Pre: edges join nodes of the table.
template <class Number, std::size_t MaxNodes, std::size_t MaxEdges>
[[nodiscard]] constexpr auto topological_order(const pgm_table<Number, MaxNodes, MaxEdges>& graph)
    -> inline_vector<std::uint32_t, MaxNodes> {
  const std::span<const token_edge> edges(graph.edges.begin(), graph.edges.size());
  TAKT_EXPECTS(detail::edges_join(0, graph.nodes.size(), edges));
  return topological_order<MaxNodes>(0, graph.nodes.size(), edges, [](const token_edge&) { return true; });
}

/// Returns the first thing that is wrong with a processing graph; rates are another matter, see `derive_rates`.
template <class Number, std::size_t MaxNodes, std::size_t MaxEdges>
[[nodiscard]] constexpr auto validate(const pgm_table<Number, MaxNodes, MaxEdges>& graph) -> model_error {
  if (graph.nodes.empty()) { return {model_fault::no_node, 0}; }
  for (std::uint32_t e = 0; e < graph.edges.size(); ++e) {
    const token_edge& edge = graph.edges[e];
    if (edge.from >= graph.nodes.size() || edge.to >= graph.nodes.size()) {
      return {model_fault::unknown_node, 0, no_index, e};
    }
    if (edge.produce < 1 || edge.consume < 1 || edge.threshold < edge.consume || edge.initial != 0) {
      return {model_fault::amount_out_of_range, 0, no_index, e};
    }
  }
  for (std::uint32_t v = 0; v < graph.nodes.size(); ++v) {
    const auto& n = graph.nodes[v];
    if (n.wcet < Number(0)) { return {model_fault::negative_time, 0, v}; }
    for (std::uint32_t w = 0; w < v; ++w) {
      if (graph.nodes[w].name == n.name) { return {model_fault::duplicate_name, 0, v}; }
    }
    if (!graph.is_source(v)) { continue; }
    if (n.arrivals < 1) { return {model_fault::amount_out_of_range, 0, v}; }
    if (n.window <= Number(0)) { return {model_fault::period_not_positive, 0, v}; }
  }
  if (topological_order(graph).size() != graph.nodes.size()) { return {model_fault::cycle_without_history, 0}; }
  return {};
}

}  // namespace takt::inline TAKT_ABI
