// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <takt/analysis/gel/overlapping.hpp>
#include <takt/analysis/graph/buffers.hpp>
#include <takt/analysis/graph/fine.hpp>
#include <takt/analysis/graph/offsets.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/rules/gel.hpp>
#include <takt/rules/graph/feedback.hpp>
#include <takt/runtime/graph/graph_options.hpp>
#include <takt/runtime/graph/graph_waits.hpp>
#include <takt/runtime/graph/job_flow.hpp>

namespace takt::runtime {

/// Invocations of a graph, and jobs of a node, that a run has room for at a time.
inline constexpr std::int64_t most_instances = 64;

struct planned_node {
  graph_node<ticks> node;
  ticks offset = 0;
  ticks response = 0;
  std::int64_t instances = 1;
  std::int32_t depth = 0;

  /// Takes no time if nothing is bound to it.
  [[nodiscard]] auto is_free() const noexcept -> bool {
    return node.kind == node_kind::junction || (node.kind == node_kind::processor && node.wcet == 0);
  }
};

/// In the waits of a graph its nodes count from 0, and its input and its output come after them.
struct planned_graph {
  graph_record<ticks> record;
  ticks end_to_end = 0;
  std::int64_t instances = 1;  ///< invocations under way at a time
  std::int64_t copies = 1;     ///< of its data objects
  std::vector<job_wait> waits;
};

/// All that a run needs to know of graphs on a platform, refined, with room for all jobs that can be under way.
struct graph_plan {
  analysis::graph_status status = analysis::graph_status::bounded;
  bool has_bounds = true;  ///< they hold for the way in which the run shares processors
  bool narrowed = false;   ///< the bounds ask for more room than a run has
  bool sound_uses = true;
  std::vector<planned_node> nodes;
  std::vector<planned_graph> graphs;
};

namespace detail {

/// Replaces the responses of CPU nodes by bounds for non-preemptive scheduling, which are known for nodes whose jobs
/// may overlap freely.
template <class Number, std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] auto without_preemption(const graph_table<Number, N, E, G>& table, std::int32_t cluster,
                                      std::int32_t processors, analysis::graph_timing<Number, N, G>& timing)
    -> analysis::graph_status {
  gel_table<Number, N> tasks;
  std::array<std::size_t, N> at{};
  for (std::size_t v = 0; v < table.nodes.size(); ++v) {
    const auto& n = table.nodes[v];
    if (table.graphs[n.graph].cluster != cluster || !analysis::detail::needs_cpu(n)) { continue; }
    if (n.parallelism != unrestricted_parallelism) { return analysis::graph_status::cpu_unbounded; }
    gel_task<Number> t;
    t.name = n.name;
    t.wcet = n.wcet;
    t.period = t.deadline = table.period_of(v);
    t.point = n.point;
    t.parallelism = unrestricted_parallelism;
    at[v] = tasks.size();
    static_cast<void>(tasks.add(t));
  }
  if (tasks.size() == 0) { return analysis::graph_status::bounded; }
  const auto bounds = analysis::non_preemptive_response(tasks, processors, gel_policy::given_points);
  if (!bounds.bounded()) {
    return analysis::detail::graph_status_of(bounds.status, analysis::graph_status::cpu_unbounded);
  }
  for (std::size_t v = 0; v < table.nodes.size(); ++v) {
    if (table.graphs[table.nodes[v].graph].cluster == cluster && analysis::detail::needs_cpu(table.nodes[v])) {
      timing.response[v] = bounds.tasks[at[v]].response;
    }
  }
  return analysis::graph_status::bounded;
}

/// Whole priority points, so that a run and its bounds have the same ones. False if one does not fit.
template <class Table>
[[nodiscard]] auto set_points(Table& refined, const graph_platform& platform, gel_policy policy) -> bool {
  for (std::size_t v = 0; v < refined.nodes.size(); ++v) {
    auto& n = refined.nodes[v];
    const auto& g = refined.graphs[n.graph];
    gel_task<ticks> t;
    t.wcet = n.wcet;
    t.period = t.deadline = g.period;
    t.point = n.point;
    const std::int32_t processors = platform.clusters[static_cast<std::size_t>(g.cluster)];
    const auto point = relative_point(policy, t, processors);
    if (point.overflowed()) { return false; }
    n.point = point.ceil();
  }
  return true;
}

[[nodiscard]] inline auto places(std::int64_t wanted, bool& narrowed) -> std::int64_t {
  narrowed = narrowed || wanted > most_instances;
  return std::clamp<std::int64_t>(wanted, 1, most_instances);
}

template <class Table, class Buffers>
void plan_graph(const Table& refined, const Buffers& buffers, std::uint32_t graph, const graph_run_options& options,
                graph_plan& out) {
  planned_graph& own = out.graphs[graph];
  const auto& g = own.record;
  graph_waits<Table> waits{refined, graph};
  for (const graph_use& use : options.uses) {
    if (use.graph == graph && !waits.add_use(use)) { out.sound_uses = false; }
  }
  const std::int64_t copies = std::min(options.copies, most_instances);
  const auto feedback = waits.feedback_of(std::max<std::int64_t>(1, copies));
  out.sound_uses = out.sound_uses && feedback.complete;
  for (std::uint32_t v = 0; v < g.nodes; ++v) { out.nodes[g.first_node + v].depth = feedback.depth[v]; }
  for (const token_edge& e : waits.forward()) { own.waits.push_back({e.from, e.to, e.initial}); }
  if (copies > 0) {
    own.instances = most_instances;
    own.copies = ring_size(copies, waits.longest_lag());
    for (std::size_t e = 0; e < feedback.edges.size(); ++e) {
      own.waits.push_back({feedback.edges[e].from, feedback.edges[e].to, feedback.edges[e].initial});
    }
    for (const auto& [reader, writer] : waits.holds()) { own.waits.push_back({reader, writer, copies}); }
  } else {
    own.instances = places(buffers.instances[graph], out.narrowed);
    own.copies = ring_size(own.instances, waits.longest_lag());
    for (std::uint32_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
      const graph_edge& edge = refined.edges[e];
      const std::int64_t room = places(buffers.edge_places[e] - edge.lag, out.narrowed);
      own.waits.push_back({edge.to - g.first_node, edge.from - g.first_node, room});
    }
  }
  own.waits.push_back({waits.output(), waits.input(), own.instances});
}

}  // namespace detail

/// Pre: `validate` and `fits` found nothing; the table is refined, and its copies are made by processors.
template <class Table>
[[nodiscard]] auto make_graph_plan(Table refined, const graph_platform& platform, gel_policy policy,
                                   const graph_run_options& options) -> graph_plan {
  graph_plan out;
  if (!detail::set_points(refined, platform, policy)) {
    out.status = analysis::graph_status::overflow;
    return out;
  }
  auto timing = analysis::fine_bounds(refined, platform, {.policy = gel_policy::given_points});
  out.status = timing.status;
  out.has_bounds = shares_by_points(options.sharing);
  for (std::uint32_t c = 0; timing.bounded() && out.has_bounds && c < platform.clusters.size(); ++c) {
    out.status = detail::without_preemption(refined, static_cast<std::int32_t>(c), platform.clusters[c], timing);
    timing.status = out.status;
  }
  if (timing.bounded()) { analysis::set_all_offsets(refined, timing); }
  out.status = timing.status;
  if (!timing.bounded()) { return out; }

  const auto early =
      options.early_release ? analysis::early_release::as_soon_as_possible : analysis::early_release::never;
  const auto buffers = analysis::buffer_sizes(refined, timing, early);
  for (std::size_t v = 0; v < refined.nodes.size(); ++v) {
    const auto& n = refined.nodes[v];
    std::int64_t instances = detail::places(buffers.node_instances[v], out.narrowed);
    if (n.parallelism != unrestricted_parallelism) { instances = std::min(instances, n.parallelism); }
    out.nodes.push_back({n, timing.offset[v], timing.response[v], instances, 0});
  }
  for (std::uint32_t i = 0; i < refined.graphs.size(); ++i) {
    out.graphs.push_back({refined.graphs[i], timing.end_to_end[i], 1, 1, {}});
    detail::plan_graph(refined, buffers, i, options, out);
  }
  return out;
}

}  // namespace takt::runtime
