// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include <takt/model/graph/graph_table.hpp>
#include <takt/rules/graph/feedback.hpp>
#include <takt/runtime/graph/graph_options.hpp>

namespace takt::runtime::detail {

/// The nodes of one refined graph, numbered from 0, with its input and output as nodes of their own after them.
template <class Table>
class graph_waits {
 public:
  static constexpr std::size_t max_nodes = Table::max_nodes + 2;
  static constexpr std::size_t max_edges = Table::max_edges + 2 * Table::max_nodes;
  using feedback = feedback_graph<max_nodes, 4 * max_edges>;

  graph_waits(const Table& refined, std::uint32_t graph) : refined_{&refined}, graph_{graph} {
    const auto& g = refined.graphs[graph];
    std::vector<bool> entered(g.nodes);
    std::vector<bool> left(g.nodes);
    for (std::uint32_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
      const graph_edge& edge = refined.edges[e];
      forward_.push_back({.from = edge.from - g.first_node, .to = edge.to - g.first_node, .initial = edge.lag});
      longest_lag_ = std::max<std::int64_t>(longest_lag_, edge.lag);
      if (edge.lag != 0) { continue; }
      left[edge.from - g.first_node] = true;
      entered[edge.to - g.first_node] = true;
    }
    for (std::uint32_t v = 0; v < g.nodes; ++v) {
      if (!entered[v]) { forward_.push_back({.from = input(), .to = v}); }
      if (!left[v]) { forward_.push_back({.from = v, .to = output()}); }
    }
    for (const token_edge& e : forward_) {
      const std::uint32_t reader = end_of(e.to, true);
      const std::uint32_t writer = end_of(e.from, false);
      if (reader != writer && (reader != e.to || writer != e.from)) { holds_.emplace_back(reader, writer); }
    }
  }

  [[nodiscard]] auto input() const -> std::uint32_t { return refined_->graphs[graph_].nodes; }
  [[nodiscard]] auto output() const -> std::uint32_t { return input() + 1; }
  [[nodiscard]] auto longest_lag() const -> std::int64_t { return longest_lag_; }
  [[nodiscard]] auto forward() const -> const std::vector<token_edge>& { return forward_; }

  /// Readers and the writers that they hold back, where these are not the ends of an edge: of a node with several parts
  /// the last one may still read, and the first one write already.
  [[nodiscard]] auto holds() const -> const std::vector<std::pair<std::uint32_t, std::uint32_t>>& { return holds_; }

  /// Users of objects are the ends of the chains of their nodes. False if one is not of this graph.
  [[nodiscard]] auto add_use(const graph_use& use) -> bool {
    if (use.node == input_node || use.node == output_node) {
      uses_.push_back({use.object, use.node == input_node ? input() : output()});
      return true;
    }
    const auto& g = refined_->graphs[graph_];
    const std::size_t before = uses_.size();
    for (std::uint32_t v = 0; v < g.nodes; ++v) {
      if (refined_->nodes[g.first_node + v].owner == use.node) { uses_.push_back({use.object, v}); }
    }
    return uses_.size() > before;
  }
  [[nodiscard]] auto feedback_of(std::int64_t copies) const -> feedback {
    return make_feedback<max_nodes, 4 * max_edges>(input() + 2, forward_, outer_uses(), copies);
  }

 private:
  /// The first or last part of the described node that `v` is of; what joins several ends stands for what is there.
  [[nodiscard]] auto end_of(std::uint32_t v, bool last) const -> std::uint32_t {
    if (v >= input()) { return v; }
    const auto* const n = &refined_->nodes[refined_->graphs[graph_].first_node];
    if (n[v].part == node_part::source) { return input(); }
    if (n[v].part == node_part::sink) { return output(); }
    while (!last && v > 0 && n[v - 1].owner == n[v].owner) { --v; }
    while (last && v + 1 < input() && n[v + 1].owner == n[v].owner) { ++v; }
    return v;
  }
  /// Uses without those between two others of their object, to which the waits of these two extend.
  [[nodiscard]] auto outer_uses() const -> std::vector<object_use> {
    std::vector<std::vector<bool>> after(input() + 2, std::vector<bool>(input() + 2));
    for (bool changed = true; changed;) {
      changed = false;
      for (const token_edge& e : forward_) {
        for (std::uint32_t v = 0; e.initial == 0 && v < after.size(); ++v) {
          if (after[e.to][v] || (v != e.from && !after[e.from][v])) { continue; }
          after[e.to][v] = changed = true;
        }
      }
    }
    const auto some = [this](const object_use& own, auto comes) {
      return std::ranges::any_of(uses_, [&](const object_use& u) { return u.object == own.object && comes(u.node); });
    };
    std::vector<object_use> out;
    std::ranges::copy_if(uses_, std::back_inserter(out), [&](const object_use& u) {
      return !some(u, [&](std::uint32_t v) { return after[v][u.node]; }) ||
             !some(u, [&](std::uint32_t v) { return after[u.node][v]; });
    });
    return out;
  }

  const Table* refined_;
  std::uint32_t graph_;
  std::vector<token_edge> forward_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> holds_;
  std::vector<object_use> uses_;
  std::int64_t longest_lag_ = 0;
};

}  // namespace takt::runtime::detail
