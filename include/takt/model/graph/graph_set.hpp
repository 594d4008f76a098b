// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/core/padded_capacity.hpp>
#include <takt/model/graph/graph.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

template <class P>
inline constexpr bool is_runtime_graph = false;
template <std::size_t MaxNodes, std::size_t MaxEdges>
inline constexpr bool is_runtime_graph<runtime_graph<MaxNodes, MaxEdges>> = true;

template <class G, class... Parts>
inline constexpr bool is_runtime_graph<locking_graph<G, Parts...>> = true;

template <class Number>
[[nodiscard]] constexpr auto with_number(const graph_node<ticks>& n) -> graph_node<Number> {
  return {.name = n.name,
          .kind = n.kind,
          .part = n.part,
          .split = n.split,
          .limit = n.limit,
          .parallelism = n.parallelism,
          .graph = n.graph,
          .owner = n.owner,
          .segment = n.segment,
          .wcet = Number(n.wcet),
          .point = Number(n.point),
          .block_length = Number(n.block_length),
          .blocks = n.blocks,
          .block_threads = n.block_threads,
          .launch = Number(n.launch),
          .await = Number(n.await),
          .mutex = n.mutex,
          .section = n.section};
}

template <class Out, std::size_t N, std::size_t E, std::size_t G>
constexpr void append_graphs(Out& out, const graph_table<ticks, N, E, G>& table) {
  using number = typename Out::number;
  for (std::size_t i = 0; i < table.graphs.size(); ++i) {
    const auto& g = table.graphs[i];
    const auto shift = static_cast<std::uint32_t>(out.nodes.size()) - g.first_node;
    static_cast<void>(out.add_graph(g.name, number(g.period), g.cluster));
    std::uint32_t owner = no_index;
    for (std::size_t v = g.first_node; v < g.first_node + g.nodes; ++v) {
      auto n = with_number<number>(table.nodes[v]);
      if (table.nodes[v].owner != owner) { ++out.owners; }
      owner = table.nodes[v].owner;
      n.owner = out.owners - 1;
      static_cast<void>(out.append(n));
    }
    for (std::size_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
      const auto moved = [shift](std::uint32_t v) { return v == no_index ? no_index : v + shift; };
      static_cast<void>(out.add_edge(moved(table.edges[e].from), moved(table.edges[e].to), table.edges[e].lag));
    }
  }
}

}  // namespace detail

template <class G>
concept Graph = detail::is_runtime_graph<G>;

/// Graphs that share a platform: `takt::graph_set(takt::graph(...), takt::graph(...))`. In a constant expression a
/// wrong value stops compilation with a sentence; at run time `validate` of the flat form and every analysis report it.
template <Graph... Graphs>
struct [[nodiscard]] graph_set {
  static_assert(sizeof...(Graphs) > 0, "takt: there is no graph; give it at least one graph(). See docs/errors.md#E63");

  static constexpr std::size_t max_nodes = padded_capacity((Graphs::max_nodes + ... + 0));
  static constexpr std::size_t max_edges = padded_capacity((Graphs::max_edges + ... + 0));
  static constexpr std::size_t max_graphs = padded_capacity(sizeof...(Graphs));
  template <ExactNumber Number>
  using table_type = graph_table<Number, max_nodes, max_edges, max_graphs>;

  table_type<ticks> graphs;
  model_error error{};

  constexpr explicit graph_set(const Graphs&... given, detail::refusal&& refused = detail::refusal{}) {
    (add(given), ...);
    if (std::is_constant_evaluated()) { refused.error = fault(); }
  }

  /// Returns the same graphs as flat values, in the given order.
  template <ExactNumber Number = ticks>
  [[nodiscard]] constexpr auto flat() const -> table_type<Number> {
    if constexpr (std::same_as<Number, ticks>) {
      return graphs;
    } else {
      table_type<Number> out;
      detail::append_graphs(out, graphs);
      return out;
    }
  }
  [[nodiscard]] constexpr auto fault() const -> model_error {
    return error ? located(error, graphs.graphs) : detail::fault_beside_locks(graphs);
  }

 private:
  /// A graph knows its faults by their places in it.
  constexpr void add(const auto& given) {
    if (!error && given.error) {
      error = given.error;
      error.task += static_cast<std::uint32_t>(graphs.graphs.size());
      if (error.visit != no_index) { error.visit += static_cast<std::uint32_t>(graphs.nodes.size()); }
    }
    detail::append_graphs(graphs, given.table);
  }
};

template <Graph... Graphs>
graph_set(const Graphs&...) -> graph_set<Graphs...>;

/// Anything that flattens: typed graphs, or a table that was read from a file.
template <class T>
concept GraphSet = requires(const T& t) { t.template flat<ticks>().graphs; };

}  // namespace takt::inline TAKT_ABI
