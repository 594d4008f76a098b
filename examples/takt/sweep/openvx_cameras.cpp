// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <takt/analysis/known/graphs/coarse.hpp>
#include <takt/analysis/known/graphs/fine.hpp>
#include <takt/generation/graph/hog.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>

#include "../failure.hpp"
#include "openvx_studies.hpp"

namespace takt::program::old_sweep {

namespace {

constexpr std::size_t most_cameras = 6;
using described = generation::hog_table<most_cameras>;
using refined = refined_table<described>;

enum class mode : std::uint8_t { monolithic, coarse, fine_edf, fine_fl };
struct mode_name {
  mode value;
  std::string_view cell;
  std::string_view title;
};
constexpr std::array modes{
    mode_name{mode::monolithic, "monolithic", "monolithic, G-EDF"},
    mode_name{mode::coarse, "coarse", "coarse, G-EDF"},
    mode_name{mode::fine_edf, "fine-edf", "fine, G-EDF"},
    mode_name{mode::fine_fl, "fine-fl", "fine, G-FL"},
};

/// Times in microseconds; a bound of 0 is none.
enum column : std::uint8_t {
  bound_published,
  bound_best,
  seen_longest,
  seen_average,
  by_offsets_longest,  ///< without early releasing; 0 where there are no offsets
  by_offsets_average,
  columns
};
constexpr std::array<const char*, columns> names{"bound_published",   "bound_best",         "simulated_longest",
                                                 "simulated_average", "by_offsets_longest", "by_offsets_average"};

struct platform_choice {
  std::string cell;
  graph_platform platform;
};

struct case_study {
  std::vector<platform_choice> platforms;
  std::int64_t invocations = 0;
  std::int64_t shortest_percent = 0;
  std::uint64_t seed = 0;
};

[[nodiscard]] auto cameras_on(const graph_platform& platform, std::int64_t cameras) -> std::unique_ptr<described> {
  auto out = std::make_unique<described>();
  for (std::int64_t c = 0; c < cameras; ++c) {
    const auto cluster = static_cast<std::int32_t>(c % static_cast<std::int64_t>(platform.clusters.size()));
    (void)generation::add_hog_graph(*out, "camera", cluster);
  }
  return out;
}

[[nodiscard]] auto longest_of(std::span<const ticks> values) -> ticks {
  return values.empty() ? 0 : *std::ranges::max_element(values);
}

/// The longest end-to-end bound in microseconds; 0 without.
template <class Timing>
[[nodiscard]] auto bound_of(const Timing& timing, std::size_t graphs) -> std::int64_t {
  if (!timing.bounded()) { return 0; }
  return ceil_divide<ticks>(longest_of(std::span<const ticks>{timing.end_to_end}.first(graphs)), 1000);
}

/// Writes the longest and the mean response of a run to `out`.
void run(const simulation::graph_workload<ticks>& work, const case_study& s, const graph_platform& platform, bool early,
         std::span<std::int64_t> out) {
  simulation::invocations<ticks> releases(work.clocks.size());
  for (auto& clock : releases) {
    for (std::int64_t j = 0; j < s.invocations; ++j) { clock.push_back(j * generation::hog_period); }
  }
  simulation::graph_options options;
  options.gpu = {.sms = platform.sms, .each = {.threads = platform.threads_per_sm}};
  options.early_release = early;
  const simulation::random_lengths lengths{s.seed, s.shortest_percent};
  const auto result = simulation::simulate_graphs(work, releases, options, lengths);
  if (!result.ok()) {
    throw environment_error{"a graph of this study cannot be run: this is a fault of takt, please report it"};
  }
  ticks longest = 0;
  ticks sum = 0;
  for (std::size_t g = 0; g < result.responses.size(); ++g) {
    longest = std::max(longest, result.worst_response(g));
    for (const ticks r : result.responses[g]) { sum += r / 1000; }
  }
  out[0] = longest / 1000;
  out[1] = sum / (s.invocations * static_cast<std::int64_t>(result.responses.size()));
}

void judge_sequential(const described& table, mode m, const graph_platform& platform, const case_study& s,
                      std::span<std::int64_t> counts) {
  const std::span<const std::int32_t> clusters{platform.clusters.data(), platform.clusters.size()};
  const auto grain = m == mode::coarse ? analysis::graph_grain::node : analysis::graph_grain::graph;
  const auto bounds = [&](analysis::coarse_kernel_bound kernels) {
    using timing = decltype(analysis::coarse_bounds(table, platform));
    return std::make_unique<timing>(analysis::coarse_bounds(table, platform, {.grain = grain, .kernels = kernels}));
  };
  const auto best = bounds(analysis::coarse_kernel_bound::one_at_once);
  counts[bound_published] = bound_of(bounds(analysis::coarse_kernel_bound::separated)->timing, table.graphs.size());
  counts[bound_best] = bound_of(best->timing, table.graphs.size());
  if (m == mode::monolithic) {
    run(simulation::monolithic_workload(table, clusters), s, platform, true, counts.subspan(seen_longest));
    return;
  }
  // Without a bound the nodes are released with their graph, and their predecessors alone hold them back.
  const std::vector<ticks> none(table.nodes.size(), 0);
  const std::span<const ticks> offsets = best->timing.bounded() ? std::span<const ticks>{best->timing.offset} : none;
  const auto work = simulation::coarse_workload<ticks>(table, clusters, offsets);
  run(work, s, platform, true, counts.subspan(seen_longest));
  if (best->timing.bounded()) { run(work, s, platform, false, counts.subspan(by_offsets_longest)); }
}

void judge_fine(const described& table, mode m, const graph_platform& platform, const case_study& s,
                std::span<std::int64_t> counts) {
  const std::span<const std::int32_t> clusters{platform.clusters.data(), platform.clusters.size()};
  const auto nodes = std::make_unique<refined>(refine(table));
  const auto policy = m == mode::fine_fl ? gel_policy::fair_lateness : gel_policy::earliest_deadline;
  const auto bounds = [&](analysis::point_shift shift, analysis::kernel_bound kernels) {
    return std::make_unique<analysis::timing_of<refined>>(
        analysis::fine_bounds(*nodes, platform, {.policy = policy, .shift = shift, .kernels = kernels}));
  };
  const auto best = bounds(analysis::point_shift::to_zero, analysis::kernel_bound::best);
  counts[bound_published] =
      bound_of(*bounds(analysis::point_shift::if_negative, analysis::kernel_bound::separated), table.graphs.size());
  counts[bound_best] = bound_of(*best, table.graphs.size());
  const auto points = simulation::node_points(*nodes, clusters, policy);
  const auto work = simulation::fine_workload<ticks>(*nodes, clusters, best->offset, points);
  run(work, s, platform, true, counts.subspan(seen_longest));
  if (best->bounded()) { run(work, s, platform, false, counts.subspan(by_offsets_longest)); }
}

[[nodiscard]] auto make_counter(const case_study& s) -> counter {
  return [s](const unit& u, std::span<std::int64_t> counts) {
    const auto& platform = s.platforms[u.series / modes.size()].platform;
    const mode m = modes[u.series % modes.size()].value;
    const auto table = cameras_on(platform, u.level / 1000);
    if (m == mode::fine_edf || m == mode::fine_fl) {
      judge_fine(*table, m, platform, s, counts);
    } else {
      judge_sequential(*table, m, platform, s, counts);
    }
  };
}

[[nodiscard]] auto design(const settings& s) -> experiment {
  experiment e;
  e.title = "Pedestrian detection (Yang et al. 2018, Table 1, with times made up): response by cameras";
  e.level_title = "cameras";
  e.level_name = "cameras";
  e.share_title = "response (ms)";
  e.measured = measure::thousandths;
  e.levels = s.levels("levels");
  const auto whole = [](std::int64_t l) { return l % 1000 == 0 && l <= 1000 * std::int64_t{most_cameras}; };
  if (!std::ranges::all_of(e.levels, whole)) {
    throw input_error{"levels", "is not a number of cameras", fmt::format("whole, from 1 to {}", most_cameras)};
  }
  e.sets = e.sets_per_unit = 1;
  e.keys = {"cpus", "mode"};
  e.columns.assign(names.begin(), names.end());
  e.panels_per_row = 2;
  case_study all;
  all.invocations = s.number("invocations", 1, 1000);
  all.shortest_percent = s.number("shortest", 0, 100);
  all.seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX));
  for (const std::int32_t clusters : {1, 2}) {
    graph_platform p;
    for (std::int32_t c = 0; c < clusters; ++c) { (void)p.clusters.push_back(16 / clusters); }
    p.sms = 80;
    p.threads_per_sm = 2048;
    all.platforms.push_back({clusters == 1 ? "16" : "2x8", p});
    panel bounds{.title = fmt::format("bounds, {} CPUs (0: none)", all.platforms.back().cell), .curves = {}};
    panel seen{.title = fmt::format("simulated, {} CPUs: longest", all.platforms.back().cell), .curves = {}};
    for (std::size_t m = 0; m < modes.size(); ++m) {
      const std::size_t series = e.all_series.size();
      const std::string title{modes[m].title};
      const auto colour = static_cast<int>(m);
      bounds.curves.push_back({series, bound_published, title + ", as published", colour, stroke::dashed});
      bounds.curves.push_back({series, bound_best, title, colour, stroke::solid});
      if (modes[m].value != mode::monolithic) {
        seen.curves.push_back({series, seen_longest, title, colour, stroke::solid});
      }
      e.all_series.push_back({{all.platforms.back().cell, std::string{modes[m].cell}}});
    }
    e.panels.push_back(std::move(bounds));
    e.panels.push_back(std::move(seen));
  }
  e.make_counter = [all] { return make_counter(all); };
  return e;
}

}  // namespace

auto openvx_camera_studies() -> std::vector<study> {
  return {{"openvx-cameras",
           "pedestrian detection as monolithic, coarse and fine graphs, by cameras: bounds and simulated responses",
           {{"levels", "1..6/1", "cameras"},
            {"invocations", "12", "of each graph, all at once and periodic"},
            {"shortest", "90", "execution in percent of the longest"},
            {"seed", "1", "of the lengths"}},
           design}};
}

}  // namespace takt::program::old_sweep
