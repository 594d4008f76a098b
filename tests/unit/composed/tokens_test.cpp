// SPDX-License-Identifier: Apache-2.0
// GPUs as pools of tokens on boards that no published method knows.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>

#include <takt/analysis/any_stations.hpp>
#include <takt/compose.hpp>
#include <takt/simulation.hpp>

namespace {

using namespace takt::literals;

constexpr auto engine = takt::pool(takt::copy_engines(1), takt::fifo);
constexpr auto cores = takt::pool(takt::processors(1), takt::edf);
constexpr auto tasks =
    takt::task_set(takt::task("a", takt::period(20_ms), takt::cpu(1_ms), takt::copy(1_ms),
                              takt::kernel(takt::work(4_ms)), takt::copy(1_ms), takt::cpu(1_ms)),
                   takt::task("b", takt::period(40_ms), takt::cpu(2_ms), takt::copy(2_ms),
                              takt::kernel(takt::work(6_ms)), takt::cpu(1_ms), takt::copy(1_ms), takt::cpu(1_ms)),
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
  const auto verdict = takt::analyze(board, set, plan);
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
  constexpr auto verdict = takt::analyze(board, tasks);
  static_assert(verdict.schedulable() && verdict.method == "holistic");
  constexpr auto seen = takt::simulate(board, tasks, verdict.plan, {.horizon = 100_ms});
  static_assert(!seen.error && seen.misses() == 0 && seen.tasks[0].completed == 5);
}

TEST_CASE("a stretch waits for the token that another one holds") {
  constexpr auto pair = takt::task_set(
      takt::task("first", takt::period(100_ms), takt::cpu(1_ms), takt::kernel(takt::work(16_ms)), takt::cpu(1_ms)),
      takt::task("second", takt::period(90_ms), takt::cpu(1_ms), takt::kernel(takt::work(8_ms)), takt::cpu(1_ms)));
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
  constexpr auto sparse = takt::task_set(
      takt::task("a", takt::period(40_ms), takt::cpu(1_ms), takt::copy(1_ms), takt::kernel(takt::work(4_ms)),
                 takt::cpu(1_ms)),
      takt::task("b", takt::period(60_ms), takt::cpu(2_ms), takt::kernel(takt::work(6_ms)), takt::cpu(1_ms)));
  const auto verdict = takt::analyze(board_of(takt::ck_omlp_order, 1), sparse);
  CHECK(verdict.method == "inflated");
  expect_sound(board_of(takt::ck_omlp_order, 1), sparse, takt::plan<2>{});
}

TEST_CASE("two GPUs have rules of their own: tokens on one, SMs of each task's own on the other") {
  const auto board =
      takt::platform(cores, engine, takt::pool(takt::virtual_sms(4, 2), takt::locked(takt::k_fmlp_order, 1)),
                     takt::pool(takt::virtual_sms(6, 2), takt::federated));
  takt::plan<3> plan;
  for (const takt::sm_share& s : {takt::sm_share{0, 0}, takt::sm_share{1, 4}, takt::sm_share{0, 0}}) {
    REQUIRE(plan.shares.push_back(s));
  }
  expect_sound(board, tasks, plan);
  plan.shares[0] = {1, 3};
  CHECK(takt::analyze(board, tasks, plan).error.fault == takt::model_fault::plan_does_not_fit);
  plan.shares[0] = {0, 2};  // tokens give no SMs away
  CHECK(takt::analyze(board, tasks, plan).error.fault == takt::model_fault::plan_does_not_fit);
}

TEST_CASE("tokens that a lock or a GPU does not have are refused") {
  CHECK(takt::analyze(board_of(takt::k_fmlp_order, 0), tasks).error.fault ==
        takt::model_fault::platform_size_out_of_range);
  CHECK(takt::analyze(board_of(takt::k_fmlp_order, 5), tasks).error.fault ==
        takt::model_fault::platform_size_out_of_range);
  CHECK(takt::analyze(board_of(takt::priority_mutex_order, 2), tasks).error.fault ==
        takt::model_fault::platform_size_out_of_range);
  takt::any_stations<2, 8> erased;
  CHECK_FALSE(erased.add_tokens(takt::priority_mutex_order, 2));
  CHECK_FALSE(erased.add_tokens(takt::k_fmlp_order, 0));
  CHECK(erased.add_tokens(takt::k_fmlp_order, 20));
}

TEST_CASE("guards beside sections are refused by name") {
  takt::visit_table<2, 4> table;
  REQUIRE(table.add_task({.name = "t", .period = 20, .deadline = 20}));
  REQUIRE(table.add_next(0, 1, 2));
  REQUIRE(table.sections.push_back({0, 0, 1}));
  takt::any_stations<2, 4> board;
  REQUIRE(board.add(takt::fifo));
  REQUIRE(board.add_tokens(takt::ck_omlp_order, 1));
  CHECK(takt::analysis::guarded(table, board).why == takt::obstacle::tokens);
  CHECK(takt::analysis::holistic(table, board).why == takt::obstacle::tokens);
  CHECK(takt::analysis::inflated(table, board).why == takt::obstacle::tokens);
  CHECK(takt::name_of(takt::obstacle::tokens) == "tokens");
}
