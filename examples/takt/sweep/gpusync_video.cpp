// SPDX-License-Identifier: Apache-2.0
// Elliott 2015, section 5.5, simulated: how smoothly graphs stabilize videos, and how long a frame takes.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>

#include <takt/generation/locked_gpus/video_graphs.hpp>
#include <takt/simulation/gpusync/completion_delays.hpp>
#include <takt/simulation/gpusync/video_stabilization.hpp>

#include "../failure.hpp"
#include "engine.hpp"

namespace takt::program::sweep {

namespace {

using simulation::graph_configurations;
using simulation::graph_output;

constexpr ticks second = 1'000'000'000;

/// The output of each configuration, simulated once for all levels and workers.
class outputs {
 public:
  explicit outputs(const settings& s)
      : times_{.spread_percent = s.number("spread"), .cpu_percent = s.number("cpu-percent")},
        options_{.until = s.number("seconds") * second,
                 .least = (100 - times_.spread_percent) * 1000 / (100 + times_.spread_percent),
                 .scene = s.number("scene") * (second / 1000),
                 .copies = s.number("copies"),
                 .slice = s.number("slice") * 1000,
                 .seed = s.seed()},
        from_{s.number("warm-up") * second} {
    if (from_ >= options_.until) { throw input_error{"warm-up", "leaves nothing to measure", "less than seconds"}; }
  }

  [[nodiscard]] auto of(std::size_t configuration) -> const std::vector<graph_output>& {
    entry& e = entries_[configuration];
    std::call_once(e.once, [&] {
      e.graphs = simulation::simulate_graph_study(
          generation::make_video_graphs(times_), generation::video_copy_costs(times_), generation::video_accesses,
          generation::video_delays, graph_configurations[configuration], options_);
      require(!e.graphs.empty(), "a simulation failed");
    });
    return e.graphs;
  }
  /// What is measured is in (from, until].
  [[nodiscard]] auto from() const noexcept -> ticks { return from_; }
  [[nodiscard]] auto until() const noexcept -> ticks { return options_.until; }

 private:
  struct entry {
    std::once_flag once;
    std::vector<graph_output> graphs;
  };
  generation::video_times times_;
  simulation::graph_study_options options_;
  ticks from_;
  std::array<entry, graph_configurations.size()> entries_;
};

[[nodiscard]] auto parameters(std::vector<parameter> own) -> std::vector<parameter> {
  return with({{"seed", "1", "of phases and times"},
               {"seconds", "60", "of each run; 400 in the paper", 1, 3600},
               {"warm-up", "5", "seconds at the beginning that are not measured", 0, 3600},
               {"spread", "25", "percent by which times are above and below their means", 0, 99},
               {"scene", "1000", "milliseconds for which the frames of a graph are alike in half of that; 0: never", 0,
                3'600'000},
               {"cpu-percent", "100", "of the CPU time outside of token sections", 1, 1000},
               {"copies", "0", "of every object; 0: one per node on the longest path, which is 9", 0, 1000},
               {"slice", "3000", "microseconds of round robin", 1, 1'000'000}},
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
    for (std::size_t p = 0; p < e.panels.size(); ++p) {
      e.draw_in(p, columns[p], c.name, colour, plain ? stroke::solid : stroke::dashed);
    }
  }
}

// Completion delays.

enum delay_column : std::uint8_t { dropped, longest, longest_of_999, longest_of_990, median, mean, deviation, columns };
using table_row = std::array<std::int64_t, columns>;

/// Table 5.14 in hundredths, in the order of the columns; nothing is published of the configurations that are not in
/// it.
constexpr std::array<table_row, 11> table_5_14{{
    {0, 920, 633, 165, 97, 100, 37},
    {477, 1112, 983, 425, 189, 188, 99},
    {0, 1212, 840, 422, 86, 100, 93},
    {3783, 965, 764, 370, 169, 174, 47},
    {3788, 953, 753, 370, 169, 174, 46},
    {699, 426, 305, 178, 113, 115, 20},
    {723, 454, 334, 178, 114, 116, 20},
    {0, 367, 237, 139, 99, 100, 15},
    {0, 383, 238, 141, 99, 100, 16},
    {0, 399, 222, 151, 99, 100, 21},
    {0, 392, 323, 160, 98, 100, 26},
}};

struct rate {
  std::int64_t period = 0;  ///< milliseconds
  std::int64_t graphs = 0;
};
constexpr std::array<rate, 6> rates{{{20, 2}, {30, 2}, {40, 2}, {60, 5}, {80, 4}, {100, 2}}};

[[nodiscard]] auto averages(const std::vector<graph_output>& graphs, const outputs& all, ticks period)
    -> simulation::average_delays {
  std::vector<simulation::delay_summary> found;
  std::vector<ticks> periods;
  for (const graph_output& g : graphs) {
    if (g.period != period) { continue; }
    found.push_back(simulation::summarize_delays(g.completions, g.period, all.from(), all.until()));
    periods.push_back(g.period);
  }
  return simulation::average(found, periods);
}

/// Over all graphs, in thousandths of what the columns count: drops by frames, delays by graphs.
[[nodiscard]] auto row_of(const tally& counts, std::size_t configuration) -> table_row {
  constexpr std::int64_t common = 1'200;  // a multiple of all periods
  table_row out{};
  std::int64_t frames = 0;
  std::int64_t graphs = 0;
  for (std::size_t r = 0; r < rates.size(); ++r) {
    const auto cell = counts.counts(configuration, r);
    const std::int64_t weight = rates[r].graphs * (common / rates[r].period);
    for (std::size_t k = 0; k < columns; ++k) { out[k] += cell[k] * (k == dropped ? weight : rates[r].graphs); }
    frames += weight;
    graphs += rates[r].graphs;
  }
  for (std::size_t k = 0; k < columns; ++k) { out[k] /= k == dropped ? frames : graphs; }
  return out;
}

[[nodiscard]] auto text_of(const table_row& hundredths) -> std::string {
  std::string out;
  for (std::size_t k = 0; k < columns; ++k) {
    out += fmt::format("{}{}.{:02}",
                       k == dropped   ? ""
                       : k == longest ? " | "
                                      : " ",
                       hundredths[k] / 100, hundredths[k] % 100);
  }
  return out;
}

/// Table 5.14 beside what is published, and what the paper observes in it.
[[nodiscard]] auto remarks_of(const tally& counts) -> std::vector<std::string> {
  std::vector<std::string> out{
      "all graphs: % dropped | longest, 99.9 %, 99 %, median, mean, deviation of the delays, in periods; [published]"};
  std::map<std::string, table_row, std::less<>> rows;
  for (std::size_t c = 0; c < graph_configurations.size(); ++c) {
    const table_row row = row_of(counts, c);
    rows.emplace(graph_configurations[c].name, row);
    table_row rounded{};
    std::ranges::transform(row, rounded.begin(), [](std::int64_t thousandths) { return (thousandths + 5) / 10; });
    out.push_back(fmt::format("{}: {}", graph_configurations[c].name, text_of(rounded)));
    if (c < table_5_14.size()) { out.back() += fmt::format(" [{}]", text_of(table_5_14[c])); }
  }
  const auto claim = [&out](std::string_view what, bool holds) {
    out.push_back(fmt::format("claim: {}: {}", what, holds ? "yes" : "no"));
  };
  constexpr std::int64_t one_percent = 1'000;
  const auto drops = [&](const std::string& name) { return rows.at(name)[dropped] > one_percent; };
  const auto varies = [&](const std::string& name) { return rows.at(name)[deviation]; };
  claim("one token drops frames (observation 42)", drops("(1 6 FIFO)") && drops("(1 6 PRIO)"));
  claim("two tokens drop frames (42)", drops("(2 3 FIFO)") && drops("(2 3 PRIO)"));
  claim("three and six tokens drop none (43)",
        std::ranges::none_of(std::array{"(3 2 FIFO)", "(3 2 PRIO)", "(6 1 FIFO)", "(6 1 PRIO)"}, drops));
  const std::int64_t best = varies("(3 2 FIFO)");
  claim("(3 2 FIFO) has the least deviation of those without drops (47)",
        std::ranges::all_of(rows, [&](const auto& r) { return drops(r.first) || varies(r.first) >= best; }));
  claim("engines in order of arrival vary less than in order of priority (46)",
        best <= varies("(3 2 PRIO)") && varies("(6 1 FIFO)") <= varies("(6 1 PRIO)"));
  for (const std::string busy : {"", " busy"}) {
    const std::int64_t edf = varies("C-EDF" + busy);
    claim(fmt::format("C-EDF{} is bursty, its deviation above twice that of (3 2 FIFO) (43, 49)", busy),
          edf > 2 * best);
    claim(fmt::format("SCHED_OTHER{} varies less than C-EDF{} (44)", busy, busy), varies("SCHED_OTHER" + busy) < edf);
    claim(fmt::format("SCHED_FIFO{} drops frames (42)", busy), drops("SCHED_FIFO" + busy));
  }
  return out;
}

void delays(const settings& s, experiment& e) {
  for (const rate& r : rates) { e.levels.push_back(r.period * 1000); }
  e.panels = {{"dropped (%)", {}}, {"99 % of the delays are up to", {}}, {"standard deviation", {}}};
  add_configurations(e, {dropped, longest_of_990, deviation});
  e.count = [all = std::make_shared<outputs>(s)](const unit& u, std::span<std::int64_t> counts) {
    const auto a = averages(all->of(u.series), *all, u.level * 1000);
    counts[dropped] = a.dropped / 10;
    std::size_t column = longest;
    for (const ticks delay : {a.longest, a.longest_of_999, a.longest_of_990, a.median, a.mean, a.deviation}) {
      counts[column++] = delay / 1000;
    }
  };
  e.remarks = remarks_of;
}

// Latencies.

void latencies(const settings& s, experiment& e) {
  e.panels = {{"latencies up to (%)", {}}, {"latencies above: 1 in ten to the power of", {}}};
  e.panels_per_row = 2;
  add_configurations(e, {0, 2});
  e.count = [all = std::make_shared<outputs>(s)](const unit& u, std::span<std::int64_t> counts) {
    // Of the frames that are complete in the measured time, in thousandths of periods, ascending.
    std::vector<ticks> seen;
    for (const graph_output& g : all->of(u.series)) {
      for (std::size_t j = 0; j < g.latencies.size(); ++j) {
        if (g.completions[j] > all->from()) { seen.push_back(ceil_divide<ticks>(g.latencies[j] * 1000, g.period)); }
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
  };
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
