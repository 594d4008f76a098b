// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/rules/graph/feedback.hpp>
#include <takt/rules/graph/node_reach.hpp>
#include <takt/runtime/graph/graph_options.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

/// Numbers the nodes of one refined graph from 0, with its input and output as nodes of their own after them.
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

  /// Returns readers and the writers that they hold back, where these are not the ends of an edge. Of a node with
  /// several parts the last one may still read, and the first one write already.
  [[nodiscard]] auto holds() const -> const std::vector<std::pair<std::uint32_t, std::uint32_t>>& { return holds_; }

  /// Adds a use. Users of objects are the ends of the chains of their nodes. Returns false if one is not of this graph.
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
  /// Returns the first or last part of the run-time node that `v` is of. What joins several ends stands for them.
  [[nodiscard]] auto end_of(std::uint32_t v, bool last) const -> std::uint32_t {
    if (v >= input()) { return v; }
    const auto* const n = &refined_->nodes[refined_->graphs[graph_].first_node];
    if (n[v].part == node_part::source) { return input(); }
    if (n[v].part == node_part::sink) { return output(); }
    while (!last && v > 0 && n[v - 1].owner == n[v].owner) { --v; }
    while (last && v + 1 < input() && n[v + 1].owner == n[v].owner) { ++v; }
    return v;
  }
  /// Returns uses without those between two others of their object, which the waits of these two cover.
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

}  // namespace detail

/// Bounds the invocations of a graph, and the jobs of a node, that a run has room for at a time.
inline constexpr std::int64_t most_instances = 64;

/// Job j of `to` starts after the end of job j - `lag` of `from`. This is a token from a producer, with its history as
/// `lag`, or, with the places of a channel as `lag`, its consumer's permission to overwrite one.
struct job_wait {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t lag = 0;
};

struct laid_node {
  graph_node<ticks> node;
  ticks offset = 0;
  std::int64_t instances = 1;
  std::int32_t depth = 0;     ///< longest distance from the input of its graph
  std::int32_t priority = 0;  ///< the least goes first, where processors go by priority

  /// Returns whether it takes no time if nothing is bound to it.
  [[nodiscard]] auto is_free() const noexcept -> bool {
    return node.kind == node_kind::junction || (node.kind != node_kind::kernel && node.wcet == 0);
  }
};

/// In the waits of a graph its nodes count from 0, and its input and its output come after them.
struct laid_graph {
  graph_record<ticks> record;
  std::int64_t instances = 1;  ///< invocations under way at a time
  std::int64_t copies = 1;     ///< of its data objects
  std::vector<job_wait> waits;

  [[nodiscard]] auto input() const noexcept -> std::uint32_t { return record.nodes; }
  [[nodiscard]] auto output() const noexcept -> std::uint32_t { return record.nodes + 1; }
  /// Returns the copies of data that a job of a run-time node works on.
  [[nodiscard]] auto job(std::uint32_t graph, std::uint32_t node, std::int64_t number) const noexcept -> graph_job {
    return {graph, node, number, number % copies, copies};
  }
};

/// Holds refined graphs with room for all jobs that can be under way under a plan.
struct graph_layout {
  model_error error{};
  bool sound_uses = true;
  std::vector<laid_node> nodes;
  std::vector<laid_graph> graphs;
};

namespace detail {

/// Returns what keeps a plan from saying when and how often each node of a refined table may be under way.
template <class Table, std::size_t N, std::size_t V>
[[nodiscard]] auto graph_plan_fault(const Table& refined, const plan<N, V>& p, const plan_parts& used) -> model_error {
  const std::size_t nodes = refined.nodes.size();
  if (const auto error = parts_fault(p, used, refined.graphs.size(), nodes)) { return error; }
  if (p.offsets.size() != nodes || p.instances.size() != nodes) { return {.fault = model_fault::plan_incomplete}; }
  for (std::uint32_t v = 0; v < nodes; ++v) {
    if (p.offsets[v] < 0) {
      auto error = fault_at(model_fault::negative_time, refined.nodes[v].graph, v);
      error.value = p.offsets[v];
      error.has_value = true;
      return error;
    }
    if (p.instances[v] < 1 || p.instances[v] > most_instances) {
      auto error = fault_at(model_fault::instances_out_of_range, refined.nodes[v].graph, v);
      error.value = p.instances[v];
      error.limit = most_instances;
      error.has_value = error.has_limit = true;
      return error;
    }
  }
  return {};
}

/// Returns the places of a channel: what its producer brings is kept until the reader has ended.
[[nodiscard]] inline auto places_of(const graph_layout& laid, const graph_edge& edge, ticks period, bool early)
    -> std::int64_t {
  const laid_node& to = laid.nodes[edge.to];
  const ticks since = early ? 0 : laid.nodes[edge.from].offset;
  return std::max<std::int64_t>(1, node_reach(to.offset - since, period, to.instances));
}

template <class Table>
void lay_out_graph(const Table& refined, std::uint32_t graph, const graph_run_options& options, graph_layout& out) {
  laid_graph& own = out.graphs[graph];
  const auto& g = own.record;
  graph_waits<Table> waits{refined, graph};
  for (const graph_use& use : options.uses) {
    if (use.graph == graph && !waits.add_use(use)) { out.sound_uses = false; }
  }
  const std::int64_t copies = std::min(options.copies, most_instances);
  const auto feedback = waits.feedback_of(std::max<std::int64_t>(1, copies));
  out.sound_uses = out.sound_uses && feedback.complete;
  for (std::uint32_t v = 0; v < g.nodes; ++v) {
    laid_node& n = out.nodes[g.first_node + v];
    n.depth = feedback.depth[v];
    own.instances = std::max(own.instances, node_reach(n.offset, g.period, n.instances));
  }
  for (const token_edge& e : waits.forward()) { own.waits.push_back({e.from, e.to, e.initial}); }
  if (copies > 0) {
    own.instances = most_instances;
    own.copies = ring_size(copies, waits.longest_lag());
    for (std::size_t e = 0; e < feedback.edges.size(); ++e) {
      own.waits.push_back({feedback.edges[e].from, feedback.edges[e].to, feedback.edges[e].initial});
    }
    for (const auto& [reader, writer] : waits.holds()) { own.waits.push_back({reader, writer, copies}); }
  } else {
    own.copies = ring_size(std::min(own.instances, most_instances), waits.longest_lag());
    for (std::uint32_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
      const graph_edge& edge = refined.edges[e];
      const std::int64_t room = places_of(out, edge, g.period, options.early_release);
      own.waits.push_back({edge.to - g.first_node, edge.from - g.first_node, room});
    }
  }
  own.waits.push_back({waits.output(), waits.input(), own.instances});
}

}  // namespace detail

/// Parts of a plan that every run of graphs uses.
inline constexpr plan_parts parts_of_graphs{.offsets = true, .instances = true};

/// Returns room as a plan asks for. A job of a node is under way for as many periods as it has instances; what an edge
/// brings is kept until its reader has ended. By priority, nodes farther down their graph go first, so that what is
/// begun is ended: the priority of a graph is that of its deepest node. Source: Elliott 2015, section 5.4.1. Error:
/// `plan_incomplete`, `instances_out_of_range` with the limit, others of the plan. Pre: `validate` and `fits` found
/// nothing; the table is refined.
template <class Table, std::size_t N, std::size_t V>
[[nodiscard]] auto make_graph_layout(const Table& refined, const plan<N, V>& p, const graph_run_options& options,
                                     const plan_parts& used = parts_of_graphs) -> graph_layout {
  graph_layout out;
  out.error = detail::graph_plan_fault(refined, p, used);
  if (out.error) { return out; }
  for (std::size_t v = 0; v < refined.nodes.size(); ++v) {
    const auto& n = refined.nodes[v];
    std::int64_t instances = p.instances[v];
    if (n.parallelism != unrestricted_parallelism) { instances = std::min(instances, n.parallelism); }
    out.nodes.push_back({n, p.offsets[v], instances, 0, 0});
  }
  for (std::uint32_t i = 0; i < refined.graphs.size(); ++i) {
    out.graphs.push_back({refined.graphs[i], 1, 1, {}});
    detail::lay_out_graph(refined, i, options, out);
    if (out.graphs[i].instances <= most_instances) { continue; }
    out.error = fault_at(model_fault::instances_out_of_range, i);
    out.error.value = out.graphs[i].instances;
    out.error.limit = most_instances;
    out.error.has_value = out.error.has_limit = true;
    return out;
  }
  std::int32_t deepest = 0;
  for (const laid_node& n : out.nodes) { deepest = std::max(deepest, n.depth); }
  for (laid_node& n : out.nodes) {
    const std::int32_t of_graph = n.node.graph < p.priorities.size() ? p.priorities[n.node.graph] : 0;
    n.priority = of_graph + deepest - n.depth;
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::runtime
