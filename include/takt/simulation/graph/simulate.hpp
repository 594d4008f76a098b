// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/host/void_bounds.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/model/located.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/gel.hpp>
#include <takt/rules/graph/node_reach.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/simulation/graph/graph_options.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/release_times.hpp>
#include <takt/simulation/result.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what a simulation of graphs saw, graph by graph; its visits are the nodes of the refined graphs, from their
/// nominal releases to their ends.
template <std::size_t MaxGraphs, std::size_t MaxNodes>
struct graph_observation : simulation_result<MaxGraphs, MaxNodes> {
  std::vector<std::vector<ticks>> responses{};  ///< by graph and invocation, to the last end of a sink
  std::uint64_t late = 0;                       ///< jobs of nodes that had to wait beyond their nominal releases
  std::vector<host::time_span> void_bounds{};   ///< from when to when no bound is to be relied on
};

namespace simulation {

/// SMs of a GPU on which graphs are simulated.
inline constexpr std::int32_t most_simulated_sms = 1024;
namespace detail {

/// So many steps of nodes may be under way there at once.
inline constexpr std::size_t most_simulated_steps = 2048;

/// Uses one tick as the shortest time of a step, since nothing is known of it.
struct bounded_lengths {
  execution_times execution = execution_times::upper;
  random_lengths random{1};

  [[nodiscard]] constexpr auto operator()(std::size_t task, std::size_t step, std::size_t job,
                                          ticks most) const noexcept -> ticks {
    switch (execution) {
      case execution_times::lower: return std::min<ticks>(most, 1);
      case execution_times::upper: return most;
      case execution_times::random: return random(task, step, job, most);
    }
    return most;
  }
};

/// Returns what is missing in a plan for nodes, or does not fit them.
template <class Table, std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto plan_fault_of_nodes(const Table& refined, const plan<N, V>& p) -> model_error {
  constexpr plan_parts used{.offsets = true, .instances = true};
  if (const auto error = parts_fault(p, used, refined.graphs.size(), refined.nodes.size())) { return error; }
  if (p.offsets.empty()) { return {.fault = model_fault::plan_does_not_fit}; }
  for (std::size_t v = 0; v < refined.nodes.size(); ++v) {
    const bool fits = p.offsets[v] >= 0 && p.offsets[v] <= longest_time && (p.instances.empty() || p.instances[v] > 0);
    if (!fits) { return fault_at(model_fault::plan_does_not_fit, refined.nodes[v].graph, v); }
  }
  return {};
}

/// Returns the invocations of each graph. Adversarial ones begin all at once or somewhere in their periods, and come as
/// soon as these allow.
template <class Table>
[[nodiscard]] auto invocations_of(const Table& table, const simulation_options& o) -> invocations<ticks> {
  if (!is_adversarial(o.releases)) { return release_times(table.graphs, o); }
  random_stream random{o.seed};
  invocations<ticks> out(table.graphs.size());
  for (std::size_t g = 0; g < out.size(); ++g) {
    const ticks period = table.graphs[g].period;
    ticks next = random.chance(1, 2) ? random.below(period) : 0;
    for (; next < o.horizon.count(); next += period) { out[g].push_back(next); }
  }
  return out;
}

/// Returns how many invocations of each graph a run under the plan has room for; 0 if the plan does not say.
template <class Refined, std::size_t N, std::size_t V>
[[nodiscard]] auto invocation_limits_of(const Refined& refined, const plan<N, V>& p) -> std::vector<std::int64_t> {
  std::vector<std::int64_t> out(refined.graphs.size(), 0);
  for (std::uint32_t v = 0; v < p.instances.size(); ++v) {
    const auto& n = refined.nodes[v];
    std::int64_t instances = p.instances[v];
    if (n.parallelism != unrestricted_parallelism) { instances = std::min(instances, n.parallelism); }
    out[n.graph] = std::max(out[n.graph], node_reach(p.offsets[v], refined.graphs[n.graph].period, instances));
  }
  return out;
}

template <class Observation, class Refined>
void summarize_graphs(const graph_result<ticks>& run, const Refined& refined, std::span<const duration> deadlines,
                      Observation& out) {
  out.end = run.end;
  out.late = static_cast<std::uint64_t>(run.late);
  out.responses = run.responses;
  out.void_bounds = run.void_bounds;
  for (std::size_t g = 0; g < refined.graphs.size(); ++g) {
    const auto& graph = refined.graphs[g];
    observed_task<ticks> seen{.name = graph.name,
                              .released = run.invoked[g].size() + static_cast<std::uint64_t>(run.dropped[g]),
                              .skipped = static_cast<std::uint64_t>(run.dropped[g]),
                              .first_visit = graph.first_node,
                              .visit_count = graph.nodes};
    const ticks deadline = g < deadlines.size() ? deadlines[g].count() : 0;
    for (std::size_t j = 0; j < run.invoked[g].size(); ++j) {
      note_completion(seen, run.responses[g][j]);
      if (deadline > 0 && run.responses[g][j] > deadline) {
        ++seen.late;
        note_miss(seen, run.invoked[g][j] + deadline);
      }
    }
    out.tasks.unchecked_push_back(seen);  // Bound: one per graph of the table.
  }
  for (const auto& t : run.tasks) {
    out.visit_responses.unchecked_push_back(t.response);  // Bound: one per node of the refined table.
  }
}

}  // namespace detail

/// Simulates graphs as `simulate` does, on a platform of plain values. Their nodes have their priority points by
/// `policy` and keep their CPUs unless jobs are `preemptive`. Pre: `validate(table)` finds nothing.
template <std::size_t MaxN, std::size_t MaxE, std::size_t MaxG, std::size_t N, std::size_t V, TraceRecorder Recorder>
[[nodiscard]] auto simulate_planned_graphs(const graph_table<ticks, MaxN, MaxE, MaxG>& table,
                                           const graph_platform& platform, gel_policy policy, bool preemptive,
                                           const plan<N, V>& p, const simulation_options& options, Recorder& recorder)
    -> graph_observation<MaxG, refined_table<graph_table<ticks, MaxN, MaxE, MaxG>>::max_nodes> {
  TAKT_EXPECTS(!validate(table));
  graph_observation<MaxG, refined_table<graph_table<ticks, MaxN, MaxE, MaxG>>::max_nodes> out;
  constexpr option_parts used{.deadlines = true, .stalls = true};
  out.error = located(fits(table, platform), table.graphs);
  if (!out.error && platform.sms > most_simulated_sms) { out.error = {.fault = model_fault::too_many_processors}; }
  if (!out.error) { out.error = options_fault(options, table.graphs.size(), used); }
  if (out.error) { return out; }
  const auto refined = refine(table, platform.placement());
  out.error = detail::plan_fault_of_nodes(refined, p);
  const auto nodes_of = [](const auto& graph) { return static_cast<ticks>(graph.nodes); };
  if (!out.error && !jobs_fit(refined.graphs, options.horizon, nodes_of)) {
    out.error = {.fault = model_fault::too_many_jobs};
  }
  if (out.error) { return out; }
  const std::span<const std::int32_t> clusters{platform.clusters.data(), platform.clusters.size()};
  const auto points = node_points(refined, clusters, policy);
  auto work = fine_workload<ticks>(refined, clusters, {p.offsets.data(), p.offsets.size()}, points);
  for (std::uint32_t v = 0; v < p.instances.size(); ++v) {
    work.dependencies.push_back({.from = v, .to = v, .lag = p.instances[v], .feedback = true});
  }
  graph_options how{.copy_engines = std::max(platform.copy_engines, 1),
                    .early_release = is_adversarial(options.releases),
                    .preemptive = preemptive};
  how.stalls.assign(options.stalls.begin(), options.stalls.end());
  how.on_late = options.on_late;
  if (!how.stalls.empty() || drops_releases(how.on_late)) {
    how.invocation_limits = detail::invocation_limits_of(refined, p);
  }
  for (const duration d : options.deadlines) { how.deadlines.push_back(d.count()); }
  if (platform.sms > 0) {
    how.gpu.sms = platform.sms;
    how.gpu.each.threads = platform.threads_per_sm;
    how.gpu.each.warp_size = platform.warp_size;
    if (platform.blocks_per_sm > 0) { how.gpu.each.blocks = platform.blocks_per_sm; }
  }
  const auto releases = detail::invocations_of(table, options);
  const detail::bounded_lengths lengths{options.execution, random_lengths{options.seed}};
  const auto run = simulate_graphs<detail::most_simulated_steps, static_cast<std::size_t>(most_simulated_sms)>(
      work, releases, how, lengths, recorder);
  out.error.fault = run.fault;
  if (!out.error) { detail::summarize_graphs(run, refined, options.deadlines, out); }
  return out;
}

}  // namespace simulation

/// Lets graphs run on a platform in virtual time, every node of the refined graphs as a task of its own, and tells
/// `recorder` what happens to the nodes. The plan must say how long after its invocation a node is nominally released.
/// It says how many jobs of a node can be under way, if that is limited. The rules of the processors give the priority
/// points. Adversarial releases also let nodes start as soon as what they wait for is there.
///
/// All invocations before the horizon run to their ends. With stalls, or where what is late may be dropped, as many can
/// be under way as a run under the plan has room for. The deadlines of the options decide what is a miss. The same
/// arguments give the same result everywhere. Error: `invalid_model`, with the fault in `error`; more than
/// `most_simulated_sms` SMs, `most_simulated_steps` steps at once or `most_listed_jobs` jobs of nodes are refused.
/// Cost: that of `simulation::simulate_graphs`; all jobs are kept on the heap.
template <GraphPlatform P, GraphSet T, std::size_t N, std::size_t V, TraceRecorder Recorder = const null_recorder>
  requires(!ComposedBoard<P, T>)
auto simulate(const P& platform, const T& graphs, const plan<N, V>& p, const simulation_options& options = {},
              Recorder& recorder = no_recorder,
              detail::refusal&& /*refused*/ = detail::refusal{detail::check_graphs<P>::passed}) {
  if constexpr (detail::check_graphs<P>::passed) {
    const auto& table = graphs.template flat<ticks>();
    using flat = std::remove_cvref_t<decltype(table)>;
    if (const model_error error = fault_of_graphs(graphs)) {
      graph_observation<flat::max_graphs, refined_table<flat>::max_nodes> out;
      out.error = error;
      return out;
    }
    return simulation::simulate_planned_graphs(table, graph_platform_of(platform), detail::global_rule_of<P>::policy,
                                               is_preemptive<detail::global_rule_of<P>>, p, options, recorder);
  }
}

}  // namespace takt::inline TAKT_ABI
