// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/choice.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI {

/// Says who makes the copies of a refined graph.
enum class copy_placement : std::uint8_t {
  processor,  ///< a CPU node, which counts the whole copy as execution
  engine,     ///< a node of its own on the copy engines
};
[[nodiscard]] constexpr auto last_of(copy_placement) noexcept -> copy_placement { return copy_placement::engine; }
[[nodiscard]] constexpr auto copies_on_processor(copy_placement copies) noexcept -> bool {
  switch (copies) {
    case copy_placement::processor: return true;
    case copy_placement::engine: return false;
  }
  return false;
}

/// Three nodes for each node, and two more for each graph.
template <class Table>
using refined_table = graph_table<typename Table::number, 3 * Table::max_nodes + 2 * Table::max_graphs,
                                  Table::max_edges + 4 * Table::max_nodes, Table::max_graphs>;

namespace detail {

struct node_span {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

template <class Number>
[[nodiscard]] constexpr auto cpu_part(graph_node<Number> n, node_part part, const Number& wcet) -> graph_node<Number> {
  n.kind = node_kind::processor;
  n.part = part;
  n.split = false;
  n.wcet = wcet;
  n.block_length = Number(0);
  n.blocks = 0;
  n.block_threads = 0;
  n.launch = Number(0);
  n.await = Number(0);
  return n;
}

template <class Number>
[[nodiscard]] constexpr auto junction(node_part part) -> graph_node<Number> {
  graph_node<Number> n;
  n.kind = node_kind::junction;
  n.part = part;
  n.owner = no_index;
  return n;
}

template <class Out, class Number>
[[nodiscard]] constexpr auto add_parts(Out& out, graph_node<Number> n, copy_placement copies) -> node_span {
  const auto first = static_cast<std::uint32_t>(out.nodes.size());
  if (n.kind != node_kind::kernel || !n.split) {
    if (n.kind == node_kind::copy && copies_on_processor(copies)) { n.kind = node_kind::processor; }
    if (n.kind == node_kind::kernel) { n.part = node_part::kernel; }
    static_cast<void>(out.append(n));
    return {first, first};
  }
  const auto launch = cpu_part(n, node_part::launch, n.launch);
  const auto await = cpu_part(n, node_part::await, n.await);
  n.part = node_part::kernel;
  n.split = false;
  n.launch = Number(0);
  n.await = Number(0);
  static_cast<void>(out.append(launch) && out.append(n) && out.append(await));
  return {first, first + 2};
}

}  // namespace detail

/// Returns graphs in which every node needs one resource, with one source and one sink each (Yang et al. 2018, sections
/// 2 and 3). A kernel that is `split` becomes launch, kernel and await. A source before several sources comes first and
/// a sink after several sinks last; both take no time. Edges of each graph: inside the kernels, in the order of nodes;
/// the given ones without a lag; those of the source and the sink; those with a lag. Pre: `validate` finds nothing, or
/// mutexes. Error: no graph where `copies` is unknown.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto refine(const graph_table<Number, N, E, G>& table,
                                    copy_placement copies = copy_placement::processor)
    -> refined_table<graph_table<Number, N, E, G>> {
  TAKT_EXPECTS_IN_TESTS(!detail::fault_beside_locks(table));
  refined_table<graph_table<Number, N, E, G>> out;
  if (!is_known(copies)) { return out; }
  out.owners = table.owners;
  std::array<detail::node_span, N> at{};
  std::array<bool, N> entered{};
  std::array<bool, N> left{};
  for (std::size_t e = 0; e < table.edges.size(); ++e) {
    if (table.edges[e].lag != 0) { continue; }
    left[table.edges[e].from] = true;
    entered[table.edges[e].to] = true;
  }
  for (std::size_t i = 0; i < table.graphs.size(); ++i) {
    const auto& g = table.graphs[i];
    const std::size_t end = g.first_node + g.nodes;
    static_cast<void>(out.add_graph(g.name, g.period, g.cluster));
    std::size_t sources = 0;
    std::size_t sinks = 0;
    for (std::size_t v = g.first_node; v < end; ++v) {
      sources += entered[v] ? 0U : 1U;
      sinks += left[v] ? 0U : 1U;
    }
    const auto source = static_cast<std::uint32_t>(out.nodes.size());
    if (sources > 1) { static_cast<void>(out.append(detail::junction<Number>(node_part::source))); }
    for (std::size_t v = g.first_node; v < end; ++v) { at[v] = detail::add_parts(out, table.nodes[v], copies); }
    const auto sink = static_cast<std::uint32_t>(out.nodes.size());
    if (sinks > 1) { static_cast<void>(out.append(detail::junction<Number>(node_part::sink))); }
    for (std::size_t v = g.first_node; v < end; ++v) {
      for (std::uint32_t part = at[v].first; part < at[v].last; ++part) {
        static_cast<void>(out.add_edge(part, part + 1));
      }
    }
    const std::size_t last_edge = g.first_edge + g.edges;
    const auto add_edges = [&](bool with_lag) {
      for (std::size_t e = g.first_edge; e < last_edge; ++e) {
        const graph_edge& edge = table.edges[e];
        if ((edge.lag != 0) == with_lag) {
          static_cast<void>(out.add_edge(at[edge.from].last, at[edge.to].first, edge.lag));
        }
      }
    };
    add_edges(false);
    for (std::size_t v = g.first_node; sources > 1 && v < end; ++v) {
      if (!entered[v]) { static_cast<void>(out.add_edge(source, at[v].first)); }
    }
    for (std::size_t v = g.first_node; sinks > 1 && v < end; ++v) {
      if (!left[v]) { static_cast<void>(out.add_edge(at[v].last, sink)); }
    }
    add_edges(true);
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI
