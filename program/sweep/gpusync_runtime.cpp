// SPDX-License-Identifier: Apache-2.0
// Elliott 2015, section 4.4, simulated: budgets, predictions, migrations and feature tracking.
#include <algorithm>
#include <array>

#include <takt/systems/locked_gpus/simulation/completion_delays.hpp>
#include <takt/systems/locked_gpus/simulation/published_sets.hpp>
#include <takt/systems/locked_gpus/simulation/simulate.hpp>

#include "study.hpp"

namespace takt::program::sweep {

namespace {

using simulation::first_reported_task;
using simulation::published_set;
using simulation::second_reported_task;
using takt::host::gpu_choice;
using run_result = gpusync_observation<simulation::published_table::max_tasks>;

constexpr ticks second = 1'000'000'000;

[[nodiscard]] auto run(const published_set& s, const gpusync_simulation_options& o) -> run_result {
  run_result out = simulate(s.platform, s.tasks, o);
  require(!out.error, "a simulation failed");
  return out;
}

/// Schedulers of CPUs and engines.
struct scheduling {
  cpu_scheduler cpus;
  service_order engines;
};
constexpr auto edf = cpu_scheduler::earliest_deadline;
constexpr std::array<compared<scheduling>, 3> variants{{
    {{edf, service_order::first_come}, "edf_fifo", "C-EDF, engines in order of arrival", 0},
    {{cpu_scheduler::shortest_period, service_order::priority}, "rm_priority", "C-RM, engines in order of priority", 1},
    {{edf, service_order::priority}, "edf_priority", "C-EDF, engines in order of priority", 2},
}};
constexpr std::size_t mixed_variants = 2;

/// A run of the published mixed set whose tasks overrun tenfold, once in so many thousandths of a second.
[[nodiscard]] auto run_mixed(const scheduling& by, std::int64_t interval, ticks horizon, std::uint64_t seed,
                             gpu_choice choice, const overrun_policy& budgets) -> run_result {
  const published_set set = simulation::mixed_set(by.cpus, by.engines, seed);
  return run(set, {.horizon = duration{horizon},
                   .seed = seed,
                   .gpus = {.choice = choice, .peer_percent = {100, 50, 100, 100}},
                   .budgets = budgets,
                   .aberrant = simulation::aberrant_tasks(set, interval * (second / 1000))});
}

void budgets(const settings& s, experiment& e) {
  e.panels = {{"execution engine, T1", {}},
              {"execution engine, T2", {}},
              {"late jobs", {}},
              {"predictions within 5 %, T1", {}}};
  for (std::size_t v = 0; v < mixed_variants; ++v) {
    for (const bool limited : {false, true}) {
      e.add_series(variants[v].cell, limited ? "early_release" : "none");
      e.draw_across(fmt::format("{}{}", variants[v].title, limited ? ", budgets" : ""), variants[v].colour,
                    limited ? stroke::solid : stroke::dashed);
    }
  }
  e.count = [horizon = s.number("seconds") * second, seed = s.seed()](const unit& u, row counts) {
    const auto r = run_mixed(variants[u.series / 2].what, u.level, horizon, seed, gpu_choice::predicted,
                             u.series % 2 == 0 ? overrun_policy::none : overrun_policy::early_release);
    std::uint64_t left_out = 0;
    std::uint64_t released = 0;
    for (const auto& a : r.activities) { left_out += a.skipped; }
    for (const auto& t : r.tasks) { released += t.released; }
    counts[0] = thousandths(r.activities[first_reported_task].execution, horizon);
    counts[1] = thousandths(r.activities[second_reported_task].execution, horizon);
    counts[2] = thousandths(r.misses(), released);
    counts[3] = simulation::accuracy_of(r.run.sections, first_reported_task, 0, 5).share();
    counts[4] = simulation::accuracy_of(r.run.sections, second_reported_task, 0, 20).share();
    counts[5] = thousandths(left_out, released);
  };
}

constexpr std::array<compared<gpu_choice>, 3> choices{{{gpu_choice::predicted, "affinity", {}, 0},
                                                       {gpu_choice::shortest_queue, "shortest", {}, 1, stroke::dashed},
                                                       {gpu_choice::random, "random", {}, 2, stroke::dashed}}};

void affinity(const settings& s, experiment& e) {
  e.panels = {{"near", {}}, {"far", {}}};
  for (std::size_t v = 0; v < mixed_variants; ++v) {
    for (const auto& c : choices) {
      e.add_series(variants[v].cell, c.cell);
      e.draw_across(fmt::format("{}, {}", variants[v].title, c.cell), c.colour + (v == 0 ? 0 : 3), c.line);
    }
  }
  e.count = [horizon = s.number("seconds") * second, seed = s.seed()](const unit& u, row counts) {
    const auto r = run_mixed(variants[u.series / choices.size()].what, u.level, horizon, seed,
                             choices[u.series % choices.size()].what, overrun_policy::early_release);
    for (std::size_t d = 0; d < 2; ++d) {
      std::uint64_t moved = 0;
      for (const auto& a : r.activities) { moved += a.moved[d + 1]; }
      counts[d] = thousandths(moved, r.sections());
      for (const std::size_t task : {first_reported_task, second_reported_task}) {
        const auto& a = r.activities[task];
        counts[d + (task == first_reported_task ? 2 : 4)] = thousandths(a.moved[d + 1], a.sections);
      }
    }
  };
}

struct clustering {
  std::int32_t gpus;
  migration_path path;
};
constexpr std::array<compared<clustering>, 5> clusterings{
    {{{1, migration_path::none}, "1", {}, 0},
     {{2, migration_path::peer_to_peer}, "2_peer", {}, 1},
     {{4, migration_path::peer_to_peer}, "4_peer", {}, 2},
     {{2, migration_path::system_memory}, "2_memory", {}, 4, stroke::dashed},
     {{4, migration_path::system_memory}, "4_memory", {}, 5, stroke::dashed}}};

void tracking(const settings& s, experiment& e) {
  for (const auto& v : variants) {
    e.add_panel(std::string{v.title});
    for (const auto& c : clusterings) {
      e.add_series(v.cell, c.cell);
      e.draw(0, fmt::format("GPUs per cluster, migration: {}", c.cell), c.colour, c.line);
    }
  }
  e.count = [horizon = s.number("seconds") * second, kernel = s.number("kernel") * 1000, seed = s.seed()](const unit& u,
                                                                                                          row counts) {
    const auto& by = variants[u.series / clusterings.size()].what;
    const auto& c = clusterings[u.series % clusterings.size()].what;
    published_set set = simulation::feature_tracking(c.gpus, by.cpus, by.engines, kernel);
    set.platform.shape.migration = c.path;
    const auto r = run(set, {.horizon = duration{horizon}, .seed = seed});
    std::vector<ticks> all;
    for (std::size_t i = 0; i < set.tasks.size(); ++i) {
      const auto one = simulation::normalized_responses(r.run, i, set.tasks.tasks[i].period);
      all.insert(all.end(), one.begin(), one.end());
    }
    std::ranges::sort(all);
    counts[0] = simulation::quantile(all, u.level);
    counts[1] = thousandths(r.migrations(), r.sections());
  };
}

}  // namespace

auto gpusync_runtime_studies() -> std::vector<study> {
  const auto parameters = [](int published, std::vector<parameter> own) {
    return with({{"seed", "1", "of periods and random choices"},
                 {"seconds", "20", fmt::format("of each run; {} in the paper", published), 1, 3600}},
                std::move(own));
  };
  return {
      {"gpusync-budgets",
       "what tasks that overrun get with and without budgets, and what predictions are then worth, simulated",
       layout("GPUSync (Elliott 2015), section 4.4.1: tasks that overrun tenfold", "interval",
              "seconds between overruns of a task", "share", {"scheduler", "budgets"},
              {"engine_t1", "engine_t2", "late_jobs", "close_t1", "close_t2", "jobs_left_out"}, measure::thousandths),
       parameters(180, {{"levels", "0.25,0.5,1,2,5", "seconds between overruns", 100}}), budgets},
      {"gpusync-affinity", "migrations with affinity, without, and at random, simulated",
       layout("GPUSync (Elliott 2015), Table 4.9: how often state moves to a near and to a far GPU", "interval",
              "seconds between overruns of a task", "share of token sections", {"scheduler", "choice"},
              {"near", "far", "near_t1", "far_t1", "near_t2", "far_t2"}, measure::thousandths),
       parameters(180, {{"levels", "0.5,1,2,5", "seconds between overruns", 100}}), affinity},
      {"gpusync-tracking", "responses of thirty video streams by clustering and migration, simulated",
       layout("GPUSync (Elliott 2015), Fig. 4.20 to 4.22: responses of feature tracking", "part", "part of the jobs",
              "response / period", {"scheduler", "gpus"}, {"response", "migrations"}, measure::thousandths),
       parameters(120,
                  {{"kernel", "6000", "microseconds of a small frame on a GPU; not printed in the paper", 1, 1'000'000},
                   {"levels", "0.1,0.25,0.5,0.75,0.9,0.95,0.99,1", "parts of the jobs", 1, 1000}}),
       tracking},
  };
}

}  // namespace takt::program::sweep
