// SPDX-License-Identifier: Apache-2.0
// Yang et al. 2018, Table 1 with a stand-in for the unpublished times: monolithic, coarse and fine graphs by cameras.
// Not in the paper: kernels in a block queue and overlapping jobs on CPUs, their lost capacity, bounds beside each
// other, and streams per task beside streams per job.
#include <algorithm>
#include <array>
#include <memory>

#include <takt/analysis/methods/block_queue/capacity.hpp>
#include <takt/analysis/methods/block_queue/multi_resource.hpp>
#include <takt/analysis/methods/block_queue/outstanding_jobs.hpp>
#include <takt/analysis/methods/block_queue/per_task_streams.hpp>
#include <takt/analysis/methods/block_queue/separated_enqueues.hpp>
#include <takt/analysis/methods/gel/overlapping.hpp>
#include <takt/core/random.hpp>
#include <takt/generation/uunifast.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>
#include <takt/systems/graphs/analysis/coarse.hpp>
#include <takt/systems/graphs/analysis/fine.hpp>
#include <takt/systems/graphs/figures/hog.hpp>
#include <takt/systems/graphs/figures/random_loads.hpp>

#include "study.hpp"

namespace takt::program::sweep {

namespace {

constexpr block_gpu gpu{.sms = 80, .threads_per_sm = 2048};

// Cameras.

constexpr std::size_t most_cameras = 6;
using described = generation::hog_table<most_cameras>;

enum class mode : std::uint8_t { monolithic, coarse, fine_edf, fine_fl };
constexpr std::array<compared<mode>, 4> modes{{{mode::monolithic, "monolithic", "monolithic, G-EDF", 0},
                                               {mode::coarse, "coarse", "coarse, G-EDF", 1},
                                               {mode::fine_edf, "fine-edf", "fine, G-EDF", 2},
                                               {mode::fine_fl, "fine-fl", "fine, G-FL", 3}}};

/// Times in microseconds; a bound of 0 is none. Each of the simulated ones is followed by the average; those by offsets
/// are without early releasing, and 0 where there are no offsets.
enum column : std::uint8_t { bound_published, bound_best, seen_longest, by_offsets_longest = 4 };

/// How graphs run.
struct runs {
  std::int64_t invocations;
  std::int64_t shortest_percent;
  std::uint64_t seed;
};

/// The longest end-to-end bound in microseconds; 0 without.
template <class Timing>
[[nodiscard]] auto bound_of(const Timing& timing, std::size_t graphs) -> std::int64_t {
  if (!timing.bounded() || graphs == 0) { return 0; }
  return ceil_divide<ticks>(std::ranges::max(std::span<const ticks>{timing.end_to_end}.first(graphs)), 1000);
}

/// Writes the longest and the mean response of a run to `out`.
void run(const simulation::graph_workload<ticks>& work, const runs& how, bool early, row out) {
  simulation::invocations<ticks> releases(work.clocks.size());
  for (auto& clock : releases) {
    for (std::int64_t j = 0; j < how.invocations; ++j) { clock.push_back(j * generation::hog_period); }
  }
  simulation::graph_options options;
  options.gpu = {.sms = gpu.sms, .each = {.threads = gpu.threads_per_sm}};
  options.early_release = early;
  const auto result =
      simulation::simulate_graphs(work, releases, options, simulation::random_lengths{how.seed, how.shortest_percent});
  require(result.ok(), "a graph of this study cannot be run");
  ticks sum = 0;
  for (std::size_t g = 0; g < result.responses.size(); ++g) {
    out[0] = std::max(out[0], result.worst_response(g) / 1000);
    for (const ticks r : result.responses[g]) { sum += r / 1000; }
  }
  out[1] = sum / (how.invocations * static_cast<std::int64_t>(result.responses.size()));
}

/// A number of cameras in a mode.
struct camera_case {
  const described& table;
  const graph_platform& platform;
  mode how;
  const runs& length;

  [[nodiscard]] auto clusters() const -> std::span<const std::int32_t> {
    return {platform.clusters.data(), platform.clusters.size()};
  }
};

/// The bounds, and what a run shows of `work`, with early releasing and, where `best` gives offsets, without.
template <class Timing>
void write(const camera_case& c, const Timing& published, const Timing& best,
           const simulation::graph_workload<ticks>& work, row counts) {
  counts[bound_published] = bound_of(published, c.table.graphs.size());
  counts[bound_best] = bound_of(best, c.table.graphs.size());
  run(work, c.length, true, counts.subspan(seen_longest));
  if (c.how != mode::monolithic && best.bounded()) { run(work, c.length, false, counts.subspan(by_offsets_longest)); }
}

void judge_sequential(const camera_case& c, row counts) {
  const auto grain = c.how == mode::coarse ? analysis::graph_grain::node : analysis::graph_grain::graph;
  const auto bounds = [&](analysis::coarse_kernel_bound kernels) {
    using timing = decltype(analysis::coarse_bounds(c.table, c.platform));
    return std::make_unique<timing>(analysis::coarse_bounds(c.table, c.platform, {.grain = grain, .kernels = kernels}));
  };
  const auto published = bounds(analysis::coarse_kernel_bound::separated);
  const auto best = bounds(analysis::coarse_kernel_bound::one_at_once);
  // Without a bound the nodes are released with their graph, and their predecessors alone hold them back.
  const std::vector<ticks> none(c.table.nodes.size(), 0);
  const std::span<const ticks> offsets = best->timing.bounded() ? std::span<const ticks>{best->timing.offset} : none;
  write(c, published->timing, best->timing,
        c.how == mode::monolithic ? simulation::monolithic_workload(c.table, c.clusters())
                                  : simulation::coarse_workload<ticks>(c.table, c.clusters(), offsets),
        counts);
}

void judge_fine(const camera_case& c, row counts) {
  const auto nodes = std::make_unique<refined_table<described>>(refine(c.table));
  const auto policy = c.how == mode::fine_fl ? gel_policy::fair_lateness : gel_policy::earliest_deadline;
  const auto bounds = [&](analysis::point_shift shift, analysis::kernel_bound kernels) {
    return std::make_unique<analysis::timing_of<refined_table<described>>>(
        analysis::fine_bounds(*nodes, c.platform, {.policy = policy, .shift = shift, .kernels = kernels}));
  };
  const auto published = bounds(analysis::point_shift::if_negative, analysis::kernel_bound::separated);
  const auto best = bounds(analysis::point_shift::to_zero, analysis::kernel_bound::best);
  const auto points = simulation::node_points(*nodes, c.clusters(), policy);
  write(c, *published, *best, simulation::fine_workload<ticks>(*nodes, c.clusters(), best->offset, points), counts);
}

/// What launches and waits of a camera's kernels add when its nodes are refined, in percent of all its times.
[[nodiscard]] auto conversion_remark() -> std::string {
  const auto fine = std::make_unique<described>();
  (void)generation::add_hog_graph(*fine, "camera", 0);
  const auto whole = std::make_unique<described>(*fine);
  for (auto& n : whole->nodes) { n.launch = n.await = 0; }
  const auto growth = analysis::conversion_overhead(*std::make_unique<refined_table<described>>(refine(*fine)), *whole);
  return fmt::format("conversion to fine nodes adds {:.2f} % to the times of all nodes (observation 7)",
                     100.0 * static_cast<double>(growth.numerator()) / static_cast<double>(growth.denominator()));
}

void cameras(const settings& s, experiment& e) {
  e.remarks = [](const tally& /*counts*/) { return std::vector{conversion_remark()}; };
  e.panels_per_row = 2;
  std::vector<graph_platform> platforms;
  for (const std::int32_t clusters : {1, 2}) {
    graph_platform p;
    for (std::int32_t c = 0; c < clusters; ++c) { p.clusters.unchecked_push_back(16 / clusters); }
    p.sms = gpu.sms;
    p.threads_per_sm = gpu.threads_per_sm;
    platforms.push_back(p);
    const std::string cell = clusters == 1 ? "16" : "2x8";
    e.add_panel(fmt::format("bounds, {} CPUs (0: none)", cell));
    e.add_panel(fmt::format("simulated, {} CPUs: longest", cell));
    const std::size_t bounds = e.panels.size() - 2;
    for (const auto& m : modes) {
      e.add_series(cell, m.cell);
      e.draw_in(bounds, bound_published, fmt::format("{}, as published", m.title), m.colour, stroke::dashed);
      e.draw_in(bounds, bound_best, m.title, m.colour);
      if (m.what != mode::monolithic) { e.draw(seen_longest, m.title, m.colour); }
    }
  }
  const runs how{s.number("invocations"), s.number("shortest"), s.seed()};
  e.count = [platforms, how](const unit& u, row counts) {
    const graph_platform& platform = platforms[u.series / modes.size()];
    const auto table = std::make_unique<described>();
    for (std::size_t c = 0; c < u.whole_level(); ++c) {
      (void)generation::add_hog_graph(*table, "camera", static_cast<std::int32_t>(c % platform.clusters.size()));
    }
    const camera_case one{*table, platform, modes[u.series % modes.size()].what, how};
    (one.how == mode::fine_edf || one.how == mode::fine_fl ? judge_fine : judge_sequential)(one, counts);
  };
}

// Random kernels and CPU nodes.

constexpr std::size_t most_tasks = 20;
using kernel_set = task_rows<block_kernel<ticks>, most_tasks>;
using shares = inline_vector<ticks, most_tasks>;

[[nodiscard]] auto load_parameters(std::vector<parameter> own) -> std::vector<parameter> {
  return with({{"seed", "1", "of everything that is drawn"},
               {"sets", "200", "per load", 1, most_sets},
               {"levels", "0.1..1.0/0.1", "load over capacity", 1, 1000},
               {"tasks", "10", "per set", 1, most_tasks}},
              std::move(own));
}

/// Lets `judge(unit, random, shares)` look at sets. Shares of a load are in millionths of what there is.
template <class Judge>
void for_each_set(const unit& u, std::uint64_t seed, std::size_t tasks, Judge judge) {
  for (std::int64_t i = 0; i < u.sets; ++i) {
    random_stream random{seed ^ random_stream{u.number(i)}.next()};
    shares out;
    require(generation::uunifast(random, u.level * 1000, tasks, out), "a set of this study cannot be drawn");
    judge(random, out);
  }
}

[[nodiscard]] auto draw_kernels(random_stream& random, const shares& loads) -> kernel_set {
  kernel_set out;
  generation::draw_kernels(
      random, loads, [](const kernel_set& set) { return analysis::thread_capacity(set, gpu); }, out);
  return out;
}

using bound_row = std::array<std::int64_t, 4>;

/// The mean of response / period in thousandths; 0 when there is no bound.
template <class Set, class Response>
[[nodiscard]] auto mean_ratio(const Set& set, bool bounded, const Response& response) -> std::int64_t {
  if (!bounded) { return 0; }
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < set.size(); ++i) { sum += response(i) * 1000 / set.tasks[i].period; }
  return sum / static_cast<std::int64_t>(set.size());
}

[[nodiscard]] auto kernel_row(const kernel_set& set) -> bound_row {
  const auto ratio = [&](const auto& b) {
    return mean_ratio(set, b.bounded(), [&](std::size_t i) { return b.responses[i]; });
  };
  return {ratio(analysis::separated_enqueue_response(set, gpu, per_job_streams)),
          ratio(analysis::knapsack_response(set, gpu, per_job_streams)),
          ratio(analysis::outstanding_response(set, gpu, per_job_streams)),
          ratio(analysis::block_queue_response(set, gpu, per_job_streams))};
}
[[nodiscard]] auto cpu_row(random_stream& random, const shares& loads, std::int32_t processors) -> bound_row {
  task_rows<gel_task<ticks>, most_tasks> set;
  generation::draw_overlapping(random, loads, processors, set);
  bound_row out{};
  std::size_t at = 0;
  for (const auto shift : {analysis::point_shift::if_negative, analysis::point_shift::to_zero}) {
    for (const gel_policy policy : {gel_policy::earliest_deadline, gel_policy::fair_lateness}) {
      const auto b = analysis::overlapping_response(set, processors, policy, shift);
      out[at++] = mean_ratio(set, b.bounded(), [&](std::size_t i) { return b.tasks[i].response; });
    }
  }
  return out;
}

/// Means over the sets in which everything is bounded, and how many those are.
void bounds(const settings& s, experiment& e) {
  const auto cpus = s.number<std::int32_t>("cpus");
  for (const auto& [cell, title, curves] :
       {std::tuple{"kernels", std::string{"kernels"},
                   std::array{"theorem 3", "knapsack carry-in", "outstanding jobs", "least of all"}},
        {"cpus", fmt::format("jobs on {} CPUs", cpus),
         std::array{"G-EDF, plain", "G-FL, plain", "G-EDF, normalized", "G-FL, normalized"}}}) {
    e.add_panel(title);
    e.add_series(cell);
    for (std::size_t c = 0; c < curves.size(); ++c) { e.draw(c, curves[c], static_cast<int>(c)); }
  }
  e.count = [cpus, seed = s.seed(), tasks = s.number<std::size_t>("tasks")](const unit& u, row counts) {
    std::int64_t& bounded = counts.back();
    for_each_set(u, seed, tasks, [&](random_stream& random, const shares& loads) {
      const bound_row row = u.series == 0 ? kernel_row(draw_kernels(random, loads)) : cpu_row(random, loads, cpus);
      if (std::ranges::find(row, 0) != row.end()) { return; }
      ++bounded;
      for (std::size_t i = 0; i < row.size(); ++i) { counts[i] += row[i]; }
    });
    for (std::size_t i = 0; bounded > 0 && i < bound_row{}.size(); ++i) { counts[i] /= bounded; }
  };
}

void streams(const settings& s, experiment& e) {
  const auto tasks = s.number<std::size_t>("tasks");
  e.add_series(tasks);
  e.add_panel(fmt::format("{} kernels", tasks));
  e.draw(0, "per job: bounded", 0);
  e.draw(1, "per job: within the period", 2);
  e.draw(2, "per task: proven bounded", 1);
  e.count = [tasks, seed = s.seed()](const unit& u, row counts) {
    for_each_set(u, seed, tasks, [&](random_stream& random, const shares& loads) {
      const kernel_set set = draw_kernels(random, loads);
      const auto best = analysis::block_queue_response(set, gpu, per_job_streams);
      bool within = best.bounded();
      for (std::size_t k = 0; within && k < set.size(); ++k) { within = best.responses[k] <= set.tasks[k].period; }
      counts[0] += best.bounded() ? 1 : 0;
      counts[1] += within ? 1 : 0;
      counts[2] += analysis::per_task_stream_response(set, gpu).bounded() ? 1 : 0;
    });
  };
}

void capacity(const settings& s, experiment& e) {
  e.add_panel("by the smallest block");
  const auto sizes = s.numbers("smallest");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    e.add_series(sizes[i]);
    e.draw(1, fmt::format("blocks of {} threads too", sizes[i]), static_cast<int>(i));
  }
  e.count = [sizes](const unit& u, row counts) {
    kernel_set set;
    (void)set.add({.name = "small", .length = 1, .period = 1, .threads = sizes[u.series]});
    (void)set.add({.name = "large", .length = 1, .period = 1, .threads = usual_warp_size * u.level / 1000});
    const std::int64_t all = gpu.sms * gpu.threads_per_sm;
    counts[0] = 1000 * analysis::unit_block_size(set, gpu);
    counts[1] = 100'000 * (all - analysis::thread_capacity(set, gpu)) / all;
  };
}

}  // namespace

auto openvx_studies() -> std::vector<study> {
  return {
      {"openvx-cameras",
       "pedestrian detection as monolithic, coarse and fine graphs, by cameras: bounds and simulated responses",
       layout("Pedestrian detection (Yang et al. 2018, Table 1, with times made up): response by cameras", "cameras",
              "cameras", "response (ms)", {"cpus", "mode"},
              {"bound_published", "bound_best", "simulated_longest", "simulated_average", "by_offsets_longest",
               "by_offsets_average"},
              measure::thousandths),
       {{"levels", "1..6/1", "cameras", 1000, 1000 * most_cameras, 1000},
        {"invocations", "12", "of each graph, all at once and periodic", 1, 1000},
        {"shortest", "90", "execution in percent of the longest", 0, 100},
        {"seed", "1", "of the lengths"}},
       cameras},
      {"openvx-capacity",
       "capacity that the largest block costs, by the smallest one",
       layout("Capacity that the largest block costs: g (m - H_max + h) of g m threads, m = 2048",
              "largest_block_warps", "largest block (warps of 32 threads)", "threads lost (%)", {"smallest_block"},
              {"unit_block", "lost_percent"}, measure::thousandths),
       {{"levels", "2..32/2", "warps of the largest block", 1000, 32'000, 1000},
        {"smallest", "32,64,128,256", "threads of the smallest block", 1, 1024}},
       capacity},
      {"openvx-bounds", "bounds for kernels and for overlapping jobs beside each other",
       layout("Bounds beside each other, mean of bound / period: kernels in a block queue, overlapping jobs on CPUs",
              "load", "load over capacity", "bound / period", {"where"},
              {"first", "second", "third", "fourth", "sets_bounded"}, measure::thousandths),
       load_parameters({{"cpus", "4", "of the CPU nodes", 1, 64}}), bounds},
      {"openvx-streams", "kernels with bounded responses: a stream per job or per task",
       layout("A stream per job beside a stream per task: kernels whose responses are bounded", "load",
              "load over capacity", "sets (%)", {"kernels"}, {"per_job", "per_job_within_period", "per_task"},
              measure::sets),
       load_parameters({}), streams},
  };
}

}  // namespace takt::program::sweep
