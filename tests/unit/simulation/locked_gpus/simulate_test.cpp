// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <takt/systems/locked_gpus/simulation/simulate.hpp>
#include "support/traces.hpp"

namespace {

using takt::duration;
using takt::model_fault;
using takt::ticks;

using task_list = takt::task_rows<takt::gpusync_task<ticks, 4>, 8>;
using board = takt::gpusync_board<>;

[[nodiscard]] auto gpu_task(ticks wcet, ticks period, std::int32_t cpu_cluster, std::int32_t gpu_cluster,
                            std::int64_t state = 0) -> task_list::task_type {
  task_list::task_type t{.wcet = wcet,
                         .period = period,
                         .deadline = period,
                         .cpu_in_gpu_section = wcet / 2,
                         .bytes_in = 3,
                         .bytes_out = 2,
                         .bytes_state = state,
                         .cpu_cluster = cpu_cluster,
                         .gpu_cluster = gpu_cluster};
  t.kernels.unchecked_push_back(9);
  return t;
}

[[nodiscard]] auto board_of(const takt::gpusync_configuration& c) -> board {
  board out;
  out.shape = c;
  for (auto& cost : out.costs.kinds) { cost = {0, 1, 1}; }
  return out;
}

struct slices {
  std::vector<takt::slice> all;
  void record(const takt::slice& s) { all.push_back(s); }
  void record(const takt::mark& /*m*/) {}
};

TEST_CASE("jobs stay on their clusters of CPUs and GPUs, and change GPU only from job to job" *
          takt_tests::traces("GSD-62")) {
  const board platform = board_of({.cpus = 4,
                                   .cpu_cluster_size = 2,
                                   .gpus = 4,
                                   .gpu_cluster_size = 2,
                                   .migration = takt::migration_path::peer_to_peer,
                                   .scheduler = takt::cpu_scheduler::earliest_deadline});
  task_list tasks;
  for (std::int32_t i = 0; i < 6; ++i) { tasks.add(gpu_task(4, 40 + 3 * i, i % 2, i % 2, 5)); }
  slices seen;
  const auto run = takt::simulate(
      platform, tasks, {.horizon = duration{4000}, .gpus = {.choice = takt::host::gpu_choice::random}}, seen);
  REQUIRE_FALSE(run.error);
  CHECK(run.migrations() > 0);
  std::vector<std::vector<std::int32_t>> gpus(run.run.locks.jobs.size());
  for (const takt::slice& s : seen.all) {
    const auto cluster = static_cast<std::int32_t>(s.task % 2);
    if (s.where.where == takt::stage::cpu) { CHECK(s.where.index / 2 == cluster); }
    if (s.where.where == takt::stage::kernel) {
      CHECK(s.where.gpu / 2 == cluster);
      gpus[run.run.tasks[s.task].first_job + s.job].push_back(s.where.gpu % 2);
    }
  }
  for (const auto& section : run.run.sections) { CHECK(gpus[section.job] == std::vector<std::int32_t>{section.gpu}); }
}

TEST_CASE("queues that are limited by CPUs alone let a request wait beside an idle token") {
  // Two tasks, two tokens of one GPU, three CPUs: nobody would ever have to wait for a token.
  const board platform = board_of({.cpus = 3, .cpu_cluster_size = 3, .tokens_per_gpu = 2});
  task_list tasks;
  tasks.add(gpu_task(4, 40, 0, 0));
  tasks.add(gpu_task(4, 43, 0, 0));
  takt::gpusync_simulation_options o{.horizon = duration{40'000}, .gpus = {.choice = takt::host::gpu_choice::random}};
  const auto limited = takt::simulate(platform, tasks, o);
  CHECK(limited.activities[0].worst.token + limited.activities[1].worst.token == 0);
  o.gpus.queues = takt::token_queue_length::for_cpus;
  const auto longer = takt::simulate(platform, tasks, o);
  CHECK(longer.activities[0].worst.token + longer.activities[1].worst.token > 0);
}

TEST_CASE("as many tasks as GPUs meet on one GPU, unless each is given its own" * takt_tests::traces("GSA-17")) {
  using takt::host::gpu_choice;
  board platform = board_of({.cpus = 2,
                             .cpu_cluster_size = 2,
                             .gpus = 2,
                             .gpu_cluster_size = 2,
                             .tokens_per_gpu = 2,
                             .migration = takt::migration_path::peer_to_peer});
  task_list tasks;
  tasks.add(gpu_task(4, 40, 0, 0, 5));
  tasks.add(gpu_task(4, 43, 0, 0, 5));
  takt::gpusync_simulation_options o{.horizon = duration{4000}, .gpus = {.choice = gpu_choice::shortest_queue}};
  const auto shared = takt::simulate(platform, tasks, o);
  CHECK(shared.activities[0].worst.execution + shared.activities[1].worst.execution > 0);
  platform.shape.uncontended = takt::uncontended_gpus::dedicated;
  for (const auto protocol : {takt::token_protocol::r2dglp, takt::token_protocol::ck_omlp}) {
    platform.shape.tokens = protocol;
    for (const gpu_choice choice : {gpu_choice::shortest_queue, gpu_choice::random, gpu_choice::predicted}) {
      o.gpus.choice = choice;
      const auto own = takt::simulate(platform, tasks, o);
      REQUIRE_FALSE(own.error);
      CHECK(own.migrations() == 0);
      CHECK(own.activities[0].worst.execution + own.activities[0].worst.copies + own.activities[0].worst.token == 0);
      for (const auto& section : own.run.sections) { CHECK(section.gpu == static_cast<std::int32_t>(section.task)); }
    }
  }
}

TEST_CASE("without limits of tokens jobs meet at the engines only") {
  const board platform = board_of({.cpus = 3, .cpu_cluster_size = 3, .tokens_per_gpu = takt::unlimited_tokens});
  task_list tasks;
  for (std::int32_t i = 0; i < 5; ++i) { tasks.add(gpu_task(2, 60 + i, 0, 0)); }
  const auto run = takt::simulate(platform, tasks, {.horizon = duration{10'000}});
  REQUIRE_FALSE(run.error);
  ticks engines = 0;
  for (const auto& t : run.activities) {
    CHECK(t.worst.token == 0);
    engines += t.worst.execution + t.worst.copies;
  }
  CHECK(engines > 0);
}

TEST_CASE("a token is kept until the end of the job where nothing marks its last GPU operation") {
  const board platform = board_of({});
  task_list tasks;
  tasks.add(gpu_task(10, 100, 0, 0));
  takt::gpusync_simulation_options o{.horizon = duration{100}};
  const auto early = takt::simulate(platform, tasks, o);
  o.gpus.token_until_end = true;
  const auto late = takt::simulate(platform, tasks, o);
  CHECK(early.tasks[0].worst_response == late.tasks[0].worst_response);
  CHECK(early.run.locks.requests[0].released == early.tasks[0].worst_response - 2);
  CHECK(late.run.locks.requests[0].released == late.tasks[0].worst_response);
}

TEST_CASE("GPUs without copy engines run kernels only") {
  const board platform = board_of({.copy_engines = 0});
  task_list tasks;
  auto t = gpu_task(2, 30, 0, 0);
  t.bytes_in = t.bytes_out = 0;
  tasks.add(t);
  const auto run = takt::simulate(platform, tasks, {.horizon = duration{300}});
  REQUIRE_FALSE(run.error);
  CHECK(run.tasks[0].worst_response == 11);
  CHECK(run.run.locks.requests.size() == 20);
}

TEST_CASE("schedulers order jobs by deadline, fair lateness, period and given priority") {
  // Two jobs are released together and run 10 each on one CPU; the first to run completes at 10.
  const auto first_to_run = [](takt::cpu_scheduler s, ticks demand) {
    const board platform = board_of({.cpus = 1, .gpus = 1, .scheduler = s});
    task_list tasks;
    tasks.add({.wcet = 10, .period = 50, .deadline = 40, .priority = 2});
    tasks.add({.wcet = 10, .period = 60, .deadline = 30, .priority = 1});
    const std::array<ticks, 2> demands{demand, 10};
    takt::gpusync_simulation_options o{.horizon = duration{10}};
    if (s == takt::cpu_scheduler::fair_lateness) { o.fair_demands = demands; }
    const auto run = takt::simulate(platform, tasks, o);
    REQUIRE_FALSE(run.error);
    return run.tasks[0].worst_response == 10 ? 0 : 1;
  };
  CHECK(first_to_run(takt::cpu_scheduler::earliest_deadline, 10) == 1);
  CHECK(first_to_run(takt::cpu_scheduler::shortest_period, 10) == 0);
  CHECK(first_to_run(takt::cpu_scheduler::given_priority, 10) == 1);
  CHECK(first_to_run(takt::cpu_scheduler::fair_lateness, 10) == 1);
  // With two CPUs half of the demand is taken off the deadline.
  const auto first_of_two = [](ticks demand) {
    const board platform = board_of({.cpus = 2, .cpu_cluster_size = 2, .gpus = 1});
    task_list tasks;
    for (std::int32_t i = 0; i < 2; ++i) { tasks.add({.wcet = 10, .period = 90, .deadline = i == 0 ? 40 : 30}); }
    tasks.add({.wcet = 10, .period = 90, .deadline = 5});
    const std::array<ticks, 3> demands{demand, 10, 10};
    const auto run = takt::simulate(platform, tasks, {.horizon = duration{10}, .fair_demands = demands});
    return run.tasks[0].worst_response == 10 ? 0 : 1;
  };
  CHECK(first_of_two(10) == 1);
  CHECK(first_of_two(40) == 0);
}

TEST_CASE("a job that has used up its budget ends its section, or takes the sections of later jobs") {
  const board platform = board_of({});
  task_list tasks;
  tasks.add(gpu_task(4, 100, 0, 0));
  const std::array wild{takt::simulation::aberrant_task{.task = 0, .repetitions = 8, .every = 20}};
  takt::gpusync_simulation_options o{.horizon = duration{2000}, .aberrant = wild};
  const ticks own = 9;
  CHECK(takt::simulate(platform, tasks, o).activities[0].execution == (20 + 7) * own);

  o.budgets = takt::overrun_policy::signal;
  const auto told = takt::simulate(platform, tasks, o);
  CHECK(told.activities[0].stopped == 1);
  CHECK(told.tasks[0].completed == 20);
  CHECK(told.activities[0].execution <= (20 + 1) * own);

  o.budgets = takt::overrun_policy::early_release;
  const auto later = takt::simulate(platform, tasks, o);
  CHECK(later.activities[0].skipped > 0);
  const auto within_its_share = [](const auto& seen) {
    ticks received = 0;
    for (const auto& s : seen.run.sections) { received += s.cost; }
    const ticks budget = 4 + 9 + 3 + 2;
    const auto jobs = [](std::uint64_t n) { return static_cast<ticks>(n); };
    return received + jobs(seen.tasks[0].completed) * 2 <= jobs(seen.tasks[0].released) * budget;
  };
  CHECK(within_its_share(later));
  CHECK(!within_its_share(told));

  o.budgets = {.signals = true, .releases_early = true};  // it is told, and later jobs pay for what it could not undo
  const auto both = takt::simulate(platform, tasks, o);
  CHECK(both.activities[0].stopped == 1);
  CHECK(both.activities[0].skipped > 0);
  CHECK(both.activities[0].skipped < later.activities[0].skipped);
  CHECK(within_its_share(both));
}

TEST_CASE("locked GPUs of a process that stands still catch up, or drop what is late, and count all of it") {
  const board platform = board_of({});
  task_list tasks;
  tasks.add(gpu_task(4, 100, 0, 0));
  tasks.add(gpu_task(4, 150, 0, 0));
  takt::gpusync_simulation_options o{.horizon = duration{12'000}};
  const auto usual = takt::simulate(platform, tasks, o);
  CHECK(usual.void_bounds.empty());
  const std::array stalls{takt::stall{3'001, 1'000}};
  o.stalls = stalls;
  const auto all = takt::simulate(platform, tasks, o);
  REQUIRE_FALSE(all.error);
  REQUIRE(all.void_bounds.size() == 1);
  CHECK(all.void_bounds[0].from == 3'001);
  CHECK(all.void_bounds[0].to >= 4'001);
  CHECK(all.void_bounds[0].to <= 3'001 + 1'000 + 1'000);
  o.on_late = takt::late_handling::skip_late;
  const auto skipped = takt::simulate(platform, tasks, o);
  o.on_late = takt::late_handling::newest_only;
  const auto newest = takt::simulate(platform, tasks, o);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(all.tasks[i].completed == usual.tasks[i].completed);
    CHECK(all.tasks[i].skipped == 0);
    for (const auto* seen : {&skipped, &newest}) {
      CHECK(seen->tasks[i].released == usual.tasks[i].released);
      CHECK(seen->tasks[i].completed + seen->tasks[i].skipped == seen->tasks[i].released);
      CHECK(seen->tasks[i].skipped >= 5);
      CHECK(seen->tasks[i].misses < all.tasks[i].misses);
    }
  }
  const std::array touching{takt::stall{5, 5}, takt::stall{10, 1}};
  o.stalls = touching;
  CHECK(takt::simulate(platform, tasks, o).error.name == "stalls");
}

TEST_CASE("what cannot be simulated is refused with its reason") {
  const board platform =
      board_of({.cpus = 2, .gpus = 2, .gpu_cluster_size = 2, .tokens = takt::token_protocol::ck_omlp});
  task_list tasks;
  tasks.add(gpu_task(4, 100, 0, 0));
  const auto fault = [&](const takt::gpusync_simulation_options& o) {
    return takt::simulate(platform, tasks, o).error.fault;
  };
  const auto latest = duration{takt::longest_transfer_time};
  CHECK(fault({.horizon = latest + duration{1}}) == model_fault::time_overflow);
  const std::array offsets{duration{-1}};
  CHECK(fault({.offsets = offsets}) == model_fault::negative_time);
  const std::array<std::int32_t, 2> few{0, 0};
  CHECK(fault({.gpus = {.distances = few}}) == model_fault::distances_do_not_fit);
  const std::array<std::int32_t, 4> far{0, 9, 9, 0};
  CHECK(fault({.gpus = {.distances = far}}) == model_fault::distances_do_not_fit);
  const std::array<ticks, 2> two{1, 1};
  CHECK(fault({.fair_demands = two}) == model_fault::demands_do_not_fit);
  board peer = platform;
  peer.shape.migration = takt::migration_path::peer_to_peer;
  CHECK(takt::simulate(peer, tasks, {.gpus = {.peer_percent = {100, 101, 100, 100}}}).error.fault ==
        model_fault::options_out_of_range);
  CHECK(fault({.budgets = takt::overrun_policy::bandwidth_inheritance}) == model_fault::budget_policy_unknown);
  const std::array wild{takt::simulation::aberrant_task{.task = 7}};
  CHECK(fault({.aberrant = wild}) == model_fault::aberration_out_of_range);
  const std::array twice{takt::simulation::aberrant_task{.task = 0}, takt::simulation::aberrant_task{.task = 0}};
  CHECK(fault({.aberrant = twice}) == model_fault::aberration_out_of_range);
  tasks.add({.wcet = 4, .period = 100, .deadline = 100});
  const std::array without_kernels{takt::simulation::aberrant_task{.task = 1}};
  CHECK(fault({.aberrant = without_kernels}) == model_fault::aberration_out_of_range);
  board slow = platform;
  auto& o = slow.overheads;
  o.lock = o.unlock = o.schedule = o.context_switch = takt::longest_transfer_time * 4;
  CHECK(takt::simulate(slow, tasks, {.overheads = true}).error.fault == model_fault::time_overflow);

  task_list unplaced;
  unplaced.add(gpu_task(4, 100, 0, 5));
  const auto run = takt::simulate(platform, unplaced);
  CHECK(run.error.fault == model_fault::gpu_cluster_out_of_range);
  CHECK(run.status() == takt::observation_status::invalid_model);
}

}  // namespace
