// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/exact.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Holds graphs that were changed, or why they could not be.
template <class Table>
struct reshaped_graphs {
  model_error error{};
  Table table;
};

namespace detail {

/// Returns for every node the first node of its cycle, itself if it is on none.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto cycle_heads(const graph_table<Number, N, E, G>& table) -> std::array<std::uint32_t, N> {
  const std::size_t nodes = table.nodes.size();
  std::array<std::array<bool, N>, N> reaches{};
  for (std::size_t e = 0; e < table.edges.size(); ++e) { reaches[table.edges[e].from][table.edges[e].to] = true; }
  for (std::size_t k = 0; k < nodes; ++k) {
    for (std::size_t v = 0; v < nodes; ++v) {
      for (std::size_t w = 0; reaches[v][k] && w < nodes; ++w) { reaches[v][w] = reaches[v][w] || reaches[k][w]; }
    }
  }
  std::array<std::uint32_t, N> head{};
  for (std::uint32_t v = 0; v < nodes; ++v) {
    head[v] = v;
    for (std::uint32_t w = v; w-- > 0;) {
      if (reaches[v][w] && reaches[w][v]) { head[v] = w; }
    }
  }
  return head;
}

}  // namespace detail

/// Returns graphs without the history edges inside of cycles. Those nodes then take the newest data there is, which is
/// another meaning: the caller must want it. Pre: `validate` found nothing. Cost: nodes^3.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto relax_cycles(const graph_table<Number, N, E, G>& table) -> graph_table<Number, N, E, G> {
  TAKT_EXPECTS_IN_TESTS(!validate(table));
  const auto head = detail::cycle_heads(table);
  auto out = table;
  out.edges.clear();
  for (std::size_t i = 0; i < table.graphs.size(); ++i) {
    const auto& g = table.graphs[i];
    out.graphs[i].first_edge = static_cast<std::uint32_t>(out.edges.size());
    for (std::size_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
      const graph_edge& edge = table.edges[e];
      // Bound: at most the edges of the table.
      if (edge.lag == 0 || head[edge.from] != head[edge.to]) { out.edges.unchecked_push_back(edge); }
    }
    out.graphs[i].edges = static_cast<std::uint32_t>(out.edges.size()) - out.graphs[i].first_edge;
  }
  return out;
}

/// Returns graphs in which each cycle of CPU nodes is one node. It runs their jobs of an invocation one after another.
/// Its own job j runs after its job j - P. P is the greatest common divisor of the lags inside the cycle, and 1 if one
/// of its nodes is limited itself. It stands where the first node of the cycle stood and bears its name. Error:
/// `cycle_without_history` if a kernel or a copy is on a cycle, `time_overflow`. Pre: `validate` found nothing. Cost:
/// nodes^3. Source: Yang et al. 2018, footnote 3, names the idea; the limit on parallelism is that of a self-edge of
/// lag P.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto merge_cycles(const graph_table<Number, N, E, G>& table)
    -> reshaped_graphs<graph_table<Number, N, E, G>> {
  TAKT_EXPECTS_IN_TESTS(!validate(table));
  const auto head = detail::cycle_heads(table);
  std::array<std::int32_t, N> lag{};
  for (std::size_t e = 0; e < table.edges.size(); ++e) {
    const graph_edge& edge = table.edges[e];
    const std::uint32_t h = head[edge.from];
    if (edge.lag == 0 || h != head[edge.to]) { continue; }
    lag[h] = greatest_common_divisor(lag[h], edge.lag);
  }
  reshaped_graphs<graph_table<Number, N, E, G>> out;
  std::array<std::uint32_t, N> at{};
  for (std::uint32_t i = 0; i < table.graphs.size(); ++i) {
    const auto& g = table.graphs[i];
    static_cast<void>(out.table.add_graph(g.name, g.period, g.cluster));
    for (std::uint32_t v = g.first_node; v < g.first_node + g.nodes; ++v) {
      auto n = table.nodes[v];
      const std::uint32_t h = head[v];
      const bool cpu = n.kind == node_kind::processor || n.kind == node_kind::junction;
      if (lag[h] != 0 && !cpu) {
        out.error = {model_fault::cycle_without_history, i, v};
        return out;
      }
      if (h != v) {
        at[v] = at[h];
        auto& merged = out.table.nodes[at[h]];
        merged.kind = node_kind::processor;
        if (n.parallelism != unrestricted_parallelism) { merged.parallelism = 1; }
        if (!add_exactly(merged.wcet, n.wcet, merged.wcet)) {
          out.error = {model_fault::time_overflow, i, v};
          return out;
        }
        continue;
      }
      at[v] = static_cast<std::uint32_t>(out.table.nodes.size());
      if (lag[v] != 0) {
        n.parallelism = n.parallelism == unrestricted_parallelism ? lag[v] : 1;
        n.limit = job_limit::distance;
      }
      n.owner = out.table.owners++;
      n.segment = 0;
      static_cast<void>(out.table.append(n));
    }
    for (std::size_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
      const graph_edge moved{at[table.edges[e].from], at[table.edges[e].to], table.edges[e].lag};
      bool known = moved.from == moved.to;
      for (std::size_t other = out.table.graphs[i].first_edge; other < out.table.edges.size(); ++other) {
        known = known || out.table.edges[other] == moved;
      }
      if (!known) { static_cast<void>(out.table.add_edge(moved.from, moved.to, moved.lag)); }
    }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
