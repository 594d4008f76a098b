// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/core/each_once.hpp>
#include <takt/model/graph/data_flow.hpp>
#include <takt/model/graph/graph_parts.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/task_attributes.hpp>

namespace takt::inline TAKT_ABI {

struct cluster_attribute {
  std::int32_t value;
};
struct named_edge {
  std::string_view from;
  std::string_view to;
  std::int32_t lag = 0;
};

/// States the cluster of processors that runs all CPU nodes of the graph.
[[nodiscard]] constexpr auto on_cluster(std::int32_t cluster) noexcept -> cluster_attribute { return {cluster}; }
/// Each job of `to` starts after the job of `from` of the same invocation.
[[nodiscard]] constexpr auto edge(std::string_view from, std::string_view to) noexcept -> named_edge {
  return {from, to, 0};
}
/// Each job of `to` starts after the job of `from` of `lag` invocations before.
[[nodiscard]] constexpr auto history(std::string_view from, std::string_view to, std::int32_t lag = 1) noexcept
    -> named_edge {
  return {from, to, lag < 1 ? -1 : lag};
}
/// Declares an object that readers see as it was `lag` invocations before.
[[nodiscard]] constexpr auto delayed(std::string_view object, std::int32_t lag = 1) noexcept -> delayed_object {
  return {object, lag < 1 ? -1 : lag};
}

namespace detail {
template <class P>
inline constexpr bool is_runtime_node = false;
template <std::size_t Segments, std::size_t Bindings>
inline constexpr bool is_runtime_node<runtime_node<Segments, Bindings>> = true;
template <class P>
inline constexpr bool is_locking_node = false;
template <class Node, class... Parts>
inline constexpr bool is_locking_node<locking_node<Node, Parts...>> = true;
template <class Node, class... Parts>
inline constexpr bool is_runtime_node<locking_node<Node, Parts...>> = true;

template <class P>
concept GraphNode = detail::is_runtime_node<P>;
template <class P>
concept GraphPart = GraphNode<P> || std::same_as<P, named_edge> || std::same_as<P, delayed_object> ||
                    std::same_as<P, period_attribute> || std::same_as<P, cluster_attribute>;

}  // namespace detail

/// One graph as flat values, with the first fault that shows already while it is put together.
template <std::size_t MaxNodes, std::size_t MaxEdges>
struct runtime_graph {
  static constexpr std::size_t max_nodes = MaxNodes;
  static constexpr std::size_t max_edges = MaxEdges;

  graph_table<ticks, MaxNodes, MaxEdges, 1> table;
  model_error error{};
};

namespace detail {

/// A graph with sections in some of its parts.
template <class RuntimeTasks, class... Parts>
struct locking_graph : RuntimeTasks {};

template <std::size_t Accesses, std::size_t Delays>
struct graph_uses {
  std::array<object_access, Accesses> accesses{};
  std::array<delayed_object, Delays> delays{};
  std::size_t access_count = 0;
  std::size_t delay_count = 0;

  /// Adds one access per object of a node, even if it reads and writes it.
  constexpr void add(const data_binding& b, std::uint32_t first, std::uint32_t last) {
    const bool write = is_write(b.access);
    for (std::size_t i = 0; i < access_count; ++i) {
      if (accesses[i].first == first && accesses[i].object == b.object) {
        (write ? accesses[i].writes : accesses[i].reads) = true;
        return;
      }
    }
    accesses[access_count++] = {b.object, first, last, !write, write};
  }
};

template <class Table>
constexpr void place(graph_record<ticks>& g, Table& /*table*/, auto& /*uses*/, const period_attribute& p) {
  g.period = p.value.count();
}
template <class Table>
constexpr void place(graph_record<ticks>& g, Table& /*table*/, auto& /*uses*/, const cluster_attribute& c) {
  g.cluster = c.value;
}
template <class Table>
constexpr void place(graph_record<ticks>& /*graph*/, Table& /*table*/, auto& uses, const delayed_object& d) {
  uses.delays[uses.delay_count++] = d;
}
template <class Table>
constexpr void place(graph_record<ticks>& /*graph*/, Table& /*table*/, auto& /*uses*/, const named_edge& /*later*/) {}
template <class Table, std::size_t Segments, std::size_t Bindings>
constexpr void place(graph_record<ticks>& /*graph*/, Table& table, auto& uses,
                     const runtime_node<Segments, Bindings>& n) {
  const auto first = static_cast<std::uint32_t>(table.nodes.size());
  static_cast<void>(table.add_node(n.chain[0]));
  for (std::size_t s = 1; s < Segments; ++s) { static_cast<void>(table.extend_node(n.chain[s])); }
  for (const auto& b : n.bindings) { uses.add(b, first, static_cast<std::uint32_t>(first + Segments - 1)); }
}

/// Returns the first and last node of a run-time node; `no_index` if there is none of that name.
template <class Table>
[[nodiscard]] constexpr auto find_node(const Table& table, std::string_view name, bool last) -> std::uint32_t {
  std::uint32_t found = no_index;
  for (std::uint32_t v = 0; v < table.nodes.size(); ++v) {
    if (table.nodes[v].name == name && (last || table.nodes[v].segment == 0)) { found = v; }
  }
  return found;
}

template <class Table>
constexpr void join(Table& table, const named_edge& e) {
  static_cast<void>(table.add_edge(find_node(table, e.from, true), find_node(table, e.to, false), e.lag));
}
template <class Table, class P>
constexpr void join(Table& /*table*/, const P& /*no edge*/) {}

template <class P>
inline constexpr std::size_t nodes_of = 0;
template <std::size_t Segments, std::size_t Bindings>
inline constexpr std::size_t nodes_of<runtime_node<Segments, Bindings>> = Segments;
template <class Node, class... Parts>
inline constexpr std::size_t nodes_of<locking_node<Node, Parts...>> = nodes_of<Node>;
template <class P>
inline constexpr std::size_t edges_of = std::same_as<P, named_edge> ? 1 : 0;
template <std::size_t Segments, std::size_t Bindings>
inline constexpr std::size_t edges_of<runtime_node<Segments, Bindings>> = Segments - 1 + 2 * Bindings;
template <class Node, class... Parts>
inline constexpr std::size_t edges_of<locking_node<Node, Parts...>> = edges_of<Node>;
template <class P>
inline constexpr std::size_t bindings_of = 0;
template <std::size_t Segments, std::size_t Bindings>
inline constexpr std::size_t bindings_of<runtime_node<Segments, Bindings>> = Bindings;
template <class Node, class... Parts>
inline constexpr std::size_t bindings_of<locking_node<Node, Parts...>> = bindings_of<Node>;

}  // namespace detail

/// Makes a graph that is invoked once per period: its name, and in any order `period()`, `on_cluster()`, nodes, edges
/// and delayed objects. Edges name nodes that may come later; a wrong name is a fault of the `graph_set`.
template <class... Parts>
[[nodiscard]] constexpr auto graph(std::string_view name, const Parts&... parts) {
  constexpr bool well_formed = (detail::GraphPart<Parts> && ... && true);
  constexpr bool once =
      detail::times_among<period_attribute, Parts...> <= 1 && detail::times_among<cluster_attribute, Parts...> <= 1;
  static_assert(well_formed,
                "takt: a graph takes period(), on_cluster(), node(), edge(), history() and delayed(). "
                "See docs/errors.md#E63");
  static_assert(once, "takt: a graph says the same thing twice; give each attribute once. See docs/errors.md#E96");
  if constexpr (well_formed && once) {
    constexpr std::size_t nodes = (detail::nodes_of<Parts> + ... + 0);
    constexpr std::size_t edges = (detail::edges_of<Parts> + ... + 0);
    constexpr std::size_t accesses = (detail::bindings_of<Parts> + ... + 0);
    constexpr std::size_t delays = (std::size_t{std::same_as<Parts, delayed_object>} + ... + 0);
    runtime_graph<nodes, edges> out;
    detail::graph_uses<accesses, delays> uses;
    static_cast<void>(out.table.add_graph(name, 0));
    (detail::place(out.table.graphs[0], out.table, uses, parts), ...);
    (detail::join(out.table, parts), ...);
    out.error = derive_edges(out.table, std::span<const object_access>(uses.accesses.data(), uses.access_count),
                             std::span<const delayed_object>(uses.delays.data(), uses.delay_count));
    if constexpr ((detail::is_locking_node<Parts> || ...)) {
      return detail::locking_graph<decltype(out), Parts...>{out};
    } else {
      return out;
    }
  }
}

}  // namespace takt::inline TAKT_ABI
