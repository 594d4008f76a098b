// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/graph/graph.hpp>
#include <takt/model/graph/graph_parts.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// A sink that also takes what only a scheduler of graphs reads. That is edges between jobs, from the last visits of
/// one node to the first ones of another, and what nodes say of visits.
template <class S>
concept TakesGraphFacts = requires(S sink, visit_mask visits, std::int32_t lag, std::int64_t parallelism, ticks point) {
  sink.history(visits, visits, lag);
  sink.say(visits, parallelism, point);
};

/// Returns what of a graph no visit table holds: edges to other jobs, and what nodes say of a scheduler of their own.
/// That jobs of a node do not overlap follows where every job ends before the next.
template <std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto unheld_part(const graph_table<ticks, N, E, G>& table) -> model_error {
  for (std::uint32_t i = 0; i < table.graphs.size(); ++i) {
    const auto& g = table.graphs[i];
    for (std::uint32_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
      if (table.edges[e].lag > 0) { return {model_fault::edge_between_jobs, i, no_index, e}; }
    }
    for (std::uint32_t v = g.first_node; v < g.first_node + g.nodes; ++v) {
      const auto& n = table.nodes[v];
      if (n.parallelism > 1 || n.point != 0) { return {model_fault::workload_part_unused, i, v}; }
    }
  }
  return {};
}

/// Returns all visits of a node of which `last` is the last one.
[[nodiscard]] constexpr auto visits_of_node(const graph_node<ticks>& n, visit_mask last) noexcept -> visit_mask {
  if (n.kind == node_kind::junction) { return 0; }
  const bool is_split = n.kind == node_kind::kernel && n.split;
  return is_split ? last | last >> 1U | last >> 2U : last;
}

/// Gives the sink what a visit table has no room for. An edge to a junction is one to each node that follows it.
template <std::size_t N, std::size_t E, std::size_t G, class Order, class Sink>
constexpr void take_graph_facts(const graph_table<ticks, N, E, G>& table, std::size_t graph, const Order& order,
                                const visit_mask* ends, Sink& sink) {
  const auto& g = table.graphs[graph];
  std::array<visit_mask, N> starts{};
  for (std::size_t k = order.size(); k-- > 0;) {
    const std::uint32_t v = order[k];
    const auto& n = table.nodes[v];
    const visit_mask all = visits_of_node(n, ends[v]);
    starts[v] = all & (~all + 1);
    for (std::size_t e = g.first_edge; n.kind == node_kind::junction && e < g.first_edge + g.edges; ++e) {
      const auto& x = table.edges[e];
      if (x.from == v && x.lag == 0) { starts[v] |= starts[x.to]; }
    }
    sink.say(all, n.parallelism, n.point);
  }
  for (std::size_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
    const auto& x = table.edges[e];
    if (x.lag > 0) { sink.history(ends[x.from], starts[x.to], x.lag); }
  }
}

/// Takes graphs without fault, node by node. A junction is no visit: what follows it follows all that it follows.
template <std::size_t N, std::size_t E, std::size_t G, class Sink>
constexpr void take_graphs_apart(const graph_table<ticks, N, E, G>& table, Sink& sink) {
  std::array<visit_mask, N> ends{};
  std::array<visit_mask, N> held{};  ///< of the section up to each node
  for (std::size_t i = 0; i < table.graphs.size(); ++i) {
    const auto& g = table.graphs[i];
    sink.open({.name = g.name, .period = g.period, .deadline = g.period, .core = g.cluster, .names_cluster = true});
    const auto order = topological_order(table, i);
    for (const std::uint32_t v : order) {
      visit_mask before = 0;
      for (std::size_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
        const bool is_before = table.edges[e].to == v && table.edges[e].lag == 0;
        if (is_before) { before |= ends[table.edges[e].from]; }
      }
      const auto& n = table.nodes[v];
      switch (n.kind) {
        case node_kind::junction: ends[v] = before; break;
        case node_kind::processor: ends[v] = sink.visit(cpu(duration{n.wcet}), before); break;
        case node_kind::copy: ends[v] = sink.visit(copy(duration{n.wcet}), before); break;
        case node_kind::kernel:
          ends[v] = add_segment(grid_kernel{{n.blocks, n.block_threads},
                                            duration{n.block_length},
                                            duration{n.launch},
                                            duration{n.await},
                                            n.split},
                                sink, before);
          break;
      }
      if (!n.mutex) { continue; }
      const auto follows = [&](std::uint32_t next) {
        const auto& a = table.nodes[next - 1];
        const auto& b = table.nodes[next];
        return a.owner == b.owner && a.mutex == b.mutex && a.section == b.section;
      };
      held[v] = visits_of_node(n, ends[v]);
      if constexpr (N > 1) {
        if (v > 0 && follows(v)) { held[v] |= held[v - 1]; }
      }
      if (v + 1 == table.nodes.size() || !follows(v + 1)) { sink.hold(n.mutex, held[v]); }
    }
    if constexpr (TakesGraphFacts<Sink>) { take_graph_facts(table, i, order, ends.data(), sink); }
  }
}

template <class Graphs, class Sink>
constexpr void take_apart(const Graphs& table, model_error known, Sink& sink) {
  if (!known) { known = fault_beside_locks(table); }
  if constexpr (!TakesGraphFacts<Sink>) {
    if (!known) { known = unheld_part(table); }
  }
  if (known) {
    sink.refuse(located(known, table.graphs));
  } else {
    take_graphs_apart(table, sink);
  }
}

}  // namespace detail

/// Graphs that were read from a file. A graph is a task whose deadline is its period.
template <std::size_t N, std::size_t E, std::size_t G>
struct visit_source<graph_table<ticks, N, E, G>> {
  using segments = detail::segment_list<>;
  static constexpr std::size_t max_tasks = G;
  static constexpr std::size_t max_visits = 3 * N;
  static constexpr bool needs_pools = false;

  template <VisitSink Sink>
  static constexpr void each(const graph_table<ticks, N, E, G>& table, Sink& sink) {
    detail::take_apart(table, {}, sink);
  }
};

template <std::size_t Nodes, std::size_t Edges>
struct visit_source<runtime_graph<Nodes, Edges>> : visit_source<graph_table<ticks, Nodes, Edges, 1>> {
  template <VisitSink Sink>
  static constexpr void each(const runtime_graph<Nodes, Edges>& graph, Sink& sink) {
    detail::take_apart(graph.table, graph.error, sink);
  }
};

namespace detail {

/// Sections of a node, with what is in them.
template <class P>
struct sections_in {
  using type = segment_list<>;
};
template <class Mutex, class... Segments>
struct sections_in<critical_section<Mutex, Segments...>> : segments_in<critical_section<Mutex, Segments...>> {};
template <class Node, class... Parts>
struct sections_in<locking_node<Node, Parts...>> : joined_segments<typename sections_in<Parts>::type...> {};

}  // namespace detail

template <class RuntimeTasks, class... Parts>
struct visit_source<detail::locking_graph<RuntimeTasks, Parts...>> : visit_source<RuntimeTasks> {
  using segments = typename detail::joined_segments<typename detail::sections_in<Parts>::type...>::type;
  static constexpr bool needs_pools = true;
};

template <class... Graphs>
struct visit_source<graph_set<Graphs...>> : visit_source<typename graph_set<Graphs...>::template table_type<ticks>> {
  using segments = typename detail::joined_segments<typename visit_source<Graphs>::segments...>::type;
  static constexpr bool needs_pools = (visit_source<Graphs>::needs_pools || ...);

  template <VisitSink Sink>
  static constexpr void each(const graph_set<Graphs...>& set, Sink& sink) {
    detail::take_apart(set.graphs, set.error, sink);
  }
};

}  // namespace takt::inline TAKT_ABI
