// SPDX-License-Identifier: Apache-2.0
//
// takt_hog: a pedestrian detector as a graph on this machine. Draws a street, measures every node, bounds the time from
// a frame to its detections, simulates the graph, runs it, and prints bound, simulated and observed times side by side.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <opencv2/core.hpp>

#include <takt/analysis/analyze.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/model/model_fault.hpp>
#include <takt/model/platform.hpp>
#include <takt/report/fault_text.hpp>
#include <takt/rules/graph/refine_for.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/runtime/graph/graph_layout.hpp>
#include <takt/runtime/graph/measured_times.hpp>
#include <takt/runtime/graph/run_graphs.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>
#include <takt/systems/graphs.hpp>

#include "pictures.hpp"
#include "pipeline.hpp"
#include "scene.hpp"

namespace takt::hog {
namespace {

using runtime::percentile;

struct settings {
  bool quick = false;
  std::size_t rounds = 300;
  std::int64_t invocations = 300;
  std::int32_t per_mille = 990;
  double period_ms = 0;
  std::string picture;
  std::string gantt;
};

[[nodiscard]] auto ms(ticks t) -> double { return static_cast<double>(t) / 1e6; }

struct simulated_times {
  bool ok = false;
  ticks end_to_end = 0;
};

template <class Table, class Plan>
[[nodiscard]] auto simulate(const Table& refined, const graph_platform& platform, const Plan& plan,
                            const settings& asked) -> simulated_times {
  const std::vector<std::int32_t> clusters(platform.clusters.begin(), platform.clusters.end());
  const std::vector<ticks> offsets(plan.offsets.begin(), plan.offsets.end());
  std::vector<fraction_of<ticks>> points;
  for (const auto& n : refined.nodes) { points.emplace_back(n.point); }
  simulation::invocations<ticks> releases(1);
  for (std::int64_t j = 0; j < asked.invocations; ++j) { releases[0].push_back(j * refined.graphs[0].period); }
  simulation::graph_options options;
  options.early_release = true;
  options.preemptive = false;
  if (platform.sms > 0) {
    options.gpu.sms = platform.sms;
    options.gpu.each.threads = platform.threads_per_sm;
    options.gpu.each.warp_size = platform.warp_size;
  }
  const auto workload = simulation::fine_workload<ticks>(refined, clusters, offsets, points);
  const auto result = simulation::simulate_graphs(workload, releases, options, simulation::random_lengths{1, 50});
  return {result.ok(), result.ok() ? result.worst_response(0) : 0};
}

void print_stages(const samples& measured, const runtime::graph_run_result& seen, variant v, const settings& asked) {
  fmt::print("\n{:<10} {:>6} {:>14} {:>12} {:>12} {:>12} {:>12}   (ms, largest scale; execution)\n", "stage", "where",
             "measured p50", fmt::format("p{:g}", asked.per_mille / 10.0), "in run p50", "p99", "longest");
  for (std::size_t s = 0; s <= stages; ++s) {
    const std::uint32_t node = s == stages ? static_cast<std::uint32_t>(collect_node) : node_of(0, s);
    const bool kernel = is_kernel(v, s);
    std::vector<ticks> times;
    for (const auto& n : seen.nodes) {
      const bool counts = kernel ? n.part == node_part::kernel : n.part == node_part::whole;
      const std::string name = s == stages ? "collect" : std::string{stage_names[s]} + " 0";
      if (n.name == name && counts) { times = n.execution.all; }
    }
    if (times.empty()) { continue; }
    fmt::print("{:<10} {:>6} {:>14.3f} {:>12.3f} {:>12.3f} {:>12.3f} {:>12.3f}\n", stage_names[s],
               kernel ? "block" : "CPU", ms(percentile(measured[node], 500)),
               ms(percentile(measured[node], asked.per_mille)), ms(percentile(times, 500)), ms(percentile(times, 990)),
               ms(percentile(times, 1000)));
  }
  if (v == variant::kernels) {
    fmt::print("blocks are measured one by one; in the run stands the whole kernel, in its queue\n");
  }
}

/// Bound, simulation and run of one variant. False if a result is wrong or nothing could be run.
template <class Board>
[[nodiscard]] auto assess(const Board& board, variant v, std::int32_t processors, std::vector<cv::Mat> frames,
                          const settings& asked) -> bool {
  pipeline measuring{frames, 1};
  const samples measured = measuring.measure(v, asked.rounds);
  const ticks period = asked.period_ms > 0 ? static_cast<ticks>(asked.period_ms * 1e6)
                                           : moderate_period(measured, asked.per_mille, v, processors);
  const hog_graph graph = make_graph(measured, asked.per_mille, v, period);
  const graph_platform platform = graph_platform_of(board);

  runtime::graph_run_options options;
  options.length = duration{period} * (asked.invocations + 1);
  options.invocations = asked.invocations;
  options.keep_responses = true;
  if (asked.quick) { options.real_time = options.pin_to_cores = options.lock_memory = false; }
  const auto verdict = analyze(board, graph, graph_methods);
  if (!verdict.bounded()) {
    fmt::print("no bound is known: {}\n", name_of(verdict.why));
    return false;
  }
  options.expected = runtime::expect(verdict);
  refined_table<hog_graph> refined;
  if (!refine_for(board, graph, refined)) { return false; }
  const auto laid = runtime::make_graph_layout(refined, verdict.plan, options);
  if (laid.error) {
    const fault_text why = describe(laid.error.fault);
    fmt::print("{} {}: {} {}\n", why.field, laid.error.value, why.problem, why.allowed);
    return false;
  }
  const auto copies = static_cast<std::size_t>(laid.graphs[0].copies);
  pipeline work{std::move(frames), copies};
  const auto sink = static_cast<std::uint32_t>(refined.nodes.size() - 1);
  frame_trace trace{6, 1, sink};
  const auto seen = runtime::run(board, graph, verdict.plan, options, trace, work.code(v));
  if (seen.tasks.empty()) {
    fmt::print("nothing ran: {}\n", name_of(seen.status()));
    return false;
  }
  const auto simulated = simulate(refined, platform, verdict.plan, asked);

  fmt::print("\n{}: {} nodes, {} after refining, period {} ms, {} copies of the data\n",
             v == variant::kernels ? "histogram, normalize and classify as kernels" : "all nodes on processors",
             graph.nodes.size(), refined.nodes.size(), ms(period), copies);
  for (const std::string& note : seen.notes) { fmt::print("  {}\n", note); }
  print_stages(measured, seen, v, asked);
  const auto& g = seen.tasks[0];
  const std::vector<ticks>& times = seen.graphs[0].responses;
  std::int64_t late = 0;
  for (const auto& n : seen.nodes) { late += n.late; }
  if (!times.empty()) {
    fmt::print(
        "\nframe to detections, ms: bound {:.1f}; simulated longest {:.1f}; observed p50 {:.1f}, p95 {:.1f}, p99 "
        "{:.1f}, longest {:.1f}, of {}\n",
        ms(g.bound), ms(simulated.end_to_end), ms(percentile(times, 500)), ms(percentile(times, 950)),
        ms(percentile(times, 990)), ms(percentile(times, 1000)), times.size());
  }
  fmt::print("inputs after their nominal release: {}; wrong results: {}; longest delay of an invocation {:.3f} ms\n",
             late, work.wrong(), ms(seen.graphs[0].worst_release_latency));
  fmt::print("The bound holds if no node takes longer than its p{:g} and nothing else has the machine. {}\n",
             asked.per_mille / 10.0,
             g.within_bound ? "That the observed times lie below it is evidence, not proof."
                            : "The observed times lie above it: one of the two was not so.");
  if (!asked.gantt.empty() && v == variant::processors &&
      !trace.write(asked.gantt, "Six frames of the pedestrian detector on two processors")) {
    fmt::print("{}: cannot be written\n", asked.gantt);
    return false;
  }
  return g.completed == static_cast<std::uint64_t>(asked.invocations) && work.wrong() == 0 && simulated.ok;
}

[[nodiscard]] auto run_all(const settings& asked) -> bool {
  cv::setNumThreads(1);
  constexpr std::int64_t frames = 24;
  std::vector<cv::Mat> drawn;
  for (std::int64_t f = 0; f < (asked.quick ? 3 : frames); ++f) { drawn.push_back(draw_scene(3 * f)); }

  pipeline reference{drawn, 1};
  std::size_t people = 0;
  for (std::size_t f = 0; f < drawn.size(); ++f) { people += reference.expected(f).size(); }
  const bool agrees = reference.agrees_with_opencv();
  fmt::print("{} drawn frames with 3 walkers each, {} found; windows agree with OpenCV's detector: {}\n", drawn.size(),
             people, agrees ? "yes" : "no");
  if (!agrees || people == 0) { return false; }
  if (!asked.picture.empty()) {
    const std::size_t other = drawn.size() / 2;
    if (!write_detections(asked.picture, {drawn[0], drawn[other]},
                          {reference.expected(0), reference.expected(other)})) {
      fmt::print("{}: cannot be written\n", asked.picture);
      return false;
    }
  }
  const auto on_processors = takt::platform(pool(processors(2), nonpreemptive(g_fl)));
  const auto with_kernels = takt::platform(pool(processors(1), nonpreemptive(g_fl)),
                                           pool(block_slots(1, block_size), fifo_blocks(per_job_streams, guarded)));
  return assess(on_processors, variant::processors, 2, drawn, asked) &&
         assess(with_kernels, variant::kernels, 1, drawn, asked);
}

}  // namespace
}  // namespace takt::hog

auto main(int argc, char** argv) -> int {
  takt::hog::settings asked;
  CLI::App app{"A pedestrian detector as a graph: bounds, simulation and a run on this machine"};
  app.add_flag("--quick", asked.quick, "a few frames, ordinary threads: shows that results are right, not how fast");
  app.add_option("--rounds", asked.rounds, "measurements of each node")->check(CLI::Range(1, 100'000));
  app.add_option("--invocations", asked.invocations, "frames to run")->check(CLI::Range(1, 100'000));
  app.add_option("--per-mille", asked.per_mille, "of the measured times that stand for the longest, in thousandths")
      ->check(CLI::Range(500, 1000));
  app.add_option("--period", asked.period_ms, "in milliseconds; by default 60 percent of the machine is used")
      ->check(CLI::Range(0.0, 60'000.0));
  app.add_option("--picture", asked.picture, "draws detections into this PNG file");
  app.add_option("--gantt", asked.gantt, "draws the first frames of the run into this SVG file");
  CLI11_PARSE(app, argc, argv);
  if (asked.quick) {
    asked.rounds = 3;
    asked.invocations = 6;
  }
  return takt::hog::run_all(asked) ? 0 : 1;
}
