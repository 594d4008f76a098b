// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/runtime_tasks/mismatch.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/checked.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/systems/graphs/analysis/graph_board.hpp>
#include <takt/systems/graphs/analysis/graph_method.hpp>
#include <takt/systems/graphs/analysis/runtime_tasks.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Finds the node of a visit among those of a refined table, to which sources and sinks were added.
template <class Table>
[[nodiscard]] constexpr auto is_of_a_visit(const Table& refined, std::size_t node) -> bool {
  return refined.nodes[node].kind != node_kind::junction;
}

/// Returns the position among the visits of a graph of a node by its position among the refined ones of that graph.
template <class Table>
[[nodiscard]] constexpr auto position_of_visit(const Table& refined, std::size_t first, std::uint16_t position)
    -> std::uint16_t {
  if (position == takt::detail::whole_job || !is_of_a_visit(refined, first + position)) {
    return takt::detail::whole_job;
  }
  std::uint16_t out = 0;
  for (std::uint16_t p = 0; p < position; ++p) { out = is_of_a_visit(refined, first + p) ? out + 1 : out; }
  return out;
}

/// Writes a plan for run-time visits, with their responses, as one for refined nodes. A sink that was added is for
/// when all before it are done.
template <class Table, class Visits, class From, class To>
constexpr void spread_plan(const Table& refined, const Visits& bounds, const From& p, To& out) {
  const bool moves = !p.offsets.empty();
  inline_vector<ticks, Table::max_nodes> response;
  std::size_t visit = 0;
  for (std::size_t v = 0; v < refined.nodes.size(); ++v) {
    const bool own = is_of_a_visit(refined, v);
    // Bound: one per node, for which there is room; so below.
    response.unchecked_push_back(own ? bounds[visit].response : 0);
    if (moves) { out.offsets.unchecked_push_back(own ? p.offsets[visit] : 0); }
    if (!p.instances.empty()) { out.instances.unchecked_push_back(own ? p.instances[visit] : 1); }
    visit += own ? 1U : 0U;
  }
  for (std::size_t e = 0; moves && e < refined.edges.size(); ++e) {
    const graph_edge& edge = refined.edges[e];
    ticks ready = 0;
    const bool is_sink = refined.nodes[edge.to].part == node_part::sink;
    if (is_sink && checked_add(out.offsets[edge.from], response[edge.from], ready) && out.offsets[edge.to] < ready) {
      out.offsets[edge.to] = ready;
    }
  }
}

/// Writes a verdict on refined nodes as one on the visits that were described.
template <class RuntimeTasks, class Table, class Verdict>
constexpr void gather_verdict(const RuntimeTasks& tasks, const Table& refined, const Verdict& found,
                              verdict<ticks, RuntimeTasks::max_tasks, RuntimeTasks::max_visits>& out) {
  out.status = found.status;
  out.error = located(found.error, tasks.tasks);
  out.why = found.why;
  out.where = found.where;
  out.tasks = found.tasks;
  for (std::size_t i = 0; i < out.tasks.size() && i < refined.graphs.size(); ++i) {
    for (auto& part : out.tasks[i].parts) {
      part.position = position_of_visit(refined, refined.graphs[i].first_node, part.position);
    }
  }
  for (std::size_t v = 0; v < refined.nodes.size() && v < found.visits.size(); ++v) {
    if (!is_of_a_visit(refined, v)) { continue; }
    // Bound: one per visit that was described; so below.
    out.visits.unchecked_push_back(found.visits[v]);
    out.plan.offsets.unchecked_push_back(found.plan.offsets[v]);
    out.plan.instances.unchecked_push_back(found.plan.instances[v]);
  }
  out.plan.feasible = found.schedulable();
}

}  // namespace detail

/// Holds run-time tasks as graphs, and the board on which the simulator of graphs runs them.
template <class RuntimeTasks>
struct graphs_on_board {
  using table_type = analysis::runtime_graphs<RuntimeTasks>;
  using plan_type = plan<RuntimeTasks::max_tasks, refined_table<table_type>::max_nodes>;

  model_error error{};
  table_type table{};
  graph_board board{};

  /// Returns a plan for visits as one for the nodes of the refined table. Pre: `judge_graphs` returned the verdict for
  /// the same tasks and board, and it has bounds.
  [[nodiscard]] constexpr auto plan_of_nodes(
      const verdict<ticks, RuntimeTasks::max_tasks, RuntimeTasks::max_visits>& judged) const -> plan_type {
    TAKT_EXPECTS(!judged.visits.empty());
    plan_type out;
    detail::spread_plan(refine(table, board.sizes.placement()), judged.visits, judged.plan, out);
    return out;
  }
};

/// Error: a fact that is missing, or what is no graph on the board, with its task and visit.
template <class RuntimeTasks, GlobalRule CpuRule>
[[nodiscard]] constexpr auto graphs_of(const RuntimeTasks& tasks, const hardware& board, const CpuRule& /*cpus*/,
                                       std::int32_t cluster_size = 0) -> graphs_on_board<RuntimeTasks> {
  graphs_on_board<RuntimeTasks> out;
  out.board = {analysis::detail::graph_platform_on(board, cluster_size), CpuRule::policy, is_preemptive<CpuRule>};
  out.error = analysis::read_graphs(tasks, board, out.table);
  if (!out.error) { out.error = analysis::detail::in_task(tasks, validate(out.table)); }
  if (!out.error) { out.error = analysis::detail::in_task(tasks, fits(out.table, out.board.sizes)); }
  return out;
}

namespace detail {

/// Writes what the published method says of graphs under a plan for the visits that were described.
template <class RuntimeTasks, std::size_t N, std::size_t V>
constexpr void judge_runtime_graphs(const RuntimeTasks& tasks, const graphs_on_board<RuntimeTasks>& graphs,
                                    const plan<N, V>& p,
                                    verdict<ticks, RuntimeTasks::max_tasks, RuntimeTasks::max_visits>& out) {
  using refined_type = refined_table<analysis::runtime_graphs<RuntimeTasks>>;
  model_error error = graphs.error;
  refined_type refined;
  if (!error && !analysis::detail::refine_on(graphs.board, graphs.table, refined)) {
    error = {.fault = model_fault::time_overflow};
  }
  if (!error) { error = parts_fault(p, {.offsets = true, .instances = true}, tasks.size(), tasks.visits.size()); }
  if (error) { return out.refuse(located(error, tasks.tasks)); }
  const auto how = analysis::detail::fine_options_on(graphs.board);
  verdict<ticks, RuntimeTasks::max_tasks, refined_type::max_nodes> found;
  analysis::detail::judge_refined(found, refined, graphs.board.sizes, how, plan<1, 0>{});
  if (found.bounded() && (!p.offsets.empty() || !p.instances.empty())) {
    auto before = out;
    gather_verdict(tasks, refined, found, before);
    plan<1, refined_type::max_nodes> spread;
    spread_plan(refined, before.visits, p, spread);
    found = {};
    analysis::detail::judge_refined(found, refined, graphs.board.sizes, how, spread);
  }
  gather_verdict(tasks, refined, found, out);
  for (std::size_t i = 0; i < out.tasks.size(); ++i) {
    if (tasks.tasks[i].limited) { out.limit(i, tasks.tasks[i].deadline); }
  }
}

}  // namespace detail

/// Returns what the published method of graphs says of run-time tasks whose jobs may overlap. It bounds the time from
/// each invocation to its end, under a global rule of the processors, in clusters of `cluster_size` of them (0: all).
/// The blocks of kernels are in one queue of the one GPU. Copies go on the engines, first come, first served, or on the
/// processors where there are none. The plan of the verdict holds an offset and a number of jobs at a time for each
/// visit; a plan that is given may have greater ones. A task without a deadline needs a bound only. Error: a fact that
/// is missing, or what is no graph, with its task and visit.
template <class RuntimeTasks, GlobalRule CpuRule, std::size_t N = 1, std::size_t V = 0>
[[nodiscard]] constexpr auto judge_graphs(const RuntimeTasks& tasks, const hardware& board, const CpuRule& cpus,
                                          std::int32_t cluster_size = 0, const plan<N, V>& p = {})
    -> verdict<ticks, RuntimeTasks::max_tasks, RuntimeTasks::max_visits> {
  verdict<ticks, RuntimeTasks::max_tasks, RuntimeTasks::max_visits> out;
  out.method = analysis::overlapping_nodes_method<is_preemptive<CpuRule>>::name;
  detail::judge_runtime_graphs(tasks, graphs_of(tasks, board, cpus, cluster_size), p, out);
  return out;
}

}  // namespace takt::inline TAKT_ABI
