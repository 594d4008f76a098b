// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/model/gel_policy.hpp>
#include <takt/model/graph/data_flow.hpp>
#include <takt/model/observation.hpp>
#include <takt/rules/graph/feedback.hpp>
#include <takt/systems/locked_gpus/host/flatten.hpp>
#include <takt/systems/locked_gpus/host/section_work.hpp>
#include <takt/systems/locked_gpus/simulation/graph_releases.hpp>
#include <takt/systems/locked_gpus/simulation/job_releases.hpp>
#include <takt/systems/locked_gpus/simulation/options.hpp>
#include <takt/systems/locked_gpus/simulation/run_graphs.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>
#include <takt/systems/locked_gpus/tasks/transfer.hpp>

namespace takt::inline TAKT_ABI::simulation {

namespace detail {

/// Says which frames of which tasks show the same scene.
struct task_scenes {
  std::size_t graph = 0;
  std::size_t jobs = 0;  ///< so many in a row; 0: every frame is on its own
};

/// Every piece takes from `least` thousandths of its longest time to all of that. Half of the part above the least
/// follows from the scene, and is the same for all pieces of a graph meanwhile; half follows from the piece. Without
/// scenes all of it follows from the piece. Both are even.
class scene_work {
 public:
  /// Pre: 0 <= least <= 1000; longest times are below 2^43; one entry per task.
  scene_work(std::int64_t least, std::vector<task_scenes> scenes, std::uint64_t seed) noexcept
      : least_{least}, scenes_{std::move(scenes)}, seed_{seed} {
    TAKT_EXPECTS(0 <= least && least <= 1000);
  }

  [[nodiscard]] auto time(const host::work_item& item, ticks worst) const noexcept -> ticks {
    TAKT_EXPECTS(item.task < scenes_.size());
    const task_scenes& s = scenes_[item.task];
    const ticks own = part(random_stream{seed_ ^ (item.task << 48U) ^ (item.job << 16U) ^ item.piece});
    const ticks shared =
        s.jobs == 0 ? own : part(random_stream{~seed_ ^ (s.graph << 48U) ^ (item.job / s.jobs) << 16U});
    const ticks spread = worst - worst * least_ / 1000;
    return worst - spread + spread * (own + shared) / (2 * whole);
  }
  [[nodiscard]] static constexpr auto repetitions(const host::work_item& /*item*/) noexcept -> std::int32_t {
    return 1;
  }

 private:
  static constexpr ticks whole = 1'000'000;

  [[nodiscard]] static constexpr auto part(random_stream random) noexcept -> ticks { return random.between(0, whole); }

  std::int64_t least_;
  std::vector<task_scenes> scenes_;
  std::uint64_t seed_;
};

}  // namespace detail

static_assert(host::detail::SectionWork<detail::scene_work>);

/// Says which job goes first on the CPUs: the job of the least point. Of `points`, deadline and period are the period
/// of the graph. `point` is the rank of a node by what is farther down its graph; times of execution are unknown.
struct graph_scheduler {
  gel_policy points{};
  bool from_arrival = false;  ///< points count from when a job is put in line, else from its nominal release
  bool takes_turns = false;   ///< a job that has run for a slice goes to the end of the line

  static const graph_scheduler round_robin;
  static const graph_scheduler fixed_priority;
  static const graph_scheduler earliest_deadline;

  /// Returns whether it reads no more than is known.
  [[nodiscard]] constexpr auto valid() const noexcept -> bool {
    return points.wcet == 0 && points.other_processors == 0;
  }
  [[nodiscard]] friend constexpr auto operator==(const graph_scheduler&, const graph_scheduler&) noexcept
      -> bool = default;
};

inline constexpr graph_scheduler graph_scheduler::round_robin{.from_arrival = true, .takes_turns = true};
inline constexpr graph_scheduler graph_scheduler::fixed_priority{.points = gel_policy::given_points,
                                                                 .from_arrival = true};
inline constexpr graph_scheduler graph_scheduler::earliest_deadline{.points = gel_policy::earliest_deadline};

/// Says how the graphs of section 5.5 share six CPUs and one GPU. Without tokens the hardware decides about the GPU.
struct graph_configuration {
  std::string_view name;
  graph_scheduler cpus = graph_scheduler::earliest_deadline;
  std::int32_t tokens = unlimited_tokens;
  std::int32_t queue_limit = 0;
  service_order engines = service_order::first_come;
  bool spins = false;  ///< jobs that wait for an engine keep their CPUs

  [[nodiscard]] constexpr auto manages_gpu() const noexcept -> bool { return tokens != unlimited_tokens; }
};

/// In the order of Table 5.14; then those without tokens once more, with the busy waiting inside the driver's library
/// that the source supposes there.
inline constexpr std::array<graph_configuration, 14> graph_configurations{{
    {"SCHED_OTHER", graph_scheduler::round_robin},
    {"SCHED_FIFO", graph_scheduler::fixed_priority},
    {"C-EDF"},
    {"(1 6 FIFO)", graph_scheduler::earliest_deadline, 1, 6, service_order::first_come},
    {"(1 6 PRIO)", graph_scheduler::earliest_deadline, 1, 6, service_order::priority},
    {"(2 3 FIFO)", graph_scheduler::earliest_deadline, 2, 3, service_order::first_come},
    {"(2 3 PRIO)", graph_scheduler::earliest_deadline, 2, 3, service_order::priority},
    {"(3 2 FIFO)", graph_scheduler::earliest_deadline, 3, 2, service_order::first_come},
    {"(3 2 PRIO)", graph_scheduler::earliest_deadline, 3, 2, service_order::priority},
    {"(6 1 FIFO)", graph_scheduler::earliest_deadline, 6, 1, service_order::first_come},
    {"(6 1 PRIO)", graph_scheduler::earliest_deadline, 6, 1, service_order::priority},
    {"SCHED_OTHER busy", graph_scheduler::round_robin, unlimited_tokens, 0, service_order::first_come, true},
    {"SCHED_FIFO busy", graph_scheduler::fixed_priority, unlimited_tokens, 0, service_order::first_come, true},
    {"C-EDF busy", graph_scheduler::earliest_deadline, unlimited_tokens, 0, service_order::first_come, true},
}};

struct graph_study_options {
  ticks until = 10'000'000'000;
  std::int64_t least = 1000;  ///< thousandths of its longest time that a piece of work takes at least
  ticks scene = 0;            ///< for which the frames of a graph take about as long as each other, see `scene_work`
  std::int64_t copies = 0;    ///< of every object; 0: one per node on the longest path
  ticks slice = 3'000'000;    ///< of round robin
  host::bus_interference bus{};
  std::uint64_t seed = 1;  ///< of phases and times
};

/// Says what is seen of one graph from outside.
struct graph_output {
  ticks period = 0;
  std::vector<ticks> completions;  ///< of the sink, ascending
  std::vector<ticks> latencies;    ///< of the same jobs, from the releases of the source
};

namespace detail {

/// Returns false when it does not fit. The greater priority goes first.
[[nodiscard]] constexpr auto node_order(const graph_scheduler& s, ticks period, std::int32_t priority,
                                        host::detail::point_rule& out) noexcept -> bool {
  constexpr std::int64_t level = std::int64_t{1} << 45U;  // beyond any instant, so that levels do not mix
  out = {1, 0};
  const auto add = [&out](std::int64_t times, std::int64_t value) {
    return checked_multiply(times, value, value) && checked_add(out.constant, value, out.constant);
  };
  return add(s.points.deadline, period) && add(s.points.period, period) && add(s.points.point, -level * priority);
}

template <class Study>
[[nodiscard]] auto system_of(const Study& study, const linear_transfer_costs<ticks>& costs,
                             const graph_configuration& c) -> host::gpu_system {
  gpusync_board<> board;
  board.shape = {.cpus = 6,
                 .cpu_cluster_size = 6,
                 .tokens_per_gpu = c.tokens,
                 .engines = c.engines,
                 .scheduler = cpu_scheduler::earliest_deadline,
                 .dma_chunk = c.manages_gpu() ? std::int64_t{1} << 20 : std::numeric_limits<std::int64_t>::max()};
  board.costs = costs;
  host::gpu_system out =
      host::detail::flatten(board, study.tasks, host::locked_gpu_choices{.choice = host::gpu_choice::shortest_queue});
  for (host::section_program& p : out.programs) {  // sections begin with the first call and end with the job
    p.cpu_before += p.cpu_after;
    p.cpu_after = 0;
  }
  out.pools[0].queue_limit = c.queue_limit;
  return out;
}

/// Empty when there are too many edges, or a point does not fit.
template <class Study>
[[nodiscard]] auto token_graphs_of(const Study& study, std::span<const object_access> accesses,
                                   std::span<const delayed_object> delayed, const graph_configuration& c,
                                   const graph_study_options& o) -> std::vector<token_graph> {
  constexpr std::size_t max_nodes = Study::max_nodes;
  std::vector<object_use> uses;
  for (const object_access& a : accesses) {
    const bool kept = std::ranges::find(delayed, a.object, &delayed_object::object) != delayed.end();
    if (!kept) { uses.push_back({a.object, a.first}); }
  }
  random_stream random{o.seed};
  std::vector<token_graph> out;
  for (const auto& g : study.graphs.graphs) {
    token_graph t{.first_task = g.first_node, .nodes = g.nodes, .period = g.period};
    for (std::uint32_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
      const graph_edge& edge = study.graphs.edges[e];
      t.edges.push_back({.from = edge.from - g.first_node, .to = edge.to - g.first_node, .initial = edge.lag});
    }
    const auto feedback = make_feedback<max_nodes, most_graph_edges>(t.nodes, t.edges, uses, o.copies);
    if (!feedback.complete || t.edges.size() > most_graph_edges) { return {}; }
    t.feedback.assign(feedback.edges.begin(), feedback.edges.end());
    t.first_release = random.below(g.period);
    if (t.first_release <= o.until) { t.jobs = static_cast<std::size_t>((o.until - t.first_release) / g.period + 1); }
    t.in_order_of_arrival = c.cpus.from_arrival;
    for (std::size_t v = 0; v < t.nodes; ++v) {
      host::detail::point_rule order;
      const std::int32_t priority = feedback.fifo_priority(v, study.base_priorities[out.size()]);
      if (!node_order(c.cpus, g.period, priority, order)) { return {}; }
      t.order.push_back(order);
    }
    out.push_back(std::move(t));
  }
  return out;
}

/// Returns what a graph delivers. Its first node is the source, its last the sink.
[[nodiscard]] inline auto output_of(const graph_run& r, const token_graph& g) -> graph_output {
  graph_output out;
  out.period = g.period;
  const std::size_t sink = g.first_task + g.nodes - 1;
  const std::size_t first = r.run.tasks[sink].first_job;
  for (std::size_t j = 0; j < g.jobs; ++j) {
    const ticks finish = r.run.locks.jobs[first + j].finish;
    if (finish == no_instant) { break; }
    out.completions.push_back(finish);
    out.latencies.push_back(finish - r.releases[g.first_task][j].release);
  }
  return out;
}

}  // namespace detail

/// Simulates graphs of nodes under one configuration. `Study` is `generation::video_graphs` or another with tables of
/// tasks and graphs, base priorities, and the most nodes of a graph. Pre: every graph has the accesses and delays;
/// `o.until` < 2^45. Error: none of the graphs where edges or points do not fit, points read times of execution, or the
/// locks find a fault.
template <class Study>
[[nodiscard]] auto simulate_graph_study(const Study& study, const linear_transfer_costs<ticks>& costs,
                                        std::span<const object_access> accesses,
                                        std::span<const delayed_object> delayed, const graph_configuration& c,
                                        const graph_study_options& o) -> std::vector<graph_output> {
  TAKT_EXPECTS(o.until < ticks{1} << 45U);
  std::vector<graph_output> out;
  if (!c.cpus.valid()) { return out; }
  const auto graphs = detail::token_graphs_of(study, accesses, delayed, c, o);
  if (graphs.empty()) { return out; }
  std::vector<detail::task_scenes> scenes;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    scenes.insert(scenes.end(), graphs[g].nodes, {g, static_cast<std::size_t>(o.scene / graphs[g].period)});
  }
  const auto run = detail::run_gpu_graphs<decltype(study.tasks)::max_tasks>(
      detail::system_of(study, costs, c), graphs, detail::scene_work{o.least, scenes, o.seed},
      {.until = o.until,
       .slice = c.cpus.takes_turns ? o.slice : 0,
       .engines = c.manages_gpu() ? engine_service::locks : engine_service::hardware_queue,
       .spins = c.spins,
       .bus = o.bus,
       .seed = o.seed},
      no_recorder);
  if (run.run.locks.error) { return out; }
  for (const detail::token_graph& g : graphs) { out.push_back(detail::output_of(run, g)); }
  return out;
}

}  // namespace takt::inline TAKT_ABI::simulation
