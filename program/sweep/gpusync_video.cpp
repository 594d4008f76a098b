// SPDX-License-Identifier: Apache-2.0
// Elliott 2015, section 5.5, simulated: how smoothly graphs stabilize videos, and how long a frame takes.
#include <algorithm>
#include <array>
#include <cmath>

#include <takt/systems/locked_gpus/figures/published_delays.hpp>
#include <takt/systems/locked_gpus/figures/video_graphs.hpp>
#include <takt/systems/locked_gpus/simulation/completion_delays.hpp>
#include <takt/systems/locked_gpus/simulation/video_stabilization.hpp>

#include "../failure.hpp"
#include "study.hpp"

namespace takt::program::sweep {

namespace {

using generation::delay_row;
using generation::published_delays;
using generation::video_rates;
using simulation::graph_configurations;
using simulation::graph_output;

constexpr ticks second = 1'000'000'000;

/// How graphs run, and what is measured: in (from, options.until].
struct graph_setting {
  generation::video_times times;
  simulation::graph_study_options options;
  ticks from;

  explicit graph_setting(const settings& s)
      : times{.spread_percent = s.number("spread"), .cpu_percent = s.number("cpu-percent")},
        options{.until = s.number("seconds") * second,
                .least = (100 - times.spread_percent) * 1000 / (100 + times.spread_percent),
                .scene = s.number("scene") * (second / 1000),
                .copies = s.number("copies"),
                .slice = s.number("slice") * 1000,
                .bus = {.each = s.number("bus"), .most = s.number("bus-limit")},
                .seed = s.seed()},
        from{s.number("warm-up") * second} {
    if (from >= options.until) { throw input_error{"warm-up", "leaves nothing to measure", "less than seconds"}; }
  }

  /// The output of the graphs in a configuration.
  [[nodiscard]] auto operator()(std::size_t configuration) const -> std::vector<graph_output> {
    auto out = simulation::simulate_graph_study(generation::make_video_graphs(times),
                                                generation::video_copy_costs(times), generation::video_accesses,
                                                generation::video_delays, graph_configurations[configuration], options);
    require(!out.empty(), "a simulation failed");
    return out;
  }
};

[[nodiscard]] auto parameters(std::vector<parameter> own) -> std::vector<parameter> {
  return with(
      {{"seed", "1", "of phases and times"},
       {"seconds", "60", "of each run; 400 in the paper", 1, 3600},
       {"warm-up", "5", "seconds at the beginning that are not measured", 0, 3600},
       {"spread", "25", "percent by which times are above and below their means", 0, 99},
       {"scene", "1000", "milliseconds for which the frames of a graph are alike in half of that; 0: never", 0,
        3'600'000},
       {"cpu-percent", "100", "of the CPU time outside of token sections", 1, 1000},
       {"copies", "0", "of every object; 0: one per node on the longest path, which is 9", 0, 1000},
       {"slice", "3000", "microseconds of round robin", 1, 1'000'000},
       {"bus", "0", "thousandths by which each other piece of work on CPUs and each copy slows one down", 0, 10'000},
       {"bus-limit", "16", "how many others slow it down at most", 0, 1000}},
      std::move(own));
}

/// A series for each configuration, drawn in each panel with one of the columns.
void add_configurations(experiment& e, const std::vector<std::size_t>& columns) {
  using scheduler = simulation::graph_scheduler;
  constexpr std::array by_tokens{2, 3, 4, 0};
  for (const auto& c : graph_configurations) {
    const int colour = c.manages_gpu() ? by_tokens[c.tokens <= 3 ? static_cast<std::size_t>(c.tokens) : 0]
                       : c.cpus == scheduler::round_robin    ? 5
                       : c.cpus == scheduler::fixed_priority ? 6
                                                             : 1;
    const bool plain = c.engines == service_order::first_come && !c.spins;
    e.add_series(c.name);
    e.draw_across(c.name, colour, plain ? stroke::solid : stroke::dashed, columns);
  }
}

// Completion delays.

/// Of the graphs of a period.
[[nodiscard]] auto averages(const std::vector<graph_output>& graphs, const graph_setting& setting, ticks period)
    -> simulation::average_delays {
  std::vector<simulation::delay_summary> found;
  for (const graph_output& g : graphs) {
    if (g.period != period) { continue; }
    found.push_back(simulation::summarize_delays(g.completions, period, setting.from, setting.options.until));
  }
  return simulation::average(found, std::vector<ticks>(found.size(), period));
}

[[nodiscard]] auto text_of(const delay_row& hundredths) -> std::string {
  std::string out;
  for (std::size_t k = 0; k < hundredths.size(); ++k) {
    out += fmt::format("{}{}.{:02}",
                       k == 0                     ? ""
                       : k == generation::longest ? " | "
                                                  : " ",
                       hundredths[k] / 100, hundredths[k] % 100);
  }
  return out;
}

/// Table 5.14 beside what is published, and what the paper observes in it.
[[nodiscard]] auto remarks_of(const tally& counts) -> std::vector<std::string> {
  std::vector<std::string> out{
      "all graphs: % dropped | longest, 99.9 %, 99 %, median, mean, deviation of the delays, in periods; [published]"};
  std::vector<generation::configuration_delays> all;
  for (std::size_t c = 0; c < graph_configurations.size(); ++c) {
    std::array<delay_row, video_rates.size()> by_rate{};
    for (std::size_t r = 0; r < by_rate.size(); ++r) { std::ranges::copy(counts.counts(c, r), by_rate[r].begin()); }
    const delay_row found = generation::over_all_graphs(by_rate);
    all.push_back({graph_configurations[c].name, found});
    delay_row rounded{};
    std::ranges::transform(found, rounded.begin(), [](std::int64_t thousandths) { return (thousandths + 5) / 10; });
    out.push_back(fmt::format("{}: {}", graph_configurations[c].name, text_of(rounded)));
    if (c < published_delays.size()) { out.back() += fmt::format(" [{}]", text_of(published_delays[c].row)); }
  }
  for (const auto& o : generation::delay_observations) {
    out.push_back(fmt::format("claim: {}: {}", o.text, o.holds({all, 1000}) ? "yes" : "no"));
  }
  return out;
}

void delays(const settings& s, experiment& e) {
  for (const auto& r : video_rates) { e.levels.push_back(r.milliseconds * 1000); }
  e.panels = {{"dropped (%)", {}}, {"99 % of the delays are up to", {}}, {"standard deviation", {}}};
  add_configurations(e, {generation::dropped, generation::longest_of_990, generation::deviation});
  const graph_setting setting{s};
  e.count = once_per_series(e.series.size(), setting, [setting](const auto& graphs, const unit& u, row counts) {
    const auto a = averages(graphs, setting, u.level * 1000);
    std::ranges::copy(delay_row{a.dropped / 10, a.longest / 1000, a.longest_of_999 / 1000, a.longest_of_990 / 1000,
                                a.median / 1000, a.mean / 1000, a.deviation / 1000},
                      counts.begin());
  });
  e.remarks = remarks_of;
}

// Latencies.

void latencies(const settings& s, experiment& e) {
  e.panels = {{"latencies up to (%)", {}}, {"latencies above: 1 in ten to the power of", {}}};
  e.panels_per_row = 2;
  add_configurations(e, {0, 2});
  const graph_setting setting{s};
  e.count =
      once_per_series(e.series.size(), setting, [from = setting.from](const auto& graphs, const unit& u, row counts) {
        // Of the frames that are complete in the measured time, in thousandths of periods, ascending.
        std::vector<ticks> seen;
        for (const graph_output& g : graphs) {
          for (std::size_t j = 0; j < g.latencies.size(); ++j) {
            if (g.completions[j] > from) { seen.push_back(ceil_divide<ticks>(g.latencies[j] * 1000, g.period)); }
          }
        }
        if (seen.empty()) { return; }
        std::ranges::sort(seen);
        const auto frames = static_cast<std::int64_t>(seen.size());
        const std::int64_t above = simulation::count_above(seen, u.level);
        counts[0] = (frames - above) * 100'000 / frames;
        counts[1] = above * 100'000 / frames;
        // Nothing above is shown as one frame would be.
        const double share = static_cast<double>(std::max<std::int64_t>(above, 1)) / static_cast<double>(frames);
        counts[2] = std::llround(-1000 * std::log10(share));
        counts[3] = frames;
      });
}

}  // namespace

auto gpusync_video_studies() -> std::vector<study> {
  return {
      {"gpusync-video", "seventeen video graphs on six CPUs and one GPU: drops and times between frames, simulated",
       layout("GPUSync (Elliott 2015), Tables 5.3 to 5.14: times between the frames of 17 video graphs", "period",
              "period of the graph (ms)", "in periods", {"configuration"},
              {"dropped_percent", "longest", "longest_of_999", "longest_of_990", "median", "mean", "deviation"},
              measure::thousandths),
       parameters({}), delays},
      {"gpusync-video-latency", "end-to-end latencies of the same graphs as distribution and tail, simulated",
       layout("GPUSync (Elliott 2015), Fig. 5.21 and 5.22: end-to-end latencies of 17 video graphs", "latency",
              "latency in periods", "%, or power of ten", {"configuration"},
              {"up_to_percent", "above_percent", "above_power_of_ten", "frames_in_thousands"}, measure::thousandths),
       parameters({{"levels", "0.2,0.4,0.6,0.8,1,1.2,1.5,2,3,4,5,6,8,10,15,20,30,40", "latencies in periods"}}),
       latencies},
  };
}

}  // namespace takt::program::sweep
