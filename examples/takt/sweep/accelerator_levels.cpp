// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/analysis/known/whole_kernels/as_published.hpp>
#include <takt/analysis/known/whole_kernels/whole_gpu_edf.hpp>
#include <takt/rules/accelerator/earliest_deadline_first.hpp>
#include <takt/rules/accelerator/level_stack.hpp>
#include <takt/simulation/accelerator/simulate.hpp>

#include "accelerator_sets.hpp"
#include "accelerator_studies.hpp"

namespace takt::program::sweep {

namespace {

using analysis::edf_report;

struct cost_model {
  preemption_cost_model model;
  std::string_view cell;
  std::string_view title;
};
constexpr std::array cost_models{
    cost_model{preemption_cost_model::ideal, "ideal", "preemption at the end of a wave"},
    cost_model{preemption_cost_model::race, "race", "each start may lose a race against a wave"},
    cost_model{preemption_cost_model::overhead, "overhead", "each preemption wastes a wave"},
};

constexpr std::int32_t most_levels = 4;
constexpr std::int32_t printed_levels = 2;

/// Columns after one for each number of levels.
enum extra : std::uint8_t { any = most_levels, as_printed, accepted_but_missed, printed_but_missed, columns };
constexpr std::array<const char*, columns> names{
    "levels_1",          "levels_2", "levels_3", "levels_4", "any", "levels_2_printed", "accepted_but_missed",
    "printed_but_missed"};

struct level_setting {
  generation::accelerator_set_options options;
  preemption_cost_model model = preemption_cost_model::ideal;
};

/// Whether jobs that come as badly as they may are all in time.
[[nodiscard]] auto runs_without_miss(const kernel_table& table, std::int32_t levels, preemption_cost_model model,
                                     std::uint64_t seed) -> bool {
  ticks longest = 0;
  for (const auto& t : table.tasks) { longest = std::max(longest, t.period); }
  const auto releases = simulation::hostile_releases(table, 3 * longest, seed);
  const simulation::accelerator_options<ticks> options{.costs = model};
  return simulation::simulate_accelerator(earliest_deadline_first{}, level_stack<most_kernels>{levels}, table, releases,
                                          options)
             .misses() == 0;
}

void count_set(const kernel_table& table, preemption_cost_model model, std::uint64_t seed,
               std::span<std::int64_t> counts) {
  bool accepted = false;
  bool missed = false;
  for (std::int32_t levels = 1; levels <= most_levels; ++levels) {
    if (!analysis::level_stack_edf<edf_report::verdict_only>(table, levels, model).schedulable()) { continue; }
    ++counts[static_cast<std::size_t>(levels) - 1];
    accepted = true;
    missed = missed || !runs_without_miss(table, levels, model, seed);
  }
  counts[any] += accepted ? 1 : 0;
  counts[accepted_but_missed] += missed ? 1 : 0;
  if (analysis::as_published::level_stack_edf(table, printed_levels).schedulable()) {
    ++counts[as_printed];
    counts[printed_but_missed] += runs_without_miss(table, printed_levels, model, seed) ? 0 : 1;
  }
}

[[nodiscard]] auto make_counter(std::vector<level_setting> all, std::uint64_t seed) -> counter {
  return [all = std::move(all), seed](const unit& u, std::span<std::int64_t> counts) {
    level_setting setting = all[u.series];
    setting.options.gang_utilization_permille = static_cast<std::int32_t>(u.level);
    kernel_table table;
    for (std::int64_t i = 0; i < u.sets; ++i) {
      const std::uint64_t number = set_number(u.level, u.first_set + i);
      draw(setting.options, seed, number, table);
      count_set(table, setting.model, seed ^ number, counts);
    }
  };
}

[[nodiscard]] auto curves_of(std::size_t series) -> std::vector<curve> {
  constexpr std::array colours{5, 0, 2, 1};
  std::vector<curve> out;
  for (std::int32_t levels = 1; levels <= most_levels; ++levels) {
    const auto column = static_cast<std::size_t>(levels) - 1;
    out.push_back({.series = series,
                   .column = column,
                   .title = fmt::format("{} level{}", levels, levels == 1 ? ", no preemption" : "s"),
                   .colour = colours[column]});
  }
  out.push_back({.series = series,
                 .column = as_printed,
                 .title = fmt::format("{} levels, Lemma 1 as printed: unsound", printed_levels),
                 .colour = colours[printed_levels - 1],
                 .line = stroke::dashed});
  return out;
}

[[nodiscard]] auto design(const settings& s) -> experiment {
  experiment e;
  apply_accelerator(s, e);
  e.title = "Accelerator platform: what preemption levels are worth under EDF, by what a preemption costs";
  e.level_title = "utilization of the accelerator";
  e.keys = {"wave_percent", "cost"};
  e.columns.assign(names.begin(), names.end());
  generation::accelerator_set_options options{.cores = 1,
                                              .tasks_per_core = 0,
                                              .gang_tasks = static_cast<std::int32_t>(s.number("tasks", 1, 10)),
                                              .periods = period_list(s, "periods")};
  options.least_deadline_percent = static_cast<std::int32_t>(s.number("deadline", 1, 100));
  std::vector<level_setting> all;
  for (const std::int64_t percent : s.numbers("waves", 0, 100)) {
    for (const cost_model& c : cost_models) {
      e.panels.push_back({.title = fmt::format("waves of {} % of a kernel: {}", percent, c.title),
                          .curves = curves_of(e.all_series.size())});
      e.all_series.push_back({{fmt::format("{}", percent), std::string{c.cell}}});
      options.wave_percent = static_cast<std::int32_t>(percent);
      all.push_back({options, c.model});
    }
  }
  const auto seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX));
  e.make_counter = [all, seed] { return make_counter(all, seed); };
  return e;
}

}  // namespace

auto accelerator_level_studies() -> std::vector<study> {
  return {{"accelerator-levels", "acceptance with 1 to 4 preemption levels, by what a preemption costs",
           accelerator_parameters({{"levels", "0.1..1.0/0.1", "utilization of the accelerator"},
                                   {"tasks", "5", "per set"},
                                   {"periods", "10,12,15,20,24,30,40,60", "of the tasks"},
                                   {"deadline", "75", "shortest deadline in percent of its period"},
                                   {"waves", "5,25", "length of a wave in percent of its kernel"}}),
           design}};
}

}  // namespace takt::program::sweep
