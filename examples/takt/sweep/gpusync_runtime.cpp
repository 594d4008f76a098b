// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <takt/simulation/gpusync/published_sets.hpp>
#include <takt/simulation/gpusync/simulate.hpp>
#include <takt/simulation/gpusync/statistics.hpp>

#include "../failure.hpp"
#include "gpusync_runtime.hpp"

namespace takt::program::old_sweep {

namespace {

using simulation::gpu_choice;
using simulation::published_set;
using simulation::published_table;
using run_result = gpusync_observation<published_table::max_tasks>;

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

[[nodiscard]] auto run(const published_set& s, const gpusync_simulation_options& o) -> run_result {
  run_result out = simulate(s.platform, s.tasks, o);
  if (out.error) { throw environment_error{"a simulation failed: this is a fault of takt, please report it"}; }
  return out;
}

[[nodiscard]] constexpr auto thousandths(std::int64_t part, std::int64_t whole) -> std::int64_t {
  return whole > 0 ? part * 1000 / whole : 0;
}

struct variant {
  std::string_view cell;
  std::string_view title;
  cpu_scheduler scheduler;
  service_order engines;
  int colour;
};
constexpr std::array variants{
    variant{"edf_fifo", "C-EDF, engines in order of arrival", cpu_scheduler::earliest_deadline,
            service_order::first_come, 0},
    variant{"rm_priority", "C-RM, engines in order of priority", cpu_scheduler::shortest_period,
            service_order::priority, 1},
    variant{"edf_priority", "C-EDF, engines in order of priority", cpu_scheduler::earliest_deadline,
            service_order::priority, 2},
};

void add_curves(experiment& e, const std::string& title, int colour, stroke line, std::size_t panels) {
  for (std::size_t p = 0; p < panels; ++p) {
    e.panels[p].curves.push_back(
        {.series = e.all_series.size(), .column = p, .title = title, .colour = colour, .line = line});
  }
}

// Budgets and predictions.

[[nodiscard]] auto budgets(const settings& s) -> experiment {
  experiment e;
  e.title = "GPUSync (Elliott 2015), section 4.4.1: tasks that overrun tenfold";
  e.level_title = "seconds between overruns of a task";
  e.level_name = "interval";
  e.share_title = "share";
  e.measured = measure::thousandths;
  e.levels = s.levels("levels");
  if (e.levels.front() < 100) { throw input_error{"levels", "an interval is too short", "at least 0.1"}; }
  e.sets = e.sets_per_unit = 1;
  e.keys = {"scheduler", "budgets"};
  e.columns = {"engine_t1", "engine_t2", "late_jobs", "close_t1", "close_t2", "jobs_left_out"};
  e.panels = {{"execution engine, T1", {}},
              {"execution engine, T2", {}},
              {"late jobs", {}},
              {"predictions within 5 %, T1", {}}};
  const std::int64_t seconds = s.number("seconds", 1, 3600);
  const auto seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX));
  constexpr std::array policies{overrun_policy::none, overrun_policy::early_release};
  for (std::size_t v = 0; v < 2; ++v) {
    for (const overrun_policy& p : policies) {
      const bool limited = p.limits();
      add_curves(e, std::string{variants[v].title} + (limited ? ", budgets" : ""), variants[v].colour,
                 limited ? stroke::solid : stroke::dashed, e.panels.size());
      e.all_series.push_back({{std::string{variants[v].cell}, limited ? "early_release" : "none"}});
    }
  }
  e.make_counter = [seconds, seed] {
    return [seconds, seed](const unit& u, std::span<std::int64_t> counts) {
      const variant& v = variants[u.series / 2];
      const published_set set = simulation::mixed_set(v.scheduler, v.engines, seed);
      const auto wild = simulation::aberrant_tasks(set, u.level * nanoseconds_per_second / 1000);
      const ticks horizon = seconds * nanoseconds_per_second;
      const auto r = run(set, {.horizon = duration{horizon},
                               .seed = seed,
                               .peer_percent = {100, 50, 100, 100},
                               .budgets = u.series % 2 == 0 ? overrun_policy::none : overrun_policy::early_release,
                               .aberrant = wild});
      const auto close = [&](std::size_t task, std::int64_t percent) {
        return simulation::accuracy_of(r.run.sections, task, 0, percent).share();
      };
      std::int64_t left_out = 0;
      std::int64_t released = 0;
      for (const auto& a : r.activities) { left_out += static_cast<std::int64_t>(a.skipped); }
      for (const auto& t : r.tasks) { released += static_cast<std::int64_t>(t.released); }
      counts[0] = thousandths(r.activities[simulation::first_reported_task].execution, horizon);
      counts[1] = thousandths(r.activities[simulation::second_reported_task].execution, horizon);
      counts[2] = thousandths(static_cast<std::int64_t>(r.misses()), released);
      counts[3] = close(simulation::first_reported_task, 5);
      counts[4] = close(simulation::second_reported_task, 20);
      counts[5] = thousandths(left_out, released);
    };
  };
  return e;
}

// Affinity.

struct choice {
  std::string_view cell;
  gpu_choice how;
  stroke line;
};
constexpr std::array choices{choice{"affinity", gpu_choice::predicted, stroke::solid},
                             choice{"shortest", gpu_choice::shortest_queue, stroke::dashed},
                             choice{"random", gpu_choice::random, stroke::dashed}};

[[nodiscard]] auto affinity(const settings& s) -> experiment {
  experiment e;
  e.title = "GPUSync (Elliott 2015), Table 4.9: how often state moves to a near and to a far GPU";
  e.level_title = "seconds between overruns of a task";
  e.level_name = "interval";
  e.share_title = "share of token sections";
  e.measured = measure::thousandths;
  e.levels = s.levels("levels");
  if (e.levels.front() < 100) { throw input_error{"levels", "an interval is too short", "at least 0.1"}; }
  e.sets = e.sets_per_unit = 1;
  e.keys = {"scheduler", "choice"};
  e.columns = {"near", "far", "near_t1", "far_t1", "near_t2", "far_t2"};
  e.panels = {{"near", {}}, {"far", {}}};
  const std::int64_t seconds = s.number("seconds", 1, 3600);
  const auto seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX));
  for (std::size_t v = 0; v < 2; ++v) {
    for (std::size_t c = 0; c < choices.size(); ++c) {
      add_curves(e, std::string{variants[v].title} + ", " + std::string{choices[c].cell},
                 static_cast<int>(c) + (v == 0 ? 0 : 3), choices[c].line, e.panels.size());
      e.all_series.push_back({{std::string{variants[v].cell}, std::string{choices[c].cell}}});
    }
  }
  e.make_counter = [seconds, seed] {
    return [seconds, seed](const unit& u, std::span<std::int64_t> counts) {
      const variant& v = variants[u.series / choices.size()];
      const published_set set = simulation::mixed_set(v.scheduler, v.engines, seed);
      const auto wild = simulation::aberrant_tasks(set, u.level * nanoseconds_per_second / 1000);
      const auto r = run(set, {.horizon = duration{seconds * nanoseconds_per_second},
                               .seed = seed,
                               .choice = choices[u.series % choices.size()].how,
                               .peer_percent = {100, 50, 100, 100},
                               .budgets = overrun_policy::early_release,
                               .aberrant = wild});
      std::array<std::int64_t, 2> moved{};
      for (const auto& a : r.activities) {
        for (std::size_t d = 0; d < 2; ++d) { moved[d] += static_cast<std::int64_t>(a.moved[d + 1]); }
      }
      for (std::size_t d = 0; d < 2; ++d) {
        const auto of = [&](std::size_t task) {
          return thousandths(static_cast<std::int64_t>(r.activities[task].moved[d + 1]),
                             static_cast<std::int64_t>(r.activities[task].sections));
        };
        counts[d] = thousandths(moved[d], static_cast<std::int64_t>(r.sections()));
        counts[2 + d] = of(simulation::first_reported_task);
        counts[4 + d] = of(simulation::second_reported_task);
      }
    };
  };
  return e;
}

// Feature tracking.

struct clustering {
  std::string_view cell;
  std::int32_t gpus;
  migration_path path;
  int colour;
};
constexpr std::array clusterings{clustering{"1", 1, migration_path::none, 0},
                                 clustering{"2_peer", 2, migration_path::peer_to_peer, 1},
                                 clustering{"4_peer", 4, migration_path::peer_to_peer, 2},
                                 clustering{"2_memory", 2, migration_path::system_memory, 4},
                                 clustering{"4_memory", 4, migration_path::system_memory, 5}};

[[nodiscard]] auto tracking(const settings& s) -> experiment {
  experiment e;
  e.title = "GPUSync (Elliott 2015), Fig. 4.20 to 4.22: responses of feature tracking";
  e.level_title = "part of the jobs";
  e.level_name = "part";
  e.share_title = "response / period";
  e.measured = measure::thousandths;
  e.levels = s.levels("levels");
  if (e.levels.front() < 1 || e.levels.back() > 1000) {
    throw input_error{"levels", "is not a part", "above 0, at most 1"};
  }
  e.sets = e.sets_per_unit = 1;
  e.keys = {"scheduler", "gpus"};
  e.columns = {"response", "migrations"};
  const std::int64_t seconds = s.number("seconds", 1, 3600);
  const std::int64_t kernel = s.number("kernel", 1, 1'000'000) * 1000;
  const auto seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX));
  for (const variant& v : variants) {
    e.panels.push_back({std::string{v.title}, {}});
    for (const clustering& c : clusterings) {
      const bool memory = c.path == migration_path::system_memory;
      e.panels.back().curves.push_back({.series = e.all_series.size(),
                                        .column = 0,
                                        .title = "GPUs per cluster, migration: " + std::string{c.cell},
                                        .colour = c.colour,
                                        .line = memory ? stroke::dashed : stroke::solid});
      e.all_series.push_back({{std::string{v.cell}, std::string{c.cell}}});
    }
  }
  e.make_counter = [seconds, kernel, seed] {
    return [seconds, kernel, seed](const unit& u, std::span<std::int64_t> counts) {
      const variant& v = variants[u.series / clusterings.size()];
      const clustering& c = clusterings[u.series % clusterings.size()];
      published_set set = simulation::feature_tracking(c.gpus, v.scheduler, v.engines, kernel);
      set.platform.shape.migration = c.path;
      const auto r = run(set, {.horizon = duration{seconds * nanoseconds_per_second}, .seed = seed});
      std::vector<ticks> all;
      for (std::size_t i = 0; i < set.tasks.size(); ++i) {
        const auto one = simulation::normalized_responses(r.run, i, set.tasks.tasks[i].period);
        all.insert(all.end(), one.begin(), one.end());
      }
      std::ranges::sort(all);
      counts[0] = simulation::quantile(all, u.level);
      counts[1] = thousandths(static_cast<std::int64_t>(r.migrations()), static_cast<std::int64_t>(r.sections()));
    };
  };
  return e;
}

}  // namespace

auto gpusync_runtime_studies() -> std::vector<study> {
  const parameter seed{"seed", "1", "of periods and random choices"};
  return {
      {"gpusync-budgets",
       "what tasks that overrun get with and without budgets, and what predictions are then worth, simulated",
       {seed,
        {"seconds", "20", "of each run; 180 in the paper"},
        {"levels", "0.25,0.5,1,2,5", "seconds between overruns"}},
       budgets},
      {"gpusync-affinity",
       "migrations with affinity, without, and at random, simulated",
       {seed, {"seconds", "20", "of each run; 180 in the paper"}, {"levels", "0.5,1,2,5", "seconds between overruns"}},
       affinity},
      {"gpusync-tracking",
       "responses of thirty video streams by clustering and migration, simulated",
       {seed,
        {"seconds", "20", "of each run; 120 in the paper"},
        {"kernel", "6000", "microseconds of a small frame on a GPU; not printed in the paper"},
        {"levels", "0.1,0.25,0.5,0.75,0.9,0.95,0.99,1", "parts of the jobs"}},
       tracking}};
}

}  // namespace takt::program::old_sweep
