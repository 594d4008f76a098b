// SPDX-License-Identifier: Apache-2.0
// GPUs as pools of tokens on boards that no published method knows.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>

#include <takt/analysis/any_stations.hpp>
#include <takt/analysis/combiners/guarded.hpp>
#include <takt/graphs.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

namespace {

using namespace takt::literals;

constexpr auto engine = takt::pool(takt::copy_engines(1), takt::fifo);
constexpr auto cores = takt::pool(takt::processors(1), takt::edf);
constexpr auto tasks = takt::task_set(
    takt::task("a", takt::period(20_ms), takt::cpu(1_ms), takt::copy(1_ms),
               takt::kernel(takt::work(4_ms), takt::interleave(1)), takt::copy(1_ms), takt::cpu(1_ms)),
    takt::task("b", takt::period(40_ms), takt::cpu(2_ms), takt::copy(2_ms),
               takt::kernel(takt::work(6_ms), takt::interleave(1)), takt::cpu(1_ms), takt::copy(1_ms), takt::cpu(1_ms)),
    takt::task("c", takt::period(50_ms), takt::cpu(3_ms)));

template <class Order>
constexpr auto board_of(const Order& order, std::int32_t tokens) {
  return takt::platform(cores, engine, takt::pool(takt::virtual_sms(4, 2), takt::locked(order, tokens)));
}

/// A rule of the test's own, without a published analysis.
struct own_order {
  static constexpr std::string_view name = "own";
  template <std::size_t Clients>
  [[nodiscard]] static constexpr auto make_lock(const takt::token_setting& at) {
    return takt::r2dglp_order.make_lock<Clients>(at);
  }
  static constexpr void delays(std::span<takt::section_demand> sections, const takt::token_setting& at) {
    takt::analysis::work_conserving_delays(sections, at.tokens);
  }
};

template <class P, class T, class Plan>
void expect_sound(const P& board, const T& set, const Plan& plan) {
  const auto verdict = takt::analyze(board, set, plan, takt::published_methods);
  REQUIRE_FALSE(verdict.error);
  CHECK(verdict.schedulable());
  for (const auto releases : {takt::release_pattern::periodic, takt::release_pattern::adversarial}) {
    const auto seen = takt::simulate(board, set, verdict.plan, {.horizon = 2_s, .releases = releases});
    REQUIRE_FALSE(seen.error);
    CHECK(seen.misses() == 0);
    for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
      CHECK(seen.tasks[i].worst_response <= verdict.tasks[i].bound.value);
    }
  }
}

}  // namespace

TEST_CASE("each stretch between two CPU segments is a section of the tokens of its GPU") {
  static constexpr auto board = board_of(takt::k_fmlp_order, 2);
  constexpr auto flat = takt::flatten(board, tasks, takt::plan<3, 14>{});
  static_assert(!flat.error);
  static_assert(flat.table.sections.size() == 3);
  static_assert(flat.table.sections[0].visits == 0b01110 && flat.table.sections[0].task == 0);
  static_assert(flat.table.sections[1].visits == 0b00110 && flat.table.sections[2].visits == 0b10000);
  static_assert(flat.table.visit(0, 2).upper == 1'000'000);  // 4 ms of work on two SMs, which count twice
}

TEST_CASE("a set on tokens is proven and simulated in constant expressions") {
  static constexpr auto board = board_of(takt::k_fmlp_order, 2);
  constexpr auto verdict = takt::analyze(board, tasks, takt::published_methods);
  static_assert(verdict.schedulable() && verdict.method == "holistic");
  constexpr auto seen = takt::simulate(board, tasks, verdict.plan, {.horizon = 100_ms});
  static_assert(!seen.error && seen.misses() == 0 && seen.tasks[0].completed == 5);
}

TEST_CASE("a stretch waits for the token that another one holds") {
  constexpr auto pair =
      takt::task_set(takt::task("first", takt::period(100_ms), takt::cpu(1_ms),
                                takt::kernel(takt::work(16_ms), takt::interleave(1)), takt::cpu(1_ms)),
                     takt::task("second", takt::period(90_ms), takt::cpu(1_ms),
                                takt::kernel(takt::work(8_ms), takt::interleave(1)), takt::cpu(1_ms)));
  const std::array offsets{takt::duration{0_ms}, takt::duration{1_ms}};
  const auto last_of = [&](std::int32_t tokens) {
    const auto seen = takt::simulate(board_of(takt::k_fmlp_order, tokens), pair, takt::plan<2>{},
                                     {.horizon = 80_ms, .offsets = offsets});
    return seen.tasks[1].worst_response;
  };
  CHECK(last_of(1) == 4'000'000);  // asks at 2 ms, waits until 3 ms, and holds all SMs for 1 ms
  CHECK(last_of(2) == 4'000'000);  // holds half of the SMs for 2 ms
}

TEST_CASE("every protocol is proven with the terms that its bound is in") {
  const auto none = takt::plan<3>{};
  for (const std::int32_t tokens : {1, 2}) {
    expect_sound(board_of(takt::fifo_order, tokens), tasks, none);
    expect_sound(board_of(takt::k_fmlp_order, tokens), tasks, none);
    expect_sound(board_of(takt::r2dglp_order, tokens), tasks, none);
    expect_sound(board_of(own_order{}, tokens), tasks, none);
  }
  expect_sound(board_of(takt::priority_mutex_order, 1), tasks, none);
  constexpr auto sparse =
      takt::task_set(takt::task("a", takt::period(40_ms), takt::cpu(1_ms), takt::copy(1_ms),
                                takt::kernel(takt::work(4_ms), takt::interleave(1)), takt::cpu(1_ms)),
                     takt::task("b", takt::period(60_ms), takt::cpu(2_ms),
                                takt::kernel(takt::work(6_ms), takt::interleave(1)), takt::cpu(1_ms)));
  const auto verdict = takt::analyze(board_of(takt::ck_omlp_order, 1), sparse, takt::published_methods);
  CHECK(verdict.method == "inflated");
  expect_sound(board_of(takt::ck_omlp_order, 1), sparse, takt::plan<2>{});
}

TEST_CASE("two GPUs have rules of their own: tokens on one, SMs of each task's own on the other") {
  const auto board =
      takt::platform(cores, engine, takt::pool(takt::virtual_sms(4, 2), takt::locked(takt::k_fmlp_order, 1)),
                     takt::pool(takt::virtual_sms(6, 2), takt::federated));
  takt::plan<3> plan;
  for (const takt::sm_share& s : {takt::sm_share{0, 0}, takt::sm_share{1, 4}, takt::sm_share{0, 0}}) {
    REQUIRE(plan.shares.try_push_back(s));
  }
  expect_sound(board, tasks, plan);
  plan.shares[0] = {1, 3};
  CHECK(takt::analyze(board, tasks, plan, takt::published_methods).error.fault == takt::model_fault::plan_does_not_fit);
  plan.shares[0] = {0, 2};  // tokens give no SMs away
  CHECK(takt::analyze(board, tasks, plan, takt::published_methods).error.fault == takt::model_fault::plan_does_not_fit);
}

TEST_CASE("tokens that a lock or a GPU does not have are refused") {
  CHECK(takt::analyze(board_of(takt::k_fmlp_order, 0), tasks, takt::published_methods).error.fault ==
        takt::model_fault::platform_size_out_of_range);
  CHECK(takt::analyze(board_of(takt::k_fmlp_order, 5), tasks, takt::published_methods).error.fault ==
        takt::model_fault::platform_size_out_of_range);
  CHECK(takt::analyze(board_of(takt::priority_mutex_order, 2), tasks, takt::published_methods).error.fault ==
        takt::model_fault::platform_size_out_of_range);
  takt::any_stations<2, 8> erased;
  CHECK_FALSE(erased.add_tokens(takt::priority_mutex_order, 2));
  CHECK_FALSE(erased.add_tokens(takt::k_fmlp_order, 0));
  CHECK(erased.add_tokens(takt::k_fmlp_order, 20));
}

TEST_CASE("sections whose waits are not known in wall-clock time are refused by name") {
  takt::visit_table<2, 4> table;
  REQUIRE(table.add_task({.name = "t", .period = 20, .deadline = 20}));
  REQUIRE(table.add_next(0, 1, 2));
  REQUIRE(table.sections.try_push_back({0, 0, 1}));
  takt::any_stations<2, 4> board;
  REQUIRE(board.add(takt::fifo));
  REQUIRE(board.add_tokens(takt::ck_omlp_order, 1));
  CHECK(takt::analysis::guarded(table, board).why == takt::obstacle::tokens);
  CHECK(takt::analysis::holistic(table, board).why == takt::obstacle::tokens);
  CHECK(takt::analysis::inflated(table, board).why == takt::obstacle::tokens);
  CHECK(takt::name_of(takt::obstacle::tokens) == "tokens");
}

namespace {

/// The stations of a typed board under erased rules.
template <class Stations>
auto erased(const Stations& typed) -> takt::any_stations<8, 16> {
  takt::any_stations<8, 16> out;
  for (std::size_t s = 0; s < typed.size(); ++s) {
    typed.with_rule(s, [&](const auto& rule) { REQUIRE(out.add(rule, typed.units(s))); });
  }
  for (std::size_t t = 0; t < typed.token_pools(); ++t) {
    typed.with_tokens(t, [&](const auto& order, std::int32_t count) { REQUIRE(out.add_tokens(order, count)); });
  }
  return out;
}

/// Every visit takes as long as it can, and every job comes when the last one's period is over.
struct densest {
  static auto gap(std::uint32_t /*task*/, std::uint64_t job, takt::ticks period) -> takt::ticks {
    return job == 0 ? 0 : period;
  }
  static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, takt::ticks /*period*/) -> takt::ticks { return 0; }
  static auto length(const takt::visit_record& v, std::uint64_t /*job*/) -> takt::ticks { return v.upper; }
};

}  // namespace

TEST_CASE("sections are proven with guards in a constant expression, and under erased rules alike") {
  namespace an = takt::analysis;
  static constexpr auto board = board_of(takt::k_fmlp_order, 1);
  static constexpr auto flat = takt::flatten(board, tasks, takt::plan<3, 14>{});
  constexpr auto verdict = an::guarded(flat.table, an::detail::bounded_stations{flat.stations});
  static_assert(verdict.schedulable());
  const auto places = erased(flat.stations);
  const auto same = an::guarded(flat.table, places);
  REQUIRE(same.schedulable());
  for (std::size_t v = 0; v < flat.table.visits.size(); ++v) {
    CHECK(same.plan.offsets[v] == verdict.plan.offsets[v]);
    CHECK(same.plan.local_deadlines[v] == verdict.plan.local_deadlines[v]);
  }
  takt::plan<3, 14> plan;
  takt::detail::copy_decisions(verdict.plan, plan);
  const auto judged = takt::analyze(board, tasks, plan, takt::published_methods);
  CHECK(judged.schedulable());
  CHECK(judged.method == "guarded");
  expect_sound(board, tasks, plan);

  densest choices;
  takt::host::engine<takt::any_stations<8, 16>, 3, 14, densest> run{
      flat.table,
      places,
      choices,
      {plan.offsets.data(), plan.offsets.size()},
      {plan.local_deadlines.data(), plan.local_deadlines.size()}};
  const auto at_door = takt::simulate(board, tasks, plan, {.horizon = 1_s});
  const auto seen = run.run(1'000'000'000);
  for (std::size_t i = 0; i < 3; ++i) { CHECK(seen.tasks[i].total_response == at_door.tasks[i].total_response); }

  plan.local_deadlines[2] -= 1'000'000'000;
  CHECK(takt::analyze(board, tasks, plan, takt::published_methods).error.fault == takt::model_fault::plan_does_not_fit);
}

TEST_CASE("a section asks when the visits before it are due, and no guard holds it inside") {
  namespace an = takt::analysis;
  takt::visit_table<1, 3> table;
  REQUIRE(table.add_task({.name = "t", .period = 30, .deadline = 30}));
  REQUIRE(table.add_next(0, 2, 2));
  REQUIRE(table.add_next(1, 1, 1));
  REQUIRE(table.add_next(2, 3, 3));
  REQUIRE(table.sections.try_push_back({0, 0, 0b110}));
  takt::any_stations<3, 3> places;
  for (int s = 0; s < 3; ++s) { REQUIRE(places.add(takt::deadline_monotonic)); }
  REQUIRE(places.add_tokens(takt::fifo_order, 1));
  const an::detail::visit_guards<3> guards{{0, 8, 12}, {5, 4, 6}};
  an::detail::guard_shortage<3> missing;
  REQUIRE(an::detail::guards_hold(table, places, guards, missing));
  const auto verdict = an::detail::guarded_verdict(table, guards);
  CHECK(verdict.tasks[0].bound.value == 18);
  CHECK(verdict.visits[1].response == 7);  // from the request at 5
  densest choices;
  takt::host::engine<takt::any_stations<3, 3>, 1, 3, densest> run{table, places, choices, guards.offsets,
                                                                  guards.local_deadlines};
  const auto seen = run.run(100);
  CHECK(seen.tasks[0].worst_response == 9);  // 2, held back until 5, 1 and 3
  CHECK(seen.tasks[0].best_response == 9);
  CHECK(seen.visit_response(0, 1) == 1);

  an::detail::visit_guards<3> hurried = guards;
  hurried.local_deadlines[2] = 2;
  CHECK_FALSE(an::detail::guards_hold(table, places, hurried, missing));
  CHECK((!missing.visits[0] && !missing.visits[1] && missing.visits[2]));
}

TEST_CASE("a wait that guards leave no room for is told apart from visits that need more time") {
  namespace an = takt::analysis;
  takt::visit_table<2, 2> table;
  for (const char* const name : {"a", "b"}) {
    REQUIRE(table.add_task({.name = name, .period = 30, .deadline = 30}));
    REQUIRE(table.add_next(0, 1, 4));
    REQUIRE(table.sections.try_push_back({static_cast<std::uint32_t>(table.size() - 1), 0, 1}));
  }
  takt::any_stations<1, 2> places;
  REQUIRE(places.add(takt::fifo));
  REQUIRE(places.add_tokens(takt::fifo_order, 1));
  an::detail::guard_shortage<2> missing;
  CHECK(an::detail::guards_hold(table, places, {{4, 4}, {4, 4}}, missing));
  CHECK_FALSE(an::detail::guards_hold(table, places, {{3, 4}, {4, 4}}, missing));
  CHECK(missing.why == takt::obstacle::tokens);
  CHECK((missing.waits[0] && !missing.waits[1] && !missing.visits[0] && !missing.visits[1]));
}
