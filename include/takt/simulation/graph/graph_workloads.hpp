// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/model/gel_task.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/rules/block_placement.hpp>
#include <takt/rules/gel.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// A piece of a job: CPU time, or a kernel or a copy during which the job suspends.
template <ExactNumber Number>
struct graph_step {
  node_kind kind = node_kind::processor;
  Number length{};  ///< CPU time, time of one block, or time of the copy
  std::int64_t blocks = 0;
  block_footprint block{};
  bool signals = false;       ///< CPU time in which the job hands on its results
  std::uint32_t segment = 0;  ///< in a trace
};

/// Nominal releases of the task follow from its tokens alone.
inline constexpr std::int32_t no_clock = -1;

/// A node as it is scheduled. Its jobs are its chain of steps.
template <ExactNumber Number>
struct graph_task {
  std::uint32_t graph = 0;
  std::size_t first_step = 0;
  std::size_t steps = 0;
  std::int32_t cluster = 0;
  /// So many of the oldest unfinished jobs may run; with `unrestricted_parallelism` all may.
  std::int64_t parallelism = unrestricted_parallelism;
  /// Job j is nominally released `offset` after invocation j of this clock. A job without a clock is released when its
  /// tokens are there, but not before `period` after the nominal release before.
  std::int32_t clock = no_clock;
  Number period{};
  Number offset{};
  fraction_of<Number> priority_point{};  ///< after the nominal release
  bool guarded = false;  ///< its jobs enter their queue in order and `period` apart; only for a single kernel or copy
  bool is_sink = false;  ///< its ends are ends of the graph
};

/// Job j of `to` waits for job j - `lag` of `from`, or, with `produce` set, for tokens: `lag` are there at the start,
/// and each job of `from` adds `produce`. A job of `to` takes `consume` and starts with at least `threshold`.
struct graph_dependency {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t lag = 0;
  std::int64_t produce = 0;
  std::int64_t consume = 1;
  std::int64_t threshold = 1;
  bool feedback = false;  ///< holds a job back, but does not move its nominal release
};

/// Holds what a graph simulator runs. Tasks stand in the order of their graphs and, inside, in that of their nodes.
template <ExactNumber Number>
struct graph_workload {
  std::vector<std::int32_t> clusters;  ///< CPUs of each
  std::vector<graph_step<Number>> steps;
  std::vector<graph_task<Number>> tasks;
  std::vector<graph_dependency> dependencies;
  std::vector<std::int32_t> clocks;  ///< of each graph, from which its responses count
};

namespace detail {

template <ExactNumber Number>
void add_cpu_step(graph_workload<Number>& out, const Number& length, std::uint32_t segment) {
  if (!(Number(0) < length)) { return; }
  out.steps.push_back({.kind = node_kind::processor, .length = length, .segment = segment});
}
template <ExactNumber Number>
void add_steps(graph_workload<Number>& out, const graph_node<Number>& n, std::uint32_t segment, copy_placement copies) {
  switch (n.kind) {
    case node_kind::junction: return;
    case node_kind::processor: return add_cpu_step(out, n.wcet, segment);
    case node_kind::copy:
      if (copies_on_processor(copies)) { return add_cpu_step(out, n.wcet, segment); }
      if (Number(0) < n.wcet) { out.steps.push_back({.kind = node_kind::copy, .length = n.wcet, .segment = segment}); }
      return;
    case node_kind::kernel:
      if (n.split) { add_cpu_step(out, n.launch, segment); }
      out.steps.push_back({.kind = node_kind::kernel,
                           .length = n.block_length,
                           .blocks = n.blocks,
                           .block = {n.block_threads},
                           .segment = segment});
      if (n.split) { add_cpu_step(out, n.await, segment); }
      return;
  }
}

/// Returns whether the oldest unfinished jobs of a limited node may run, not those that find an earlier one finished.
[[nodiscard]] constexpr auto limits_slots(job_limit limit) noexcept -> bool {
  switch (limit) {
    case job_limit::slots: return true;
    case job_limit::distance: return false;
  }
  return false;
}

/// Sequential tasks with their periods as relative priority points, of nodes that do their steps one after the other.
/// `order`: all nodes, those of the first task first; `task_of(node)`.
template <ExactNumber Number, class Table, class Order, class TaskOf>
[[nodiscard]] auto tasks_of_nodes(const Table& table, std::span<const std::int32_t> clusters, copy_placement copies,
                                  const Order& order, const TaskOf& task_of) -> graph_workload<Number> {
  graph_workload<Number> out;
  out.clusters.assign(clusters.begin(), clusters.end());
  for (std::int32_t g = 0; g < static_cast<std::int32_t>(table.graphs.size()); ++g) { out.clocks.push_back(g); }
  std::vector<std::uint32_t> first;  // node of each task
  for (std::uint32_t v = 0; v < table.nodes.size(); ++v) {
    if (task_of(v) == first.size()) { first.push_back(v); }
  }
  for (const std::uint32_t v : order) {
    const auto& n = table.nodes[v];
    const auto& g = table.graphs[n.graph];
    if (task_of(v) == out.tasks.size()) {
      graph_task<Number>& t = out.tasks.emplace_back();
      t.graph = n.graph;
      t.first_step = out.steps.size();
      t.cluster = g.cluster;
      t.parallelism = 1;
      t.clock = static_cast<std::int32_t>(n.graph);
      t.period = g.period;
      t.priority_point = fraction_of<Number>(g.period);
      t.is_sink = true;
    }
    add_steps(out, n, v - first[task_of(v)], copies);
    out.tasks.back().steps = out.steps.size() - out.tasks.back().first_step;
  }
  for (const graph_edge& edge : table.edges) {
    const std::uint32_t from = task_of(edge.from);
    const std::uint32_t to = task_of(edge.to);
    if (from == to && edge.lag == 0) { continue; }
    out.dependencies.push_back({.from = from, .to = to, .lag = edge.lag});
    if (edge.lag == 0) { out.tasks[from].is_sink = false; }
  }
  return out;
}
/// Makes a workload of all nodes as they are.
template <class Table>
[[nodiscard]] auto nodes_in_order(const Table& table) -> std::vector<std::uint32_t> {
  std::vector<std::uint32_t> out(table.nodes.size());
  std::iota(out.begin(), out.end(), 0U);
  return out;
}

}  // namespace detail

/// The relative priority points of the nodes of a refined table under a policy, for clusters of so many CPUs.
template <ExactNumber Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] auto node_points(const graph_table<Number, N, E, G>& refined, std::span<const std::int32_t> clusters,
                               gel_policy policy) -> std::vector<fraction_of<Number>> {
  std::vector<fraction_of<Number>> out;
  for (std::size_t v = 0; v < refined.nodes.size(); ++v) {
    const auto& n = refined.nodes[v];
    const auto& g = refined.graphs[n.graph];
    const gel_task<Number> t{
        .name = n.name, .wcet = n.wcet, .period = g.period, .deadline = g.period, .point = n.point};
    out.push_back(relative_point(policy, t, clusters[static_cast<std::size_t>(g.cluster)]));
  }
  return out;
}

/// Every node of a refined table is a task that starts `offsets[node]` after its invocation, with the relative priority
/// points `points[node]`; kernels and copies are guarded. With clock g for graph g.
template <ExactNumber Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] auto fine_workload(const graph_table<Number, N, E, G>& refined, std::span<const std::int32_t> clusters,
                                 std::span<const Number> offsets, std::span<const fraction_of<Number>> points)
    -> graph_workload<Number> {
  auto out = detail::tasks_of_nodes<Number>(refined, clusters, copy_placement::engine, detail::nodes_in_order(refined),
                                            [](std::uint32_t v) { return v; });
  for (std::uint32_t v = 0; v < refined.nodes.size(); ++v) {
    const auto& n = refined.nodes[v];
    const bool slots = detail::limits_slots(n.limit);
    graph_task<Number>& t = out.tasks[v];
    t.parallelism = slots ? n.parallelism : unrestricted_parallelism;
    t.offset = offsets[v];
    t.priority_point = points[v];
    t.guarded = t.steps == 1 && n.kind != node_kind::processor;
    if (!slots && n.parallelism != unrestricted_parallelism) {
      out.dependencies.push_back({.from = v, .to = v, .lag = n.parallelism, .feedback = true});
    }
  }
  return out;
}

/// Every run-time node is a sequential task that suspends during its kernels, with its period as relative priority
/// point and, by position of the run-time node, the given offset. `copies` as in `refine`.
template <ExactNumber Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] auto coarse_workload(const graph_table<Number, N, E, G>& table, std::span<const std::int32_t> clusters,
                                   std::span<const Number> offsets, copy_placement copies = copy_placement::processor)
    -> graph_workload<Number> {
  auto out = detail::tasks_of_nodes<Number>(table, clusters, copies, detail::nodes_in_order(table),
                                            [&table](std::uint32_t v) { return table.nodes[v].owner; });
  for (std::size_t t = 0; t < out.tasks.size(); ++t) { out.tasks[t].offset = offsets[t]; }
  return out;
}

/// Every graph is one sequential task, with its nodes one after the other and its period as relative priority point.
template <ExactNumber Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] auto monolithic_workload(const graph_table<Number, N, E, G>& table,
                                       std::span<const std::int32_t> clusters,
                                       copy_placement copies = copy_placement::processor) -> graph_workload<Number> {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < table.graphs.size(); ++i) {
    for (const std::uint32_t v : topological_order(table, i)) { order.push_back(v); }
  }
  auto out = detail::tasks_of_nodes<Number>(table, clusters, copies, order,
                                            [&table](std::uint32_t v) { return table.nodes[v].graph; });
  out.dependencies.clear();  // an invocation waits for the one before, and so for all history
  return out;
}

}  // namespace takt::inline TAKT_ABI::simulation
