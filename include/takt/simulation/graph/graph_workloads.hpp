// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/model/gel_task.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/rules/gel.hpp>
#include <takt/simulation/graph/graph_workload.hpp>

namespace takt::simulation {

namespace detail {

template <ExactNumber Number>
void add_cpu_step(graph_workload<Number>& out, const Number& length, std::uint32_t segment) {
  if (!(Number(0) < length)) { return; }
  out.steps.push_back({.kind = node_kind::processor, .length = length, .segment = segment});
}
template <ExactNumber Number>
void add_steps(graph_workload<Number>& out, const graph_node<Number>& n, std::uint32_t segment,
               copy_placement copies = copy_placement::engine) {
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

/// Whether of a limited node the oldest unfinished jobs may run, rather than those that find an earlier one finished.
[[nodiscard]] constexpr auto limits_slots(job_limit limit) noexcept -> bool {
  switch (limit) {
    case job_limit::slots: return true;
    case job_limit::distance: return false;
  }
  return false;
}

template <ExactNumber Number, class Table>
void mark_sinks(graph_workload<Number>& w, const Table& table, std::span<const std::uint32_t> task_of) {
  for (auto& t : w.tasks) { t.is_sink = true; }
  for (std::size_t e = 0; e < table.edges.size(); ++e) {
    const graph_edge& edge = table.edges[e];
    if (edge.lag == 0 && task_of[edge.from] != task_of[edge.to]) { w.tasks[task_of[edge.from]].is_sink = false; }
  }
}

template <ExactNumber Number, class Table>
[[nodiscard]] auto empty_workload(const Table& table, std::span<const std::int32_t> clusters)
    -> graph_workload<Number> {
  graph_workload<Number> out;
  out.clusters.assign(clusters.begin(), clusters.end());
  for (std::size_t g = 0; g < table.graphs.size(); ++g) { out.clocks.push_back(static_cast<std::int32_t>(g)); }
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
  auto out = detail::empty_workload<Number>(refined, clusters);
  std::vector<std::uint32_t> task_of;
  for (std::uint32_t v = 0; v < refined.nodes.size(); ++v) {
    const auto& n = refined.nodes[v];
    const auto& g = refined.graphs[n.graph];
    const bool slots = detail::limits_slots(n.limit);
    graph_task<Number> t;
    t.graph = n.graph;
    t.first_step = out.steps.size();
    detail::add_steps(out, n, 0);
    t.steps = out.steps.size() - t.first_step;
    t.cluster = g.cluster;
    t.parallelism = slots ? n.parallelism : unrestricted_parallelism;
    t.clock = static_cast<std::int32_t>(n.graph);
    t.period = g.period;
    t.offset = offsets[v];
    t.priority_point = points[v];
    t.guarded = t.steps == 1 && n.kind != node_kind::processor;
    out.tasks.push_back(t);
    task_of.push_back(v);
    if (!slots && n.parallelism != unrestricted_parallelism) {
      out.dependencies.push_back({.from = v, .to = v, .lag = n.parallelism, .feedback = true});
    }
  }
  for (std::size_t e = 0; e < refined.edges.size(); ++e) {
    const graph_edge& edge = refined.edges[e];
    out.dependencies.push_back({.from = edge.from, .to = edge.to, .lag = edge.lag});
  }
  detail::mark_sinks(out, refined, task_of);
  return out;
}

/// Every described node is a sequential task that suspends during its kernels, with its period as relative priority
/// point and, by position of the described node, the given offset. `copies` as in `refine`.
template <ExactNumber Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] auto coarse_workload(const graph_table<Number, N, E, G>& table, std::span<const std::int32_t> clusters,
                                   std::span<const Number> offsets, copy_placement copies = copy_placement::processor)
    -> graph_workload<Number> {
  auto out = detail::empty_workload<Number>(table, clusters);
  std::vector<std::uint32_t> task_of;
  for (std::uint32_t v = 0; v < table.nodes.size(); ++v) {
    const auto& n = table.nodes[v];
    const auto& g = table.graphs[n.graph];
    if (n.segment == 0) {
      graph_task<Number> t;
      t.graph = n.graph;
      t.first_step = out.steps.size();
      t.cluster = g.cluster;
      t.parallelism = 1;
      t.clock = static_cast<std::int32_t>(n.graph);
      t.period = g.period;
      t.offset = offsets[n.owner];
      t.priority_point = fraction_of<Number>(g.period);
      out.tasks.push_back(t);
    }
    detail::add_steps(out, n, n.segment, copies);
    out.tasks[n.owner].steps = out.steps.size() - out.tasks[n.owner].first_step;
    task_of.push_back(n.owner);
  }
  for (std::size_t e = 0; e < table.edges.size(); ++e) {
    const graph_edge& edge = table.edges[e];
    if (edge.lag == 0 && task_of[edge.from] == task_of[edge.to]) { continue; }
    out.dependencies.push_back({.from = task_of[edge.from], .to = task_of[edge.to], .lag = edge.lag});
  }
  detail::mark_sinks(out, table, task_of);
  return out;
}

/// Every graph is one sequential task, with its nodes one after the other and its period as relative priority point.
template <ExactNumber Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] auto monolithic_workload(const graph_table<Number, N, E, G>& table,
                                       std::span<const std::int32_t> clusters,
                                       copy_placement copies = copy_placement::processor) -> graph_workload<Number> {
  auto out = detail::empty_workload<Number>(table, clusters);
  for (std::uint32_t i = 0; i < table.graphs.size(); ++i) {
    const auto& g = table.graphs[i];
    graph_task<Number> t;
    t.graph = i;
    t.first_step = out.steps.size();
    for (const std::uint32_t v : topological_order(table, i)) {
      detail::add_steps(out, table.nodes[v], v - g.first_node, copies);
    }
    t.steps = out.steps.size() - t.first_step;
    t.cluster = g.cluster;
    t.parallelism = 1;
    t.clock = static_cast<std::int32_t>(i);
    t.period = g.period;
    t.priority_point = fraction_of<Number>(g.period);
    t.is_sink = true;
    out.tasks.push_back(t);
  }
  return out;
}

}  // namespace takt::simulation
