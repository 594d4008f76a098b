// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <takt/analysis/runtime_tasks/mismatch.hpp>
#include <takt/analysis/runtime_tasks/shapes.hpp>
#include <takt/core/number.hpp>
#include <takt/model/gel_task.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/visit_fact.hpp>
#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Holds the graphs that run-time tasks fit in: a node for each visit, which keep their order.
template <class RuntimeTasks, std::size_t Nodes = RuntimeTasks::max_visits < detail::most_runtime_nodes
                                                      ? RuntimeTasks::max_visits
                                                      : detail::most_runtime_nodes>
using runtime_graphs = graph_table<ticks, Nodes, 4 * Nodes, RuntimeTasks::max_tasks>;

namespace detail {

/// Makes a visit a node; what it lacks, or what a queue of blocks has no use for, is the error.
template <class RuntimeTasks>
[[nodiscard]] constexpr auto node_of(const RuntimeTasks& tasks, std::size_t task, std::uint32_t position,
                                     const gpu_speed& speed, graph_node<ticks>& out) -> model_error {
  const runtime_visit& v = tasks.visit(task, position);
  const auto refuse = [&](model_fault fault) { return mismatch_at(tasks, fault, task, position); };
  // As many as a count of jobs can say are as good as any number.
  const bool restricts = v.parallelism < std::numeric_limits<std::int32_t>::max();
  out.parallelism = restricts ? v.parallelism : unrestricted_parallelism;
  out.point = v.point;
  switch (v.where) {
    case resource_kind::own: return refuse(model_fault::unknown_resource);
    case resource_kind::processor:
    case resource_kind::copy_engine:
      if (!v.known.has(visit_fact::time)) { return fact_missing(tasks, lacks(visit_fact::time), task, position); }
      if (v.region > 0) { return refuse(model_fault::region_not_honoured); }
      out.kind = v.where == resource_kind::processor ? node_kind::processor : node_kind::copy;
      out.wcet = v.time.upper;
      return {};
    case resource_kind::gpu: break;
  }
  if (!v.known.has(visit_fact::grid)) { return fact_missing(tasks, lacks(visit_fact::grid), task, position); }
  if (!v.known.has(visit_fact::block_length)) {
    return fact_missing(tasks, lacks(visit_fact::block_length), task, position);
  }
  if (v.known.has(visit_fact::overhead) && v.overhead != 0) { return refuse(model_fault::workload_part_unused); }
  interval<ticks> length{};
  if (v.block_length < 0) { return refuse(model_fault::negative_time); }
  if (!takt::detail::times_at_speed<ticks>({0, v.block_length}, speed, length)) {
    return refuse(model_fault::time_overflow);
  }
  out.kind = node_kind::kernel;
  out.block_length = length.upper;
  out.blocks = v.blocks;
  out.block_threads = v.threads;
  return {};
}

/// Names the CPU time around a kernel that has the name of the same node.
template <class Table>
constexpr void name_parts(Table& out, std::uint32_t first) {
  const auto end = static_cast<std::uint32_t>(out.nodes.size());
  for (std::uint32_t v = first, last = first; v < end; v = last) {
    while (last < end && out.nodes[last].owner == out.nodes[v].owner) { ++last; }
    const auto is = [&](std::uint32_t at, node_kind kind) { return at < last && out.nodes[at].kind == kind; };
    const std::uint32_t kernel = is(v, node_kind::processor) ? v + 1 : v;
    const bool awaits = is(kernel + 1, node_kind::processor);
    if (last - v < 2 || !is(kernel, node_kind::kernel) || kernel + (awaits ? 2U : 1U) != last) { continue; }
    for (std::uint32_t at = v; at < last; ++at) {
      out.nodes[at].part = at < kernel ? node_part::launch : at == kernel ? node_part::kernel : node_part::await;
      out.nodes[at].segment = 0;
    }
  }
}

}  // namespace detail

/// Run-time tasks as graphs: each visit is a node, in the same order, and visits of one name are one run-time node.
/// Cores are clusters; a task without one is on the first. Deadlines are left to the verdict. Pre: the table is empty.
template <class RuntimeTasks, class Table>
[[nodiscard]] constexpr auto read_graphs(const RuntimeTasks& tasks, const hardware& board, Table& out) -> model_error {
  TAKT_EXPECTS(out.graphs.empty() && out.nodes.empty());
  if (board.gpus.size() > 1) { return {.fault = model_fault::one_core_and_gpu_only}; }
  const gpu_speed speed = board.gpus.empty() ? gpu_speed{} : board.gpus[0].speed;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const runtime_task& t = tasks.tasks[i];
    if (t.jitter != 0) { return detail::mismatch_at(tasks, model_fault::workload_part_unused, i); }
    if (!out.add_graph(t.name, t.period, t.core == unassigned_core ? 0 : t.core)) {
      return detail::mismatch_at(tasks, model_fault::too_many_tasks, i);
    }
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      const runtime_visit& v = tasks.visit(i, p);
      graph_node<ticks> n;
      if (const auto error = detail::node_of(tasks, i, p, speed, n)) { return error; }
      n.name = v.name.empty() ? t.name : v.name;
      n.owner = out.owners;
      for (std::uint32_t q = 0; q < p; ++q) {
        if (tasks.visit(i, q).name == v.name) {
          n.owner = out.nodes[t.first_visit + q].owner;
          ++n.segment;
        }
      }
      out.owners += n.owner == out.owners ? 1U : 0U;
      if (!out.append(n)) { return detail::mismatch_at(tasks, model_fault::too_large, i, p); }
    }
    detail::name_parts(out, t.first_visit);
    const auto join = [&](std::uint32_t from, std::uint32_t to, std::int32_t lag) {
      return out.add_edge(t.first_visit + from, t.first_visit + to, lag);
    };
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      for (std::uint32_t q = 0; q < p; ++q) {
        const bool waits = (tasks.visit(i, p).predecessors >> q & 1U) != 0;
        if (waits && !join(q, p, 0)) { return detail::mismatch_at(tasks, model_fault::too_large, i, p); }
      }
    }
    for (std::size_t e = 0; e < tasks.history.size(); ++e) {
      const runtime_edge& edge = tasks.history[e];
      if (edge.task != i) { continue; }
      if (edge.lag < 1) { return detail::mismatch_at(tasks, model_fault::lag_not_positive, i); }
      const bool inside = edge.from < t.visit_count && edge.to < t.visit_count;
      if (!inside) { return detail::mismatch_at(tasks, model_fault::unknown_node, i); }
      if (!join(edge.from, edge.to, edge.lag)) { return detail::mismatch_at(tasks, model_fault::too_large, i); }
    }
  }
  return {};
}

namespace detail {

/// Returns a board as graphs see it: clusters of so many processors, all together where that is 0.
[[nodiscard]] constexpr auto graph_platform_on(const hardware& board, std::int32_t cluster_size) -> graph_platform {
  graph_platform out;
  const std::int32_t each = cluster_size == 0 ? board.processors : cluster_size;
  const bool divides =
      each > 0 && board.processors % each == 0 && board.processors / each <= static_cast<std::int32_t>(max_clusters);
  for (std::int32_t c = 0; divides && c < board.processors / each; ++c) {
    // Bound: at most `max_clusters`, see above.
    out.clusters.unchecked_push_back(each);
  }
  out.copy_engines = board.copy_engines;
  if (board.gpus.empty()) { return out; }
  out.sms = board.gpus[0].sms;
  out.threads_per_sm = board.gpus[0].threads_per_sm;
  out.blocks_per_sm = board.gpus[0].blocks_per_sm;
  out.warp_size = board.gpus[0].warp_size;
  return out;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
