// SPDX-License-Identifier: Apache-2.0
#include "gpusync_video.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <takt/generation/locked_gpus/video_graphs.hpp>
#include <takt/simulation/gpusync/completion_delays.hpp>
#include <takt/simulation/gpusync/video_stabilization.hpp>

#include "../failure.hpp"
#include "engine.hpp"
#include "old_study.hpp"

namespace takt::program::old_sweep {

namespace {

using simulation::graph_configurations;
using simulation::graph_output;

constexpr ticks second = 1'000'000'000;

/// Table 5.14 in hundredths; nothing is published of the configurations that are not in it.
struct published_row {
  std::int64_t dropped = 0;
  std::array<std::int64_t, 6> delays{};  ///< longest, 99.9 %, 99 %, median, mean, deviation
};
constexpr std::array<published_row, 11> table_5_14{{
    {0, {920, 633, 165, 97, 100, 37}},
    {477, {1112, 983, 425, 189, 188, 99}},
    {0, {1212, 840, 422, 86, 100, 93}},
    {3783, {965, 764, 370, 169, 174, 47}},
    {3788, {953, 753, 370, 169, 174, 46}},
    {699, {426, 305, 178, 113, 115, 20}},
    {723, {454, 334, 178, 114, 116, 20}},
    {0, {367, 237, 139, 99, 100, 15}},
    {0, {383, 238, 141, 99, 100, 16}},
    {0, {399, 222, 151, 99, 100, 21}},
    {0, {392, 323, 160, 98, 100, 26}},
}};

/// Everything that decides what is simulated.
struct run_settings {
  generation::video_times times;
  simulation::graph_study_options options;
  ticks from = 0;
};

[[nodiscard]] auto run_settings_of(const settings& s) -> run_settings {
  run_settings out;
  const std::int64_t seconds = s.number("seconds", 1, 3600);
  out.times = {.spread_percent = s.number("spread", 0, 99), .cpu_percent = s.number("cpu-percent", 1, 1000)};
  out.options = {.until = seconds * second,
                 .least = (100 - out.times.spread_percent) * 1000 / (100 + out.times.spread_percent),
                 .scene = s.number("scene", 0, 3'600'000) * (second / 1000),
                 .copies = s.number("copies", 0, 1000),
                 .slice = s.number("slice", 1, 1'000'000) * 1000,
                 .seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX))};
  const std::int64_t warm_up = s.number("warm-up", 0, 3600);
  if (warm_up >= seconds) { throw input_error{"warm-up", "leaves nothing to measure", "less than seconds"}; }
  out.from = warm_up * second;
  return out;
}

/// The output of each configuration, simulated once for all levels.
class outputs {
 public:
  explicit outputs(const run_settings& s) : settings_{s} {}

  [[nodiscard]] auto of(std::size_t configuration) -> const std::vector<graph_output>& {
    entry& e = entries_[configuration];
    std::call_once(e.once, [&] {
      e.graphs = simulation::simulate_graph_study(
          generation::make_video_graphs(settings_.times), generation::video_copy_costs(settings_.times),
          generation::video_accesses, generation::video_delays, graph_configurations[configuration], settings_.options);
      if (e.graphs.empty()) {
        throw environment_error{"a simulation failed: this is a fault of takt, please report it"};
      }
    });
    return e.graphs;
  }
  [[nodiscard]] auto measured() const noexcept -> const run_settings& { return settings_; }

 private:
  struct entry {
    std::once_flag once;
    std::vector<graph_output> graphs;
  };
  run_settings settings_;
  std::array<entry, graph_configurations.size()> entries_;
};

[[nodiscard]] auto common_parameters() -> std::vector<parameter> {
  return {{"seed", "1", "of phases and times"},
          {"seconds", "60", "of each run; 400 in the paper"},
          {"warm-up", "5", "seconds at the beginning that are not measured"},
          {"spread", "25", "percent by which times are above and below their means"},
          {"scene", "1000", "milliseconds for which the frames of a graph are alike in half of that; 0: never"},
          {"cpu-percent", "100", "of the CPU time outside of token sections"},
          {"copies", "0", "of every object; 0: one per node on the longest path, which is 9"},
          {"slice", "3000", "microseconds of round robin"}};
}

/// Colours and strokes that tell the configurations of a picture apart.
void add_curves(experiment& e, std::size_t series, std::size_t panel, std::size_t column) {
  const auto& c = graph_configurations[series];
  const bool first_come = c.engines == service_order::first_come;
  const int colour = c.manages_gpu()                                         ? (c.tokens == 1   ? 3
                                                                                : c.tokens == 2 ? 4
                                                                                : c.tokens == 3 ? 0
                                                                                                : 2)
                     : c.cpus == simulation::graph_scheduler::round_robin    ? 5
                     : c.cpus == simulation::graph_scheduler::fixed_priority ? 6
                                                                             : 1;
  e.panels[panel].curves.push_back({.series = series,
                                    .column = column,
                                    .title = std::string{c.name},
                                    .colour = colour,
                                    .line = first_come && !c.spins ? stroke::solid : stroke::dashed});
}

[[nodiscard]] auto base(std::string title) -> experiment {
  experiment e;
  e.title = std::move(title);
  e.measured = measure::thousandths;
  e.sets = e.sets_per_unit = 1;
  e.keys = {"configuration"};
  for (const auto& c : graph_configurations) { e.all_series.push_back({{std::string{c.name}}}); }
  return e;
}

// Completion delays.

enum delay_column : std::uint8_t { dropped, longest, longest_of_999, longest_of_990, median, mean, deviation, columns };

struct rate {
  std::int64_t period = 0;  ///< milliseconds
  std::int64_t graphs = 0;
};
constexpr std::array<rate, 6> rates{{{20, 2}, {30, 2}, {40, 2}, {60, 5}, {80, 4}, {100, 2}}};

[[nodiscard]] auto averages(const std::vector<graph_output>& graphs, const run_settings& s, ticks period)
    -> simulation::average_delays {
  std::vector<simulation::delay_summary> all;
  std::vector<ticks> periods;
  for (const graph_output& g : graphs) {
    if (g.period != period) { continue; }
    all.push_back(simulation::summarize_delays(g.completions, g.period, s.from, s.options.until));
    periods.push_back(g.period);
  }
  return simulation::average(all, periods);
}

using table_row = std::array<std::int64_t, columns>;

/// Over all graphs, in thousandths of what the columns count: drops by frames, delays by graphs.
[[nodiscard]] auto rows_of(const tally& counts) -> std::array<table_row, graph_configurations.size()> {
  constexpr std::int64_t common = 1'200;  // a multiple of all periods
  std::array<table_row, graph_configurations.size()> out{};
  for (std::size_t c = 0; c < out.size(); ++c) {
    std::int64_t frames = 0;
    std::int64_t graphs = 0;
    for (std::size_t r = 0; r < rates.size(); ++r) {
      const auto cell = counts.counts(c, r);
      const std::int64_t weight = rates[r].graphs * (common / rates[r].period);
      out[c][dropped] += cell[dropped] * weight;
      for (std::size_t k = longest; k < columns; ++k) { out[c][k] += cell[k] * rates[r].graphs; }
      frames += weight;
      graphs += rates[r].graphs;
    }
    out[c][dropped] /= frames;
    for (std::size_t k = longest; k < columns; ++k) { out[c][k] /= graphs; }
  }
  return out;
}
[[nodiscard]] constexpr auto rounded(std::int64_t thousandths) -> std::int64_t { return (thousandths + 5) / 10; }
[[nodiscard]] auto text(std::int64_t hundredths) -> std::string {
  return fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
}

/// Table 5.14 beside what is published, and what the paper observes in it.
[[nodiscard]] auto remarks_of(const tally& counts) -> std::vector<std::string> {
  const auto rows = rows_of(counts);
  std::vector<std::string> out{
      "all graphs: % dropped | longest, 99.9 %, 99 %, median, mean, deviation of the delays, in periods; [published]"};
  for (std::size_t c = 0; c < rows.size(); ++c) {
    std::string line = fmt::format("{}: {} |", graph_configurations[c].name, text(rounded(rows[c][dropped])));
    for (std::size_t k = longest; k < columns; ++k) { line += ' ' + text(rounded(rows[c][k])); }
    if (c < table_5_14.size()) {
      line += fmt::format(" [{} |", text(table_5_14[c].dropped));
      for (const std::int64_t d : table_5_14[c].delays) { line += ' ' + text(d); }
      line += ']';
    }
    out.push_back(line);
  }
  const auto of = [&rows](std::string_view name) -> const table_row& {
    std::size_t at = 0;
    while (graph_configurations[at].name != name) { ++at; }
    return rows[at];
  };
  const auto claim = [&out](std::string_view what, bool holds) {
    out.push_back(fmt::format("claim: {}: {}", what, holds ? "yes" : "no"));
  };
  constexpr std::int64_t one_percent = 1'000;
  const auto drops = [&of](std::string_view name) { return of(name)[dropped] > one_percent; };
  claim("one token drops frames (observation 42)", drops("(1 6 FIFO)") && drops("(1 6 PRIO)"));
  claim("two tokens drop frames (42)", drops("(2 3 FIFO)") && drops("(2 3 PRIO)"));
  claim("three and six tokens drop none (43)",
        std::ranges::none_of(std::array{"(3 2 FIFO)", "(3 2 PRIO)", "(6 1 FIFO)", "(6 1 PRIO)"}, drops));
  const std::int64_t best = of("(3 2 FIFO)")[deviation];
  claim("(3 2 FIFO) has the least deviation of those without drops (47)",
        std::ranges::all_of(rows, [&](const auto& r) { return r[dropped] > one_percent || r[deviation] >= best; }));
  claim("engines in order of arrival vary less than in order of priority (46)",
        best <= of("(3 2 PRIO)")[deviation] && of("(6 1 FIFO)")[deviation] <= of("(6 1 PRIO)")[deviation]);
  for (const std::string_view busy : {"", " busy"}) {
    const std::int64_t edf = of(fmt::format("C-EDF{}", busy))[deviation];
    claim(fmt::format("C-EDF{} is bursty, its deviation above twice that of (3 2 FIFO) (43, 49)", busy),
          edf > 2 * best);
    claim(fmt::format("SCHED_OTHER{} varies less than C-EDF{} (44)", busy, busy),
          of(fmt::format("SCHED_OTHER{}", busy))[deviation] < edf);
    claim(fmt::format("SCHED_FIFO{} drops frames (42)", busy), drops(fmt::format("SCHED_FIFO{}", busy)));
  }
  return out;
}

[[nodiscard]] auto delays(const settings& s) -> experiment {
  experiment e = base("GPUSync (Elliott 2015), Tables 5.3 to 5.14: times between the frames of 17 video graphs");
  e.level_title = "period of the graph (ms)";
  e.level_name = "period";
  e.share_title = "in periods";
  for (const rate& r : rates) { e.levels.push_back(r.period * 1000); }
  e.columns = {"dropped_percent", "longest", "longest_of_999", "longest_of_990", "median", "mean", "deviation"};
  e.panels = {{"dropped (%)", {}}, {"99 % of the delays are up to", {}}, {"standard deviation", {}}};
  for (std::size_t c = 0; c < graph_configurations.size(); ++c) {
    add_curves(e, c, 0, dropped);
    add_curves(e, c, 1, longest_of_990);
    add_curves(e, c, 2, deviation);
  }
  const auto all = std::make_shared<outputs>(run_settings_of(s));
  e.make_counter = [all] {
    return [all](const unit& u, std::span<std::int64_t> counts) {
      const auto a = averages(all->of(u.series), all->measured(), u.level * 1000);
      counts[dropped] = a.dropped / 10;
      counts[longest] = a.longest / 1000;
      counts[longest_of_999] = a.longest_of_999 / 1000;
      counts[longest_of_990] = a.longest_of_990 / 1000;
      counts[median] = a.median / 1000;
      counts[mean] = a.mean / 1000;
      counts[deviation] = a.deviation / 1000;
    };
  };
  e.remarks = remarks_of;
  return e;
}

// Latencies.

/// Of the frames that are complete in the measured time, in thousandths of periods, ascending.
[[nodiscard]] auto normalized_latencies(const std::vector<graph_output>& graphs, const run_settings& s)
    -> std::vector<ticks> {
  std::vector<ticks> out;
  for (const graph_output& g : graphs) {
    for (std::size_t j = 0; j < g.latencies.size(); ++j) {
      if (g.completions[j] > s.from) { out.push_back(ceil_divide<ticks>(g.latencies[j] * 1000, g.period)); }
    }
  }
  std::ranges::sort(out);
  return out;
}

[[nodiscard]] auto latencies(const settings& s) -> experiment {
  experiment e = base("GPUSync (Elliott 2015), Fig. 5.21 and 5.22: end-to-end latencies of 17 video graphs");
  e.level_title = "latency in periods";
  e.level_name = "latency";
  e.share_title = "%, or power of ten";
  e.levels = s.levels("levels");
  e.columns = {"up_to_percent", "above_percent", "above_power_of_ten", "frames_in_thousands"};
  e.panels = {{"latencies up to (%)", {}}, {"latencies above: 1 in ten to the power of", {}}};
  e.panels_per_row = 2;
  for (std::size_t c = 0; c < graph_configurations.size(); ++c) {
    add_curves(e, c, 0, 0);
    add_curves(e, c, 1, 2);
  }
  const auto all = std::make_shared<outputs>(run_settings_of(s));
  e.make_counter = [all] {
    return [all](const unit& u, std::span<std::int64_t> counts) {
      const auto seen = normalized_latencies(all->of(u.series), all->measured());
      const auto frames = static_cast<std::int64_t>(seen.size());
      const std::int64_t above = simulation::count_above(seen, u.level);
      if (frames == 0) { return; }
      counts[0] = (frames - above) * 100'000 / frames;
      counts[1] = above * 100'000 / frames;
      // Nothing above is shown as one frame would be.
      const double share = static_cast<double>(std::max<std::int64_t>(above, 1)) / static_cast<double>(frames);
      counts[2] = std::llround(-1000 * std::log10(share));
      counts[3] = frames;
    };
  };
  return e;
}

}  // namespace

auto gpusync_video_studies() -> std::vector<study> {
  auto with_levels = common_parameters();
  with_levels.push_back({"levels", "0.2,0.4,0.6,0.8,1,1.2,1.5,2,3,4,5,6,8,10,15,20,30,40", "latencies in periods"});
  return {{"gpusync-video", "seventeen video graphs on six CPUs and one GPU: drops and times between frames, simulated",
           common_parameters(), delays},
          {"gpusync-video-latency", "end-to-end latencies of the same graphs as distribution and tail, simulated",
           std::move(with_levels), latencies}};
}

}  // namespace takt::program::old_sweep
