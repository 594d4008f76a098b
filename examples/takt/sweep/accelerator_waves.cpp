// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/rules/accelerator/highest_priority_first.hpp>
#include <takt/rules/accelerator/level_stack.hpp>
#include <takt/simulation/accelerator/simulate.hpp>

#include "../failure.hpp"
#include "accelerator_sets.hpp"
#include "accelerator_studies.hpp"

namespace takt::program::sweep {

namespace {

using pair_table = accelerator_table<ticks, 2>;
constexpr ticks wave_length = 8;

/// The response of the low task of so many waves, and of the high one of one wave, released one tick later.
struct pair_of_responses {
  ticks low = 0;
  ticks high = 0;
};

[[nodiscard]] auto run_pair(std::int64_t waves, bool with_high, preemption_cost_model model) -> pair_of_responses {
  const ticks period = (waves + 2) * wave_length * 2;
  pair_table table;
  for (const std::int64_t w : {std::int64_t{1}, waves}) {
    (void)table.add({.name = generation::generated_name(table.size()),
                     .wcet = w * wave_length,
                     .period = period,
                     .deadline = period,
                     .preemption_cost = wave_length,
                     .width = kernel_width::all_cores,
                     .priority = static_cast<std::int32_t>(table.size())});
  }
  constexpr ticks until = 2;
  const std::array<ticks, 2> offsets{with_high ? 1 : until, 0};
  const simulation::periodic_releases<ticks, pair_table::max_tasks> releases{table, until, offsets};
  const auto run = simulation::simulate_accelerator(highest_priority_first{}, level_stack<pair_table::max_tasks>{2},
                                                    table, releases, {.costs = model});
  return {run.tasks[1].worst_response, run.tasks[0].worst_response};
}

[[nodiscard]] auto fig10(const settings& s) -> experiment {
  constexpr std::array<std::pair<preemption_cost_model, std::string_view>, 3> models{
      std::pair{preemption_cost_model::ideal, "ideal"},
      {preemption_cost_model::race, "race"},
      {preemption_cost_model::overhead, "overhead"}};
  experiment e;
  e.title = "Accelerator platform (Zahaf and Lipari 2020), Fig. 10: preemption at the end of a wave of blocks";
  e.level_title = "waves of the low task (64 blocks each)";
  e.level_name = "waves";
  e.share_title = fmt::format("response (a wave takes {})", wave_length);
  e.measured = measure::thousandths;
  e.levels = s.levels("levels");
  if (std::ranges::any_of(e.levels, [](std::int64_t l) { return l % 1000 != 0; })) {
    throw input_error{"levels", "a number of waves is not whole", "\"1..8/1\" or \"1,2,4\""};
  }
  e.sets = e.sets_per_unit = 1;
  e.keys = {"cost"};
  e.columns = {"low_alone", "low_with_high", "high"};
  for (const auto& [model, cell] : models) {
    panel p{.title = fmt::format("cost of a preemption: {}", cell), .curves = {}};
    const std::size_t series = e.all_series.size();
    p.curves = {{.series = series, .column = 0, .title = "low task alone", .colour = 0},
                {.series = series, .column = 1, .title = "low task, high one started after it", .colour = 1},
                {.series = series, .column = 2, .title = "high task (one wave)", .colour = 2}};
    e.panels.push_back(std::move(p));
    e.all_series.push_back({{std::string{cell}}});
  }
  e.make_counter = [models] {
    return [models](const unit& u, std::span<std::int64_t> counts) {
      const auto model = models[u.series].first;
      const auto both = run_pair(u.level / 1000, true, model);
      counts[0] = 1000 * run_pair(u.level / 1000, false, model).low;
      counts[1] = 1000 * both.low;
      counts[2] = 1000 * both.high;
    };
  };
  return e;
}

}  // namespace

auto accelerator_wave_studies() -> std::vector<study> {
  return {
      {"accelerator-fig10",
       "preemption at the end of a wave: the low task alone and with the high one, simulated",
       {{"levels", "1..8/1", "waves of the low task"}},
       fig10},
  };
}

}  // namespace takt::program::sweep
