// SPDX-License-Identifier: Apache-2.0
// What every door of the simulation refuses: parts of a plan and options that its system does not use.
#include <array>
#include <cstddef>
#include <string_view>

#include <doctest/doctest.h>

#include <takt/model/plan.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/locked_gpus/simulation/simulate.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>
#include <takt/tokens.hpp>

#include "unit/simulation/fixtures.hpp"

namespace {

using namespace takt::literals;
using takt::model_error;
using takt::model_fault;
using takt::plan_parts;
using takt::simulation_options;

enum class part : std::uint8_t {
  shares,
  cores,
  priorities,
  percents,
  tokens,
  slots,
  offsets,
  local_deadlines,
  instances,
  end
};

template <std::size_t N, std::size_t V>
void decide(takt::plan<N, V>& p, part which, std::size_t tasks, std::size_t visits) {
  switch (which) {
    case part::shares: REQUIRE(p.shares.resize(tasks)); break;
    case part::cores: REQUIRE(p.cores.resize(tasks)); break;
    case part::priorities: REQUIRE(p.priorities.resize(tasks)); break;
    case part::percents: REQUIRE(p.percents.resize(tasks)); break;
    case part::tokens: REQUIRE(p.tokens.resize(1)); break;
    case part::slots: REQUIRE(p.slots.resize(2)); break;
    case part::offsets: REQUIRE(p.offsets.resize(visits)); break;
    case part::local_deadlines: REQUIRE(p.local_deadlines.resize(visits)); break;
    case part::instances: REQUIRE(p.instances.resize(visits, 1)); break;
    case part::end: break;
  }
}

[[nodiscard]] auto uses(const plan_parts& used, part which) -> bool {
  switch (which) {
    case part::shares: return used.shares;
    case part::cores: return used.cores;
    case part::priorities: return used.priorities;
    case part::percents: return used.percents;
    case part::tokens: return used.tokens;
    case part::slots: return used.slots;
    case part::offsets: return used.offsets;
    case part::local_deadlines: return used.local_deadlines;
    case part::instances: return used.instances;
    case part::end: break;
  }
  return false;
}

/// `fault_of(plan)`: what a door says to a plan with `given` and one part more.
template <std::size_t Tasks, std::size_t Visits, class Door>
void expect_refusals(std::string_view system, const plan_parts& used, const Door& fault_of,
                     const takt::plan<Tasks, Visits>& given = {}) {
  CAPTURE(system);
  for (int i = 0; i < static_cast<int>(part::end); ++i) {
    const auto which = static_cast<part>(i);
    const bool of_visits = which == part::offsets || which == part::local_deadlines || which == part::instances;
    if (of_visits && Visits == 0) { continue; }  // such a plan cannot say it
    CAPTURE(i);
    takt::plan<Tasks, Visits> p = given;
    decide(p, which, Tasks, Visits);
    CHECK((fault_of(p) == model_fault::plan_part_unused) == !uses(used, which));
  }
}

constexpr auto chains = takt::task_set(
    takt::task("a", takt::period(20_ns), takt::cpu(1_ns), takt::kernel(takt::work(1_ns)), takt::cpu(1_ns)),
    takt::task("b", takt::period(30_ns), takt::cpu(1_ns), takt::kernel(takt::work(1_ns)), takt::cpu(1_ns)));
constexpr auto kernels = takt::task_set(
    takt::task("a", takt::period(20_ns), takt::kernel(takt::wcet(3_ns), takt::preemption_cost(1_ns), takt::on_sm(0))),
    takt::task("b", takt::period(30_ns), takt::kernel(takt::wcet(4_ns), takt::preemption_cost(1_ns))));
constexpr auto applications = takt::application_set(
    takt::application("a", takt::period(20_ms), takt::share_priority(2), takt::scaling_wcet(2_ms)),
    takt::application("b", takt::period(30_ms), takt::share_priority(1), takt::scaling_wcet(2_ms)));
constexpr auto graphs = takt::graph_set(takt::graph("a", takt::period(20_ns), takt::node("x", takt::cpu(2_ns))),
                                        takt::graph("b", takt::period(30_ns), takt::node("y", takt::cpu(2_ns))));

constexpr auto federated_board = fixtures::dedicated();
constexpr auto token_board = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                                            takt::pool(takt::virtual_sms(2, 1), takt::locked(takt::k_fmlp_order, 1)));
constexpr auto share_board = takt::platform(takt::pool(takt::gpu_shares(), takt::shares()));
constexpr auto graph_board = takt::platform(takt::pool(takt::processors(2), takt::g_edf));

template <class Rule>
[[nodiscard]] constexpr auto under(const Rule& rule) {
  return takt::platform(takt::pool(takt::accelerator(2), rule));
}
constexpr auto levels = under(takt::levels(takt::fixed_priority));
constexpr auto by_deadlines = under(takt::gang(takt::edf));
constexpr auto slots =
    under(takt::slots(takt::edf, takt::pinned_slot(0_ns, 5_ns), takt::gang_slot(5_ns, 5_ns), takt::period(10_ns)));

using gpu_tasks = takt::task_rows<takt::gpusync_task<takt::ticks>, 2>;
[[nodiscard]] auto two_gpu_tasks() -> gpu_tasks {
  gpu_tasks out;
  for (const takt::ticks period : {20, 30}) {
    gpu_tasks::task_type t{.wcet = 2, .period = period, .deadline = period, .gpu_cluster = 0};
    t.kernels.unchecked_push_back(3);
    REQUIRE(out.add(t));
  }
  return out;
}

TEST_CASE("every simulation refuses each part of a plan that its system does not use, and only those") {
  const auto door = [](const auto& platform, const auto& tasks) {
    return [&](const auto& p) { return takt::simulate(platform, tasks, p, {.horizon = 1_us}).error.fault; };
  };
  expect_refusals<2, 0>("federated chains", {.shares = true, .cores = true, .priorities = true},
                        door(federated_board, chains));
  expect_refusals<2, 0>("chains and tokens", {.shares = true, .cores = true, .priorities = true, .tokens = true},
                        door(token_board, chains));
  expect_refusals<2, 0>("levels", {.cores = true, .priorities = true}, door(levels, kernels));
  expect_refusals<2, 0>("gang", {.cores = true}, door(by_deadlines, kernels));
  expect_refusals<2, 0>("slots", {.cores = true, .slots = true}, door(slots, kernels));
  expect_refusals<2, 0>("shares", {.percents = true}, door(share_board, applications));
  expect_refusals<2, 2>("graphs", {.offsets = true, .instances = true}, door(graph_board, graphs));
  expect_refusals<2, 0>("locked GPUs", {.shares = true, .cores = true}, door(takt::gpusync_board<>{}, two_gpu_tasks()));
}

TEST_CASE("every simulation refuses each option that it does not use, by its name") {
  const std::array<takt::duration, 2> times{1_ns, 2_ns};
  const std::array<takt::duration, 3> more{1_ns, 2_ns, 3_ns};
  const auto unused = [](std::string_view option) {
    return model_error{.fault = model_fault::option_unused, .name = option};
  };
  const auto expect = [&](const auto& simulate_with, bool stops, bool has_deadlines) {
    const auto is_refused = [&](const simulation_options& o, std::string_view option) {
      simulation_options soon = o;
      soon.horizon = 1_us;
      const model_error error = simulate_with(soon).error;
      return error == unused(option) && error.name == option;
    };
    for (const auto pattern : {takt::release_pattern::sporadic, takt::release_pattern::adversarial}) {
      CHECK(is_refused({.releases = pattern, .offsets = times}, "offsets"));
    }
    CHECK(is_refused({.offsets = more}, "offsets"));
    CHECK(is_refused({.stop_at_first_miss = true}, "stop_at_first_miss") == !stops);
    CHECK(is_refused({.deadlines = times}, "deadlines") == !has_deadlines);
    CHECK(simulate_with({.horizon = takt::duration{-1}}).error.fault == model_fault::negative_time);
    CHECK(simulate_with({.horizon = takt::duration::max()}).error.fault == model_fault::time_overflow);
    CHECK_FALSE(simulate_with({.horizon = 1_us, .offsets = times}).error);
  };
  expect([](const simulation_options& o) { return takt::simulate(federated_board, chains, takt::dedicate(1, 1), o); },
         true, false);
  expect([](const simulation_options& o) { return takt::simulate(levels, kernels, o); }, true, false);
  expect([](const simulation_options& o) { return takt::simulate(share_board, applications, o); }, true, false);
  expect(
      [](const simulation_options& o) {
        takt::plan<2, 2> p;
        REQUIRE(p.offsets.resize(2));
        return takt::simulate(graph_board, graphs, p, o);
      },
      false, true);
}

TEST_CASE("the simulation of locked GPUs refuses the options that its configuration leaves no use for") {
  const gpu_tasks tasks = two_gpu_tasks();
  takt::gpusync_board<> board;
  board.shape.scheduler = takt::cpu_scheduler::earliest_deadline;
  using options = takt::gpusync_simulation_options;
  const auto refused = [&](const options& o) -> std::string_view {
    options soon = o;
    soon.horizon = 1_us;
    const model_error error = takt::simulate(board, tasks, soon).error;
    return error.fault == model_fault::option_unused ? error.name : "";
  };
  const std::array<takt::ticks, 2> demands{5, 5};
  const std::array<takt::duration, 2> times{1_ns, 2_ns};
  CHECK(refused({}).empty());
  CHECK(refused({.fair_demands = demands}) == "fair_demands");
  CHECK(refused({.gpus = {.peer_percent = {100, 50, 100, 100}}}) == "peer_percent");
  CHECK(refused({.gpus = {.choice = takt::host::gpu_choice::random, .predictor = {.window = 5}}}) == "predictor");
  CHECK(refused({.releases = takt::release_pattern::sporadic, .offsets = times}) == "offsets");
  board.shape.tokens_per_gpu = takt::unlimited_tokens;
  CHECK(refused({.gpus = {.queues = takt::token_queue_length::for_cpus}}) == "queues");
  board.shape.scheduler = takt::cpu_scheduler::fair_lateness;
  CHECK(refused({.fair_demands = demands}).empty());
}

TEST_CASE("a chain runs on the core and with the priority that its plan says") {
  constexpr auto cpus = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority));
  constexpr auto tasks = takt::task_set(takt::task("a", takt::period(20_ns), takt::on_core(0), takt::cpu(5_ns)),
                                        takt::task("b", takt::period(30_ns), takt::on_core(0), takt::cpu(7_ns)));
  const auto responses = [&](const takt::plan<2>& p) {
    const auto run = takt::simulate(cpus, tasks, p, {.horizon = 20_ns});
    REQUIRE_FALSE(run.error);
    return std::array{run.tasks[0].worst_response, run.tasks[1].worst_response};
  };
  takt::plan<2> p;
  CHECK(responses(p) == std::array<takt::ticks, 2>{5, 12});
  for (const std::int32_t priority : {1, 0}) { REQUIRE(p.priorities.try_push_back(priority)); }
  CHECK(responses(p) == std::array<takt::ticks, 2>{12, 7});
  for (const std::int32_t core : {0, 1}) { REQUIRE(p.cores.try_push_back(core)); }
  CHECK(responses(p) == std::array<takt::ticks, 2>{5, 7});
  p.cores[1] = 2;
  CHECK(takt::simulate(cpus, tasks, p, {.horizon = 1_us}).error ==
        model_error{.fault = model_fault::core_out_of_range, .task = 1});
  p.cores[1] = 1;
  p.priorities[1] = -1;
  CHECK(takt::simulate(cpus, tasks, p).error.fault == model_fault::plan_does_not_fit);
  p.priorities[1] = 1;
  CHECK(takt::simulate(cpus, tasks, p).error.fault == model_fault::duplicate_priority);
}

TEST_CASE("tasks on locked GPUs run on the clusters that their plan says") {
  takt::gpusync_board<> board;
  board.shape = {.cpus = 2, .gpus = 2, .scheduler = takt::cpu_scheduler::earliest_deadline};
  const gpu_tasks tasks = two_gpu_tasks();
  takt::plan<2> p;
  REQUIRE(p.cores.try_push_back(0));
  REQUIRE(p.cores.try_push_back(1));
  REQUIRE(p.shares.try_push_back({0, 0}));
  REQUIRE(p.shares.try_push_back({1, 0}));
  const auto apart = takt::simulate(board, tasks, p, {.horizon = 600_ns});
  REQUIRE_FALSE(apart.error);
  CHECK(apart.tasks[1].worst_response == 5);
  const auto together = takt::simulate(board, tasks, {.horizon = 600_ns});
  REQUIRE_FALSE(together.error);
  CHECK(together.tasks[1].worst_response > 5);
  p.shares[1].sms = 1;  // nobody has SMs for itself
  CHECK(takt::simulate(board, tasks, p).error == model_error{.fault = model_fault::plan_does_not_fit, .task = 1});
  p.shares[1] = {2, 0};
  CHECK(takt::simulate(board, tasks, p).error.fault == model_fault::gpu_cluster_out_of_range);
}

}  // namespace
