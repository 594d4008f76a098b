// SPDX-License-Identifier: Apache-2.0
// Boards that no published method knows are proven and simulated from the rules of their pools.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>

#include <takt/analysis/any_stations.hpp>
#include <takt/graphs.hpp>
#include <takt/kernels.hpp>
#include <takt/simulation.hpp>
#include <takt/simulation/simulate_recorded.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt::literals;

struct npu {
  std::int32_t count = 1;
};

constexpr auto tasks = takt::task_set(
    takt::task("detect", takt::period(33_ms), takt::deadline(30_ms), takt::cpu(1_ms, 2_ms), takt::copy(1_ms),
               takt::kernel(takt::work(8_ms, 12_ms), takt::interleave(1)), takt::copy(500_us), takt::cpu(1_ms)),
    takt::task("plan", takt::period(20_ms), takt::cpu(2_ms), takt::visit<npu>(takt::takes(6_ms)), takt::cpu(1_ms)));
constexpr auto engine = takt::pool(takt::copy_engines(1), takt::fifo);
constexpr auto gpu = takt::pool(takt::virtual_sms(4, 2), takt::federated);
constexpr auto board = takt::platform(takt::pool(takt::processors(2), takt::edf), engine, gpu,
                                      takt::pool(npu{1}, takt::nonpreemptive(takt::edf)));

/// Worst responses of a run under the plan of a proof, if there is one.
template <class P, class T>
void expect_sound(const P& given, const T& set) {
  const auto verdict = takt::analyze(given, set, takt::published_methods);
  REQUIRE_FALSE(verdict.error);
  if (!verdict.schedulable()) { return; }
  for (const auto releases : {takt::release_pattern::periodic, takt::release_pattern::adversarial}) {
    const auto seen = takt::simulate(given, set, verdict.plan, {.horizon = 2_s, .releases = releases});
    REQUIRE_FALSE(seen.error);
    CHECK(seen.misses() == 0);
    for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
      CHECK(seen.tasks[i].completed > 0);
      CHECK(seen.tasks[i].worst_response <= verdict.tasks[i].bound.value);
    }
  }
}

}  // namespace

TEST_CASE("a run of a composed board ends at the first miss if it is told so, and jobs that are not yet due are none") {
  constexpr auto crowded =
      takt::task_set(takt::task("short", takt::period(10_ms), takt::cpu(4_ms)),
                     takt::task("long", takt::period(40_ms), takt::cpu(29_ms), takt::visit<npu>(takt::takes(1_ms))));
  constexpr auto one =
      takt::platform(takt::pool(takt::processors(1), takt::deadline_monotonic), takt::pool(npu{1}, takt::fifo));
  constexpr takt::simulation_options until{.horizon = 200_ms, .stop_at_first_miss = true};
  constexpr auto p = takt::plan<2, 3>{};
  constexpr auto seen = takt::simulate(one, crowded, p, until);
  static_assert(seen.end == takt::ticks{40'000'000});
  static_assert(seen.misses() == 1 && seen.tasks[1].misses == 1 && seen.tasks[0].completed == 4);
  takt::trace t;
  const auto told = takt::simulate(one, crowded, p, until, t);
  CHECK(told.end == seen.end);
  CHECK(told.misses() == 1);
  CHECK(takt::simulate(one, crowded, p, {.horizon = 200_ms}).misses() == 5);
}

TEST_CASE("a chain that visits a resource of its own is proven in a constant expression and simulated") {
  constexpr auto verdict = takt::analyze(board, tasks, takt::published_methods);
  static_assert(verdict.schedulable());
  static_assert(verdict.method == "holistic");
  static_assert(verdict.plan.shares.size() == 2 && verdict.plan.shares[0].sms == 4 && verdict.plan.shares[1].sms == 0);
  constexpr auto seen = takt::simulate(board, tasks, verdict.plan, {.horizon = 100_ms});
  static_assert(!seen.error && seen.misses() == 0 && seen.tasks[1].completed == 5);
  expect_sound(board, tasks);
  constexpr auto plan = takt::allocate(board, tasks, takt::published_methods);
  static_assert(plan.feasible && plan.shares[0].sms == 4);
}

TEST_CASE("an accelerator that is no GPU is locked as one is, or preempted where it can be" *
          takt_tests::traces("GSA-51")) {
  struct npu_lock {};
  constexpr auto of = [](auto on_npu) {
    return takt::task_set(takt::task("filter", takt::period(20_ms), takt::deadline(12_ms), takt::cpu(1_ms),
                                     on_npu(takt::visit<npu>(takt::takes(3_ms))), takt::cpu(1_ms)),
                          takt::task("train", takt::period(60_ms), takt::cpu(2_ms),
                                     on_npu(takt::visit<npu>(takt::takes(7_ms))), takt::cpu(1_ms)));
  };
  const auto bound_of = [](const auto& given, const auto& set) {
    expect_sound(given, set);
    return takt::analyze(given, set, takt::published_methods).tasks[0].bound.value;
  };
  const auto cpu = takt::pool(takt::processors(1), takt::deadline_monotonic);
  const auto locked = of([](auto visit) { return takt::locks<npu_lock>(visit); });
  const auto plain = of([](auto visit) { return visit; });
  constexpr takt::ticks ms = 1'000'000;
  // Under its lock the less important visit goes first, once; where it is preempted it does not.
  CHECK(bound_of(
            takt::platform(cpu, takt::pool(npu{1}, takt::fifo), takt::pool(npu_lock{}, takt::locked(takt::fifo_order))),
            locked) == 12 * ms);
  CHECK(bound_of(takt::platform(cpu, takt::pool(npu{1}, takt::nonpreemptive(takt::deadline_monotonic))), plain) ==
        12 * ms);
  CHECK(bound_of(takt::platform(cpu, takt::pool(npu{1}, takt::deadline_monotonic)), plain) == 5 * ms);
}

TEST_CASE("tasks that share one core with suspensions are proven by whichever combiner can") {
  const auto one = takt::platform(takt::pool(takt::processors(1), takt::edf), engine, gpu,
                                  takt::pool(npu{1}, takt::nonpreemptive(takt::edf)));
  expect_sound(one, tasks);
  CHECK(takt::analyze(one, tasks, takt::published_methods).schedulable());
}

TEST_CASE("a plan with guards is judged, and honoured by the simulation") {
  auto plan = takt::analyze(board, tasks, takt::published_methods).plan;
  constexpr takt::ticks ms = 1'000'000;
  for (const takt::ticks o : {0, 6, 10, 18, 20, 0, 6, 14}) { REQUIRE(plan.offsets.try_push_back(o * ms)); }
  for (const takt::ticks d : {6, 4, 8, 2, 6, 6, 8, 6}) { REQUIRE(plan.local_deadlines.try_push_back(d * ms)); }
  const auto verdict = takt::analyze(board, tasks, plan, takt::published_methods);
  CHECK(verdict.schedulable());
  CHECK(verdict.method == "guarded");
  CHECK(verdict.tasks[0].bound.value == 26 * ms);
  const auto seen = takt::simulate(board, tasks, plan, {.horizon = 1_s});
  CHECK(seen.misses() == 0);
  CHECK(seen.tasks[0].best_response == 18 * ms + 500'000 + 1 * ms);  // under EDF the last visit starts early
  CHECK(seen.tasks[0].worst_response <= 26 * ms);
  const auto by_task = takt::platform(takt::pool(takt::processors(2), takt::deadline_monotonic), engine, gpu,
                                      takt::pool(npu{1}, takt::nonpreemptive(takt::edf)));
  CHECK(takt::analyze(by_task, tasks, plan, takt::published_methods).schedulable());
  const auto held = takt::simulate(by_task, tasks, plan, {.horizon = 1_s});
  CHECK(held.tasks[0].best_response == 21 * ms);  // the last visit starts at its offset and takes 1 ms
  CHECK(held.tasks[0].worst_response <= 26 * ms);
  plan.local_deadlines[2] = 1 * ms;
  CHECK(takt::analyze(board, tasks, plan, takt::published_methods).status == takt::verdict_status::not_proven);
}

TEST_CASE("what a composed board cannot use is refused") {
  const auto fault = [](const auto& plan) {
    return takt::analyze(board, tasks, plan, takt::published_methods).error.fault;
  };
  auto plan = takt::analyze(board, tasks, takt::published_methods).plan;
  CHECK(fault(plan) == takt::model_fault::none);
  plan.tokens.unchecked_push_back(1);
  CHECK(fault(plan) == takt::model_fault::plan_part_unused);
  plan.tokens.clear();
  plan.shares[0].sms = 5;
  CHECK(fault(plan) == takt::model_fault::plan_does_not_fit);
  plan.shares[0].sms = 0;
  CHECK(fault(plan) == takt::model_fault::plan_does_not_fit);
  plan.shares[0] = {1, 2};
  CHECK(fault(plan) == takt::model_fault::plan_does_not_fit);
  plan = takt::analyze(board, tasks, takt::published_methods).plan;
  plan.cores = {};
  REQUIRE(plan.cores.try_push_back(0));
  CHECK(fault(plan) == takt::model_fault::plan_does_not_fit);
  REQUIRE(plan.cores.try_push_back(2));
  CHECK(fault(plan) == takt::model_fault::core_out_of_range);
  plan.cores.clear();
  for (const std::int32_t p : {0, 1}) { REQUIRE(plan.priorities.try_push_back(p)); }
  CHECK(fault(plan) == takt::model_fault::plan_part_unused);  // EDF and queues look at none
  plan.priorities.clear();
  plan.shares[1].sms = 1;  // it has no kernel
  CHECK(fault(plan) == takt::model_fault::plan_does_not_fit);
  plan.shares[1].sms = 0;
  REQUIRE(plan.offsets.try_push_back(0));
  CHECK(fault(plan) == takt::model_fault::plan_does_not_fit);
  const auto backwards = [&](std::size_t at, takt::ticks offset) {
    auto guarded = takt::analyze(board, tasks, takt::published_methods).plan;
    for (const takt::ticks o : {0, 6, 10, 18, 20, 0, 6, 14}) { REQUIRE(guarded.offsets.try_push_back(o * 1'000'000)); }
    for (const takt::ticks d : {6, 4, 8, 2, 6, 6, 8, 6}) {
      REQUIRE(guarded.local_deadlines.try_push_back(d * 1'000'000));
    }
    guarded.offsets[at] = offset;
    CHECK(takt::simulate(board, tasks, guarded).error ==
          takt::analyze(board, tasks, guarded, takt::published_methods).error);
    return fault(guarded);
  };
  CHECK(backwards(0, 0) == takt::model_fault::none);
  CHECK(backwards(0, -1) == takt::model_fault::plan_does_not_fit);
  CHECK(backwards(1, 5'000'000) == takt::model_fault::plan_does_not_fit);
  CHECK(backwards(7, 15'000'000) == takt::model_fault::plan_does_not_fit);
  const auto none = takt::platform(takt::pool(takt::processors(2), takt::edf), engine, gpu,
                                   takt::pool(npu{0}, takt::nonpreemptive(takt::edf)));
  CHECK(takt::analyze(none, tasks, takt::published_methods).error.fault ==
        takt::model_fault::platform_size_out_of_range);
  const auto two = takt::platform(takt::pool(takt::processors(2), takt::edf), engine, gpu,
                                  takt::pool(npu{2}, takt::time_slices(1_ms, 0_ms)));
  CHECK(takt::analyze(two, tasks, takt::published_methods).error.fault ==
        takt::model_fault::platform_size_out_of_range);
  const auto longest = takt::task_set(takt::task("long", takt::period(takt::duration{(takt::ticks{1} << 50) + 1}),
                                                 takt::cpu(1_ms), takt::visit<npu>(takt::takes(1_ms))));
  const auto bare = takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(npu{1}, takt::fifo));
  CHECK(takt::analyze(bare, longest, takt::published_methods).error.fault == takt::model_fault::time_overflow);
  const auto coarse = takt::platform(takt::pool(takt::processors(2), takt::edf), engine,
                                     takt::pool(takt::virtual_sms(4, 2, 2), takt::federated),
                                     takt::pool(npu{1}, takt::nonpreemptive(takt::edf)));
  auto odd = takt::analyze(coarse, tasks, takt::published_methods).plan;
  CHECK(takt::analyze(coarse, tasks, odd, takt::published_methods).schedulable());
  odd.shares[0].sms = 3;
  CHECK(takt::analyze(coarse, tasks, odd, takt::published_methods).error.fault == takt::model_fault::plan_does_not_fit);
  const auto heavy = takt::task_set(
      takt::task("k", takt::period(20_ms), takt::cpu(1_ms), takt::visit<npu>(takt::takes(1_ms)), takt::copy(1_ms),
                 takt::kernel(takt::work(1_ms), takt::interleave(1), takt::overhead(2_ms))));
  CHECK(takt::analyze(board, heavy, takt::published_methods).error.fault == takt::model_fault::overhead_exceeds_work);
  const auto slow = takt::task_set(takt::task("late", takt::period(5_ms), takt::deadline(6_ms), takt::cpu(1_ms),
                                              takt::visit<npu>(takt::takes(1_ms)), takt::cpu(1_ms)));
  const auto small =
      takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(npu{1}, takt::nonpreemptive(takt::edf)));
  CHECK(takt::analyze(small, slow, takt::published_methods).schedulable());
}

namespace {

template <class Cpu, class Copy, class Gpu>
void try_board(const Cpu& cpu, const Copy& copies, const Gpu& kernels, int& proven) {
  using namespace takt;
  const auto chains = task_set(
      task("a", period(20_ms), takt::cpu(1_ms), copy(1_ms), kernel(work(2_ms, 4_ms), takt::interleave(1)), copy(1_ms),
           takt::cpu(1_ms)),
      task("b", period(40_ms), takt::cpu(2_ms), copy(2_ms), kernel(work(6_ms), takt::interleave(1)), takt::cpu(1_ms)),
      task("c", period(50_ms), takt::cpu(3_ms)));
  const auto given =
      platform(pool(processors(1), cpu), pool(copy_engines(1), copies), pool(virtual_sms(4, 2), kernels));
  if constexpr (ComposedBoard<std::remove_const_t<decltype(given)>, std::remove_const_t<decltype(chains)>>) {
    expect_sound(given, chains);
    proven += analyze(given, chains, takt::published_methods).schedulable() ? 1 : 0;
  }
}

}  // namespace

TEST_CASE("rules of processors, copy engines and a GPU combine") {
  using namespace takt;
  int proven = 0;
  try_board(edf, fifo, federated, proven);
  try_board(rate_monotonic, nonpreemptive(edf), federated_virtual, proven);
  try_board(nonpreemptive(edf), nonpreemptive(fixed_priority), fifo, proven);
  try_board(fixed_priority, fifo, nonpreemptive(deadline_monotonic), proven);
  try_board(nonpreemptive(deadline_monotonic), nonpreemptive(edf), nonpreemptive(edf), proven);
  try_board(fifo, nonpreemptive(fixed_priority), time_slices(1_ms, 10_us), proven);
  CHECK(proven == 6);
}

TEST_CASE("visits as long as a table may hold prove nothing and overflow nothing") {
  using takt::ticks;
  namespace an = takt::analysis;
  constexpr std::size_t visits = 40;
  const std::array<takt::any_rule<visits>, 7> rules{takt::fixed_priority,
                                                    takt::nonpreemptive(takt::fixed_priority),
                                                    takt::edf,
                                                    takt::nonpreemptive(takt::edf),
                                                    takt::fifo,
                                                    takt::time_slices(1_ms, 1_ms),
                                                    takt::federated};
  for (const auto& rule : rules) {
    for (const ticks period : {ticks{1}, takt::longest_visit_time}) {
      takt::visit_table<4, visits> table;
      for (std::int32_t i = 0; i < 4; ++i) {
        REQUIRE(table.add_task(
            {.name = "t", .period = period, .deadline = period, .jitter = takt::longest_visit_time, .priority = i}));
        for (int v = 0; v < 10; ++v) { REQUIRE(table.add_visit(0, 0, takt::longest_visit_time, 0)); }
      }
      takt::any_stations<1, visits> one;
      REQUIRE(one.add(rule));
      CHECK(an::holistic(table, one).status == takt::verdict_status::not_proven);
      CHECK(an::guarded(table, one).status == takt::verdict_status::not_proven);
      CHECK(an::inflated(table, one).status == takt::verdict_status::not_proven);
    }
  }
}

TEST_CASE("a search for guards that ends at its limit of rounds says so") {
  takt::visit_table<2, 2> table;
  for (const char* const name : {"a", "b"}) {
    REQUIRE(table.add_task({.name = name, .period = 7, .deadline = 7}));
    REQUIRE(table.add_next(0, 1, 4));
  }
  takt::any_stations<1, 2> one;
  REQUIRE(one.add(takt::fifo));
  CHECK(takt::analysis::guarded(table, one).why == takt::obstacle::passes);
  table.tasks[0].jitter = 7;
  CHECK(takt::analysis::guarded(table, one).why == takt::obstacle::deadline);
}

TEST_CASE("guards under which a bound is still looked for after all rounds are told apart from late ones") {
  constexpr takt::ticks far = 1 << 20;
  takt::visit_table<2, 2> table;
  REQUIRE(table.add_task({.name = "a", .period = 6, .deadline = 6}));
  REQUIRE(table.add_next(0, 1, 6));
  REQUIRE(table.add_task({.name = "b", .period = far, .deadline = far, .priority = 1}));
  REQUIRE(table.add_next(0, 1, 2));
  takt::any_stations<1, 2> one;
  REQUIRE(one.add(takt::fixed_priority));
  takt::analysis::detail::guard_shortage<2> missing;
  CHECK_FALSE(takt::analysis::detail::guards_hold(table, one, {{0, 0}, {6, far}}, missing));
  CHECK(missing.why == takt::obstacle::passes);
  CHECK_FALSE(takt::analysis::detail::guards_hold(table, one, {{0, 0}, {6, 100}}, missing));
  CHECK(missing.why == takt::obstacle::deadline);
}

TEST_CASE("a table that is no model is refused with its task and visit") {
  using takt::model_fault;
  constexpr std::size_t visits = 4;
  using table = takt::visit_table<2, visits>;
  const auto fault = [](const auto& change, int stations = 1) {
    table t;
    REQUIRE(t.add_task({.name = "t", .period = 20, .deadline = 20}));
    REQUIRE(t.add_next(0, 1, 2));
    REQUIRE(t.add_next(0, 1, 2));
    change(t);
    takt::any_stations<8, visits> all;
    for (int s = 0; s < stations; ++s) { REQUIRE(all.add(takt::fifo)); }
    REQUIRE(all.add_tokens(takt::fifo_order, 1));
    const auto verdict = takt::analysis::holistic(t, all);
    CHECK((verdict.status == takt::verdict_status::schedulable) == !verdict.error);
    CHECK(takt::analysis::guarded(t, all).error == verdict.error);
    CHECK(takt::analysis::inflated(t, all).error == verdict.error);
    return verdict.error;
  };
  const auto none = [](table& /*t*/) {};
  CHECK(fault(none).fault == model_fault::none);
  CHECK(fault(none, 6).fault == model_fault::platform_size_out_of_range);
  CHECK(fault([](table& t) { t = {}; }).fault == model_fault::no_task);
  CHECK(fault([](table& t) { REQUIRE(t.add_task({.period = 1, .deadline = 1})); }) ==
        takt::fault_at(model_fault::empty_chain, 1));
  CHECK(fault([](table& t) { t.tasks[0].period = 0; }) == takt::fault_at(model_fault::period_not_positive, 0));
  CHECK(fault([](table& t) { t.tasks[0].deadline = 0; }) == takt::fault_at(model_fault::deadline_not_positive, 0));
  CHECK_FALSE(fault([](table& t) { t.tasks[0].deadline = 21; }));
  CHECK(fault([](table& t) { t.tasks[0].jitter = -1; }) == takt::fault_at(model_fault::negative_jitter, 0));
  CHECK(fault([](table& t) { t.visits[1].lower = -1; }) == takt::fault_at(model_fault::negative_time, 0, 1));
  CHECK(fault([](table& t) { t.visits[1].lower = 3; }) ==
        takt::fault_at(model_fault::best_case_exceeds_worst_case, 0, 1));
  CHECK(fault([](table& t) { t.visits[1].upper = takt::longest_visit_time + 1; }) ==
        takt::fault_at(model_fault::time_overflow, 0, 1));
  CHECK(fault([](table& t) { t.visits[1].station = 1; }) ==
        takt::fault_at(model_fault::platform_size_out_of_range, 0, 1));
  const auto section = [&](std::uint32_t task, takt::visit_mask held) {
    return fault([&](table& t) { REQUIRE(t.sections.try_push_back({task, 0, held})); });
  };
  CHECK(section(0, 0) == takt::fault_at(model_fault::malformed, 0));
  CHECK(section(0, 0b100) == takt::fault_at(model_fault::malformed, 0));
  CHECK(fault([](table& t) { REQUIRE(t.sections.try_push_back({0, 1, 0b1})); }) ==
        takt::fault_at(model_fault::malformed, 0));
  CHECK(section(1, 0b1) == takt::fault_at(model_fault::malformed, 1));
  CHECK(fault([](table& t) {
          for (const takt::visit_mask held : {0b11U, 0b10U}) { REQUIRE(t.sections.try_push_back({0, 0, held})); }
        }) == takt::fault_at(model_fault::malformed, 0));
}
