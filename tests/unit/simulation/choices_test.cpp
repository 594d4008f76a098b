// SPDX-License-Identifier: Apache-2.0
// Every choice that a simulation or a generator takes as a value, with numbers that its type does not name.
#include <array>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <takt/model/graph/graph_table.hpp>
#include <takt/rules/servers/all.hpp>
#include <takt/rules/share_tags.hpp>
#include <takt/rules/shares/one_at_a_time.hpp>
#include <takt/simulation/graph/replay_kernels.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>
#include <takt/simulation/hardware_fifo.hpp>
#include <takt/simulation/simulate.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/systems/locked_gpus/host/section_work.hpp>
#include <takt/systems/locked_gpus/simulation/copy_contention.hpp>
#include <takt/systems/locked_gpus/simulation/run_graphs.hpp>
#include <takt/systems/locked_gpus/simulation/simulate.hpp>
#include <takt/systems/rtgpu/figures/rtgpu_generator.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>

#include "support/accelerator_examples.hpp"
#include "support/choices.hpp"

namespace {

using namespace takt::literals;
namespace sim = takt::simulation;
using takt::ticks;
using takt_test::expect_only_named;

[[nodiscard]] auto is_choice(const takt::model_error& e) -> bool {
  return e.fault == takt::model_fault::choice_out_of_range;
}

TEST_CASE("unknown patterns of releases and execution times are refused by both simulators of platforms") {
  const auto tasks = takt::task_set(takt::task("a", takt::period(10_us), takt::cpu(1_us)));
  const auto core = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority));
  const auto gpu = takt::platform(takt::pool(takt::accelerator(2, 2), takt::nonpreemptive(takt::edf)));
  const auto refuses = [&](const takt::simulation_options& o) {
    const auto seen = takt::simulate(core, tasks, takt::plan<1>{}, o);
    const bool refused = is_choice(seen.error);
    CHECK(refused == is_choice(takt::simulate(gpu, takt_examples::set_of({{2, 10, 10, 0, 0}}), o).error));
    return refused;
  };
  expect_only_named<takt::release_pattern>(
      3, [&](auto e) { return refuses({.horizon = takt::duration{100}, .releases = e}); });
  expect_only_named<takt::execution_times>(
      3, [&](auto e) { return refuses({.horizon = takt::duration{100}, .execution = e}); });
}

TEST_CASE("unknown costs of preemption and orders of gangs are refused by the simulation of an accelerator") {
  const auto kernels = takt_examples::set_of({{2, 10, 10, 1, 0}});
  const takt::simulation_options o{.horizon = takt::duration{100}};
  expect_only_named<takt::preemption_cost_model>(3, [&](takt::preemption_cost_model e) {
    const auto board = takt::platform(takt::pool(takt::accelerator(2, 2), takt::levels(takt::edf, e)));
    return is_choice(takt::simulate(board, kernels, o).error);
  });
}

// Locked GPUs.

using gpu_tasks = takt::task_rows<takt::gpusync_task<ticks, 1>, 2>;

[[nodiscard]] auto locked_tasks() -> gpu_tasks {
  gpu_tasks out;
  for (const ticks period : {1000, 2000}) {
    gpu_tasks::task_type t{.wcet = 10, .period = period, .deadline = period, .gpu_cluster = 0};
    t.kernels.unchecked_push_back(20);
    static_cast<void>(out.add(t));
  }
  return out;
}
[[nodiscard]] auto locked_board() -> takt::gpusync_board<> {
  takt::gpusync_board<> out;
  out.shape = {.cpus = 2, .cpu_cluster_size = 2, .gpus = 2, .gpu_cluster_size = 2};
  return out;
}
[[nodiscard]] auto refuses(const takt::gpusync_board<>& board, takt::gpusync_simulation_options o) -> bool {
  o.horizon = takt::duration{5000};
  const auto seen = takt::simulate(board, locked_tasks(), o);
  return is_choice(seen.error);
}

TEST_CASE("unknown options and configurations of locked GPUs are not simulated") {
  const auto board = locked_board();
  const auto with = [&](const auto& change) {
    takt::gpusync_simulation_options o;
    change(o);
    return refuses(board, o);
  };
  expect_only_named<takt::release_pattern>(3, [&](auto e) { return with([e](auto& o) { o.releases = e; }); });
  expect_only_named<takt::execution_times>(3, [&](auto e) { return with([e](auto& o) { o.execution = e; }); });
  expect_only_named<takt::host::gpu_choice>(3, [&](auto e) { return with([e](auto& o) { o.gpus.choice = e; }); });
  expect_only_named<takt::token_layout>(2, [&](auto e) { return with([e](auto& o) { o.gpus.layout = e; }); });
  expect_only_named<takt::token_queue_length>(2, [&](auto e) { return with([e](auto& o) { o.gpus.queues = e; }); });
  const auto shaped = [&](const auto& change) {
    auto b = locked_board();
    change(b.shape);
    return refuses(b, {});
  };
  CHECK(shaped([](auto& c) { c.tokens = {.given = false, .donates_at_release = true}; }));
  CHECK_FALSE(shaped([](auto& c) { c.tokens = takt::token_protocol::ck_omlp; }));
}

TEST_CASE("graphs on locked GPUs do not run with an unknown service of engines") {
  takt::host::gpu_system system{.processors = 1, .clusters = 1};
  takt::host::section_program p;
  p.cpu_before = 1;
  system.programs.push_back(p);
  sim::detail::token_graph g;
  g.nodes = 1;
  g.period = 10;
  g.jobs = 2;
  g.order.assign(1, {1, 10});
  takt::null_recorder null_sink;
  expect_only_named<sim::engine_service>(2, [&](sim::engine_service e) {
    const auto seen = sim::detail::run_gpu_graphs<2>(system, std::span{&g, 1}, takt::host::detail::full_work{},
                                                     {.until = 100, .engines = e}, null_sink);
    return is_choice(seen.run.locks.error);
  });
}

// Shares.

TEST_CASE("unknown options of the simulation of shares are refused") {
  takt::application_set<1> table;
  static_cast<void>(
      table.add({.name = "a", .period = 100, .deadline = 100, .priority = 1, .alone = takt::wcet_row::scaling(10)}));
  const auto refused = [&](const sim::share_options& o) {
    return is_choice(sim::simulate_shares(table, takt::one_at_a_time<1>{table}, {{0, 100}}, o).error);
  };
  expect_only_named<takt::miss_action>(3, [&](auto e) { return refused({.horizon = 500, .at_miss = e}); });
  expect_only_named<sim::share_change>(2, [&](auto e) { return refused({.horizon = 500, .change = e}); });
}

// Queues.

TEST_CASE("streams do not run in an unknown order") {
  expect_only_named<sim::issue_mode>(2, [](sim::issue_mode e) {
    constexpr std::array operations{sim::timed_operation{0, 0, 5}};
    return !sim::simulate_hardware_fifo(operations, e).has_value();
  });
}

TEST_CASE("a step of an unknown kind makes a workload of graphs invalid") {
  expect_only_named<takt::node_kind>(4, [](takt::node_kind e) {
    sim::graph_workload<ticks> w;
    w.clusters = {1};
    w.clocks = {0};
    w.steps.push_back({.kind = e, .length = 1, .blocks = 1, .block = {1}});
    sim::graph_task<ticks> t;
    t.steps = 1;
    t.clock = 0;
    t.period = 10;
    w.tasks.push_back(t);
    return sim::simulate_graphs(w, {{0}}, {.gpu = {.sms = 1, .each = {1024}}}).fault == takt::model_fault::malformed;
  });
}

TEST_CASE("no sets are drawn with an unknown number of copies") {
  expect_only_named<takt::generation::copies_per_kernel>(
      3, [](auto e) { return takt::generation::validate({.copies = e}) == takt::model_fault::options_out_of_range; });
}

}  // namespace
