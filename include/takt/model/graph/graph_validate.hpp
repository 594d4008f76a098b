// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <takt/core/choice.hpp>
#include <takt/core/exact.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/graph/topological_order.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/warps.hpp>

namespace takt::inline TAKT_ABI {

/// Returns the nodes of one graph such that every edge without a lag leads forward.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto topological_order(const graph_table<Number, N, E, G>& table, std::size_t graph)
    -> inline_vector<std::uint32_t, N> {
  const auto& g = table.graphs[graph];
  const std::span<const graph_edge> edges(table.edges.begin() + g.first_edge, g.edges);
  return topological_order<N>(g.first_node, g.nodes, edges, [](const graph_edge& e) { return e.lag == 0; });
}

namespace detail {

/// The longest time that is accepted: sums of longer ones over the nodes of a graph need not fit 64 bits.
inline constexpr ticks longest_graph_time = std::numeric_limits<ticks>::max() / 4096;

template <class Number>
[[nodiscard]] constexpr auto graph_time_fits(const Number& value) -> bool {
  if constexpr (number_traits<Number>::integral) {
    return value <= longest_graph_time;
  } else {
    return is_number(value);
  }
}

template <class Number>
[[nodiscard]] constexpr auto node_fault(const graph_node<Number>& n) -> model_fault {
  const Number zero(0);
  if (!is_known(n.kind) || !is_known(n.part) || !is_known(n.limit)) { return model_fault::choice_out_of_range; }
  if (n.wcet < zero || n.block_length < zero || n.launch < zero || n.await < zero) {
    return model_fault::negative_time;
  }
  if (!graph_time_fits(n.wcet) || !graph_time_fits(n.block_length) || !graph_time_fits(n.launch) ||
      !graph_time_fits(n.await)) {
    return model_fault::time_overflow;
  }
  if (n.parallelism < 0) { return model_fault::negative_parallelism; }
  if (n.kind == node_kind::kernel && (n.blocks < 1 || !is_block_size(n.block_threads) || n.block_length == zero)) {
    return model_fault::kernel_shape_out_of_range;
  }
  return model_fault::none;
}

template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto first_node_error(const graph_table<Number, N, E, G>& table, std::size_t graph)
    -> model_error {
  const auto& g = table.graphs[graph];
  const auto at = static_cast<std::uint32_t>(graph);
  for (std::uint32_t v = g.first_node; v < g.first_node + g.nodes; ++v) {
    const auto& n = table.nodes[v];
    if (const auto fault = node_fault(n); fault != model_fault::none) { return {fault, at, v}; }
    for (std::uint32_t w = g.first_node; w < v; ++w) {
      if (table.nodes[w].owner != n.owner && table.nodes[w].name == n.name && n.kind != node_kind::junction) {
        return {model_fault::duplicate_name, at, v};
      }
    }
  }
  return {};
}

template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto first_edge_error(const graph_table<Number, N, E, G>& table, std::size_t graph)
    -> model_error {
  const auto& g = table.graphs[graph];
  const auto at = static_cast<std::uint32_t>(graph);
  const auto outside = [&g](std::uint32_t v) { return v < g.first_node || v >= g.first_node + g.nodes; };
  for (std::uint32_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
    const graph_edge& edge = table.edges[e];
    if (outside(edge.from) || outside(edge.to)) { return {model_fault::unknown_node, at, no_index, e}; }
    if (edge.lag < 0) { return {model_fault::lag_not_positive, at, no_index, e}; }
    for (std::uint32_t other = g.first_edge; other < e; ++other) {
      if (table.edges[other] == edge) { return {model_fault::duplicate_edge, at, no_index, e}; }
    }
  }
  const auto order = topological_order(table, graph);
  if (order.size() == g.nodes) { return {}; }
  for (std::uint32_t v = g.first_node; v < g.first_node + g.nodes; ++v) {
    bool sorted = false;
    for (std::size_t k = 0; k < order.size(); ++k) { sorted = sorted || order[k] == v; }
    if (!sorted) { return {model_fault::cycle_without_history, at, v}; }
  }
  return {};
}

template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto first_fault(const graph_table<Number, N, E, G>& table) -> model_error {
  if (table.graphs.empty()) { return {model_fault::no_node}; }
  for (std::uint32_t i = 0; i < table.graphs.size(); ++i) {
    const auto& g = table.graphs[i];
    if (g.nodes == 0) { return {model_fault::no_node, i}; }
    if (g.period <= Number(0)) { return {model_fault::period_not_positive, i}; }
    if (!detail::graph_time_fits(g.period)) { return {model_fault::time_overflow, i}; }
    if (g.cluster < 0) { return {model_fault::cluster_out_of_range, i}; }
    for (std::size_t other = 0; other < i; ++other) {
      if (table.graphs[other].name == g.name) { return {model_fault::duplicate_name, i}; }
    }
    if (const auto error = detail::first_node_error(table, i)) { return error; }
    if (const auto error = detail::first_edge_error(table, i)) { return error; }
  }
  return {};
}

/// Returns what is wrong with graphs on a board that may have mutexes.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto fault_beside_locks(const graph_table<Number, N, E, G>& table) -> model_error {
  return located(first_fault(table), table.graphs);
}

}  // namespace detail

/// Returns the first thing that is wrong with graphs whatever they run on, for hosts and analyses that know no mutexes.
/// Cost: per graph, nodes^2 name comparisons, edges^2 and nodes x edges steps.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto validate(const graph_table<Number, N, E, G>& table) -> model_error {
  if (const auto error = detail::fault_beside_locks(table)) { return error; }
  for (std::uint32_t v = 0; v < table.nodes.size(); ++v) {
    if (table.nodes[v].mutex) {
      return located({model_fault::mutex_without_pool, table.nodes[v].graph, v}, table.graphs);
    }
  }
  return {};
}
/// Returns what is wrong with graphs in any form.
template <class T>
[[nodiscard]] constexpr auto fault_of_graphs(const T& graphs) -> model_error {
  if constexpr (requires { graphs.fault(); }) {
    return graphs.fault();
  } else {
    return validate(graphs.template flat<ticks>());
  }
}

}  // namespace takt::inline TAKT_ABI
