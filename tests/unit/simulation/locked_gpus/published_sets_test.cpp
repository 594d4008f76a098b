// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <takt/systems/locked_gpus/simulation/completion_delays.hpp>
#include <takt/systems/locked_gpus/simulation/published_sets.hpp>
#include <takt/systems/locked_gpus/simulation/simulate.hpp>
#include <takt/systems/locked_gpus/tasks/requests.hpp>
#include "support/traces.hpp"

namespace {

namespace simulation = takt::simulation;
using takt::cpu_scheduler;
using takt::duration;
using takt::service_order;
using takt::ticks;
using takt::host::gpu_choice;

constexpr duration second{1'000'000'000};

using result = takt::gpusync_observation<simulation::published_table::max_tasks>;

[[nodiscard]] auto run(const simulation::published_set& s, const takt::gpusync_simulation_options& o) -> result {
  result out = takt::simulate(s.platform, s.tasks, o);
  REQUIRE_FALSE(out.error);
  return out;
}

/// Time on CPUs and engines that a task received.
[[nodiscard]] auto received(const simulation::published_set& s, const result& r, std::size_t task) -> ticks {
  const auto& t = s.tasks.tasks[task];
  ticks sum = (t.wcet - t.cpu_in_gpu_section) * static_cast<ticks>(r.tasks[task].completed);
  for (const auto& section : r.run.sections) { sum += section.task == task ? section.cost : 0; }
  return sum;
}

/// How much more its worst response is, over its period, for the worst of the tasks that behave.
[[nodiscard]] auto worst_of_the_others(const simulation::published_set& s, const result& r,
                                       std::span<const simulation::aberrant_task> wild) -> ticks {
  ticks worst = 0;
  for (std::size_t i = 0; i < r.tasks.size(); ++i) {
    const bool behaves = std::ranges::none_of(wild, [i](const auto& a) { return a.task == i; });
    if (behaves) { worst = std::max(worst, r.tasks[i].worst_response * 1000 / s.tasks.tasks[i].period); }
  }
  return worst;
}

TEST_CASE("with budgets an aberrant task gets no more than its share, and the others less trouble" *
          takt_tests::traces("GSA-31")) {
  for (const auto scheduler : {cpu_scheduler::earliest_deadline, cpu_scheduler::shortest_period}) {
    const auto engines =
        scheduler == cpu_scheduler::earliest_deadline ? service_order::first_come : service_order::priority;
    const auto s = simulation::mixed_set(scheduler, engines);
    const auto wild = simulation::aberrant_tasks(s, second.count() / 4);
    REQUIRE(wild.size() == 16);
    takt::gpusync_simulation_options o{.horizon = second * 2, .aberrant = wild};
    const auto unlimited = run(s, o);
    o.budgets = takt::overrun_policy::early_release;
    const auto limited = run(s, o);
    // A job may have taken the budgets of nine jobs that were released after the end.
    const auto share_of = [&](std::size_t task, const result& r) {
      const auto& t = s.tasks.tasks[task];
      const auto own = takt::requests_of(s.platform.shape, s.platform.costs, t);
      return static_cast<ticks>(r.tasks[task].released + 9) * (t.wcet + own.kernel_time + own.copy_time());
    };
    for (const auto& a : wild) {
      CHECK(received(s, unlimited, a.task) > share_of(a.task, unlimited));
      CHECK(received(s, limited, a.task) <= share_of(a.task, limited));
      CHECK(limited.activities[a.task].skipped > 0);
    }
    CHECK(limited.misses() < unlimited.misses());
    CHECK(worst_of_the_others(s, limited, wild) < worst_of_the_others(s, unlimited, wild));
  }
}

TEST_CASE("predictions of steady tasks are close, and those of tasks that overrun less often" *
          takt_tests::traces("GSA-32")) {
  const auto s = simulation::mixed_set(cpu_scheduler::earliest_deadline, service_order::first_come);
  const auto wild = simulation::aberrant_tasks(s, second.count() / 4);
  takt::gpusync_simulation_options o{.horizon = second * 2};
  const auto steady = run(s, o);
  o.aberrant = wild;
  const auto disturbed = run(s, o);
  const auto within = [](const result& r, std::size_t task, std::int64_t percent) {
    return simulation::accuracy_of(r.run.sections, task, 0, percent);
  };
  const auto first = within(steady, simulation::first_reported_task, 5);
  CHECK(first.predicted > 50);
  CHECK(first.share() >= 950);
  CHECK(within(steady, simulation::second_reported_task, 20).share() >= 900);
  CHECK(within(disturbed, simulation::first_reported_task, 5).share() < first.share());
  CHECK(within(disturbed, simulation::first_reported_task, 5).worst_error > first.worst_error);
}

TEST_CASE("affinity moves jobs far less often than a random choice, which moves three quarters" *
          takt_tests::traces("GSA-33")) {
  const auto s = simulation::mixed_set(cpu_scheduler::earliest_deadline, service_order::first_come);
  const auto share_moved = [&](gpu_choice choice) {
    const auto r = run(s, {.horizon = second * 2, .gpus = {.choice = choice, .peer_percent = {100, 50, 100, 100}}});
    return 1000 * r.migrations() / r.sections();
  };
  const auto by_affinity = share_moved(gpu_choice::predicted);
  const auto at_random = share_moved(gpu_choice::random);
  CHECK(at_random > 650);
  CHECK(at_random < 800);
  CHECK(by_affinity * 4 < at_random);
}

TEST_CASE("feature tracking needs copies from GPU to GPU, and all but fails through system memory" *
          takt_tests::traces("GSA-34")) {
  const auto responses = [](const simulation::published_set& s) {
    const auto r = run(s, {.horizon = second * 2});
    std::vector<ticks> all;
    for (std::size_t i = 0; i < s.tasks.size(); ++i) {
      const auto one = simulation::normalized_responses(r.run, i, s.tasks.tasks[i].period);
      all.insert(all.end(), one.begin(), one.end());
    }
    std::ranges::sort(all);
    return all;
  };
  for (const std::int32_t gpus : {1, 2, 4}) {
    auto s = simulation::feature_tracking(gpus, cpu_scheduler::earliest_deadline, service_order::first_come);
    CHECK(s.tasks.size() == 30);
    const auto peer = responses(s);
    CHECK(peer.size() == 2 * (2 * 30 + 10 * 20 + 18 * 10) + 2);  // a period of 30 per second is rounded down
    CHECK(simulation::quantile(peer, 1000) == peer.back());
    CHECK(peer.back() < 2000);
    CHECK(simulation::quantile(peer, 500) < 1000);
    if (gpus == 1) { continue; }
    s.platform.shape.migration = takt::migration_path::system_memory;
    const auto system = responses(s);
    CHECK(system.back() > 3 * peer.back());
  }
}

}  // namespace
