// SPDX-License-Identifier: Apache-2.0
// Chains whose kernels share a GPU block by block, or hold a lasting share of it.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <span>

#include <takt/analysis/any_stations.hpp>
#include <takt/graphs.hpp>
#include <takt/kernels.hpp>
#include <takt/shares.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace {

using namespace takt::literals;
using takt::ticks;

constexpr ticks ms = 1'000'000;

/// Worst responses of runs under the plan of a proof.
template <class P, class T>
void expect_sound(const P& given, const T& set) {
  const auto verdict = takt::analyze(given, set, takt::published_methods);
  REQUIRE(verdict.schedulable());
  for (const auto releases : {takt::release_pattern::periodic, takt::release_pattern::adversarial}) {
    for (const auto lengths : {takt::execution_times::upper, takt::execution_times::random}) {
      const auto seen =
          takt::simulate(given, set, verdict.plan, {.horizon = 2_s, .releases = releases, .execution = lengths});
      REQUIRE_FALSE(seen.error);
      CHECK(seen.misses() == 0);
      for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
        CHECK(seen.tasks[i].completed > 0);
        CHECK(seen.tasks[i].worst_response <= verdict.tasks[i].bound.value);
      }
    }
  }
}

constexpr auto processors = takt::pool(takt::processors(2), takt::edf);
constexpr auto engine = takt::pool(takt::copy_engines(1), takt::fifo);
constexpr auto blocks = takt::fifo_blocks(takt::per_job_streams, takt::unguarded);

constexpr auto by_blocks = takt::task_set(
    takt::task("detect", takt::period(33_ms), takt::deadline(30_ms), takt::cpu(1_ms, 2_ms), takt::copy(1_ms),
               takt::kernel(takt::grid(12, 256), takt::block_length(2_ms)), takt::copy(500_us), takt::cpu(1_ms)),
    takt::task("plan", takt::period(20_ms), takt::cpu(2_ms), takt::kernel(takt::grid(4, 512), takt::block_length(1_ms)),
               takt::cpu(1_ms)));
constexpr auto block_board = takt::platform(processors, engine, takt::pool(takt::block_slots(2, 1024, 16), blocks));

constexpr auto by_shares = takt::task_set(
    takt::task("detect", takt::period(33_ms), takt::deadline(30_ms), takt::cpu(1_ms, 2_ms), takt::copy(1_ms),
               takt::kernel(takt::scaling_wcet(8_ms, 200)), takt::copy(500_us), takt::cpu(1_ms)),
    takt::task("plan", takt::period(20_ms), takt::cpu(2_ms), takt::kernel(takt::scaling_wcet(2_ms)), takt::cpu(1_ms)),
    takt::task("log", takt::period(100_ms), takt::cpu(3_ms)));
constexpr auto share_board = takt::platform(processors, engine, takt::pool(takt::gpu_shares(), takt::lasting_shares));

}  // namespace

TEST_CASE("chains whose kernels share a GPU block by block are proven in a constant expression and simulated") {
  constexpr auto verdict = takt::analyze(block_board, by_blocks, takt::published_methods);
  static_assert(verdict.schedulable());
  static_assert(verdict.method == "holistic");
  static_assert(takt::allocate(block_board, by_blocks, takt::published_methods).feasible);
  constexpr auto seen = takt::simulate(block_board, by_blocks, verdict.plan, {.horizon = 100_ms});
  static_assert(!seen.error && seen.misses() == 0 && seen.tasks[1].completed == 5);
  static_assert(seen.tasks[0].worst_response <= verdict.tasks[0].bound.value);
  expect_sound(block_board, by_blocks);
}

TEST_CASE("a kernel takes its rounds on an empty block queue, and its bound counts one job of each other task") {
  const auto queue = takt::pool(takt::block_slots(2, 1024), blocks).rule;
  const auto one = queue.view(takt::kernel(takt::grid(12, 256), takt::block_length(2_ms)));
  CHECK(one.fault == takt::model_fault::none);
  CHECK(one.time.upper == 4 * ms);  // eight blocks at a time
  CHECK(queue.view(takt::kernel(takt::grid(8, 256), takt::block_length(2_ms))).time.upper == 2 * ms);
  const auto slots = takt::pool(takt::block_slots(2, 1024, 3), blocks).rule;
  CHECK(slots.view(takt::kernel(takt::grid(12, 256), takt::block_length(2_ms))).time.upper == 4 * ms);
  CHECK(slots.view(takt::kernel(takt::grid(13, 256), takt::block_length(2_ms))).time.upper == 6 * ms);

  // Worked example of Yang et al. 2018, figure 7, with one job of each ahead: 5 and 23/6.
  const auto figure = takt::pool(takt::block_slots(2, 2048), blocks).rule;
  const auto first = figure.view(takt::kernel(takt::grid(2, 1024), takt::block_length(takt::duration{3'000})));
  const auto second = figure.view(takt::kernel(takt::grid(6, 512), takt::block_length(takt::duration{1'000})));
  CHECK(first.time.upper == 3'000);
  CHECK(second.time.upper == 1'000);
  std::array<takt::visit_demand, 2> d{};
  const auto demand = [](std::uint32_t task, const takt::visit_view& v) {
    return takt::visit_demand{
        .task = task, .view = v.values, .wcet = v.time.upper, .period = 8'000, .limit = 8'000, .response = 0};
  };
  d[0] = demand(0, first);
  d[1] = demand(1, second);
  takt::analysis::detail::pool_bounds<
      takt::fifo_blocks_rule<takt::one_stream_per_job, takt::unguarded_enqueues>>::responds(figure, d, 1);
  CHECK(d[0].response == 4'000);  // one kernel after the other
  CHECK(d[1].response == 3'834);
}

TEST_CASE("a block queue refuses kernels that it cannot place and facts that it does not know") {
  const auto fault = [](const auto& board, const auto& kernel) {
    return takt::analyze(board, takt::task_set(takt::task("k", takt::period(50_ms), takt::cpu(1_ms), kernel)),
                         takt::published_methods)
        .error;
  };
  using takt::model_fault;
  const auto good = takt::kernel(takt::grid(4, 256), takt::block_length(1_ms));
  CHECK(fault(block_board, good).fault == model_fault::none);
  CHECK(fault(block_board, takt::kernel(takt::grid(4, 2048), takt::block_length(1_ms))) ==
        takt::fault_at(model_fault::kernel_shape_out_of_range, 0, 1));
  CHECK(fault(block_board, takt::kernel(takt::grid(0, 256), takt::block_length(1_ms))).fault ==
        model_fault::kernel_shape_out_of_range);
  CHECK(fault(block_board, takt::kernel(takt::grid(4, 0), takt::block_length(1_ms))).fault ==
        model_fault::kernel_shape_out_of_range);
  CHECK(fault(block_board, takt::kernel(takt::grid(4, 256), takt::block_length(0_ms))).fault ==
        model_fault::kernel_shape_out_of_range);
  CHECK(fault(block_board, takt::kernel(takt::grid(INT64_MAX, 256), takt::block_length(1_ms))).fault ==
        model_fault::time_overflow);
  CHECK(fault(block_board,
              takt::kernel(takt::grid(4, 256), takt::block_length(1_ms), takt::launch(1_ms), takt::await(0_ms)))
            .fault == model_fault::none);
  CHECK(
      fault(block_board, takt::kernel(takt::grid(4, 256), takt::block_length(1_ms), takt::overhead(takt::duration{-1})))
          .fault == model_fault::negative_time);
  const auto board = [](std::int32_t sms, std::int32_t threads, std::int32_t slots) {
    return takt::platform(processors, takt::pool(takt::block_slots(sms, threads, slots), blocks));
  };
  CHECK(fault(board(192, 2048, 32), good).fault == model_fault::none);
  CHECK(fault(board(193, 2048, 32), good).fault == model_fault::platform_size_out_of_range);
  CHECK(fault(board(192, 2048, 33), takt::kernel(takt::grid(4, 32), takt::block_length(1_ms))).fault ==
        model_fault::platform_size_out_of_range);
}

TEST_CASE("a block holds whole warps of its SM, in the time, the bound and the run of its kernel") {
  const auto set = takt::task_set(
      takt::task("odd", takt::period(50_ms), takt::kernel(takt::grid(12, 33), takt::block_length(2_ms))),
      takt::task("even", takt::period(50_ms), takt::kernel(takt::grid(12, 64), takt::block_length(2_ms))));
  const auto on = [](std::int32_t warp) {
    return takt::platform(takt::pool(takt::block_slots(1, 256).with_warps_of(warp), blocks));
  };
  const auto worst = [&](const auto& board) {
    const auto verdict = takt::analyze(board, set, takt::published_methods);
    REQUIRE(verdict.schedulable());
    const auto seen = takt::simulate(board, set, verdict.plan, {.horizon = 1_s});
    CHECK(seen.visit_response(0, 0) <= verdict.tasks[0].bound.value);
    CHECK(seen.visit_response(1, 0) <= verdict.tasks[1].bound.value);
    return seen.visit_response(0, 0);
  };
  CHECK(worst(on(1)) == 4 * ms);     // seven at a time
  CHECK(worst(on(32)) == 6 * ms);    // four
  CHECK(worst(on(64)) == 6 * ms);    // four
  CHECK(worst(on(128)) == 12 * ms);  // two
  CHECK(takt::analyze(on(256), set, takt::published_methods).tasks[0].bound.value == 2 * 24 * ms);
  CHECK(takt::analyze(on(257), set, takt::published_methods).error.fault ==
        takt::model_fault::kernel_shape_out_of_range);
  CHECK(takt::analyze(on(0), set, takt::published_methods).error.fault ==
        takt::model_fault::platform_size_out_of_range);
  // Who counts single threads promises less than a run takes.
  const auto promised = takt::analyze(on(1), set, takt::published_methods);
  const auto seen = takt::simulate(on(128), set, promised.plan, {.horizon = 1_s});
  CHECK(seen.tasks[0].worst_response + seen.tasks[1].worst_response >
        promised.tasks[0].bound.value + promised.tasks[1].bound.value);
}

TEST_CASE("what a kernel takes apart from its blocks holds up the queue, and all that wait count it") {
  using takt::grid;
  const auto kernel = [](std::int64_t count, auto length, auto serial) {
    return takt::kernel(grid(count, 512), takt::block_length(length), takt::overhead(serial));
  };
  const auto queue = takt::pool(takt::block_slots(2, 1024), blocks).rule;
  const auto alone = queue.view(kernel(8, 2_ms, 500_us));
  CHECK(alone.time.upper == 4 * ms + ms / 2);
  CHECK(alone.values.at[3] == ms / 2);
  const auto set = takt::task_set(takt::task("first", takt::period(50_ms), kernel(8, 2_ms, 500_us)),
                                  takt::task("second", takt::period(50_ms), kernel(4, 1_ms, 3_ms)));
  const auto board = takt::platform(takt::pool(takt::block_slots(2, 1024), blocks));
  const auto verdict = takt::analyze(board, set, takt::published_methods);
  REQUIRE(verdict.schedulable());
  const auto seen = takt::simulate(board, set, verdict.plan, {.horizon = 1_s});
  CHECK(seen.visit_response(0, 0) == 4 * ms + ms / 2);
  // The last blocks of the first start after 2.5 ms; then the second is the head.
  CHECK(seen.visit_response(1, 0) == 2 * ms + ms / 2 + 3 * ms + ms);
  CHECK(verdict.tasks[0].bound.value == 8 * ms + ms / 2);
  CHECK(verdict.tasks[1].bound.value == 8 * ms + ms / 2);
  expect_sound(board, set);
  auto fast = queue;
  fast.speed = {2, 1};
  CHECK(fast.view(kernel(8, 2_ms, 500_us)).time.upper == 2 * ms + ms / 4);
  fast.speed = {1, 2};
  CHECK(fast.view(kernel(8, 2_ms, 500_us)).time.upper == 9 * ms);
  fast.speed = {0, 1};
  CHECK(fast.view(kernel(8, 2_ms, 500_us)).fault == takt::model_fault::time_overflow);
}

TEST_CASE("chains with lasting shares of a GPU are proven in a constant expression and simulated") {
  constexpr auto verdict = takt::analyze(share_board, by_shares, takt::published_methods);
  static_assert(verdict.schedulable());
  static_assert(verdict.plan.percents.size() == 3 && verdict.plan.percents[0] == 50 && verdict.plan.percents[1] == 50 &&
                verdict.plan.percents[2] == 0);
  constexpr auto seen = takt::simulate(share_board, by_shares, verdict.plan, {.horizon = 100_ms});
  static_assert(!seen.error && seen.misses() == 0 && seen.tasks[1].completed == 5);
  static_assert(seen.visit_response(1, 1) == 4 * ms);
  expect_sound(share_board, by_shares);
}

TEST_CASE("lasting shares follow the demand of tasks where an even split proves nothing") {
  const auto set =
      takt::task_set(takt::task("heavy", takt::period(20_ms), takt::cpu(1_ms), takt::kernel(takt::scaling_wcet(12_ms))),
                     takt::task("light", takt::period(20_ms), takt::cpu(1_ms), takt::kernel(takt::scaling_wcet(2_ms))));
  const auto verdict = takt::analyze(share_board, set, takt::published_methods);
  REQUIRE(verdict.schedulable());
  CHECK(verdict.plan.percents[0] == 85);
  CHECK(verdict.plan.percents[1] == 15);
  CHECK(verdict.plan.percents[0] + verdict.plan.percents[1] <= 100);
  expect_sound(share_board, set);
}

TEST_CASE("a lasting share of SMs is so many whole SMs, and a share that is none of them is refused") {
  const auto set = takt::task_set(
      takt::task("a", takt::period(40_ms), takt::cpu(1_ms), takt::kernel(takt::work(12_ms)), takt::cpu(1_ms)),
      takt::task("b", takt::period(40_ms), takt::cpu(1_ms), takt::kernel(takt::scaling_wcet(6_ms))));
  const auto board = takt::platform(processors, takt::pool(takt::virtual_sms(4, 1), takt::lasting_shares));
  auto plan = takt::analyze(board, set, takt::published_methods).plan;
  plan.percents[0] = 74;  // two of four SMs
  plan.percents[1] = 26;
  const auto seen = takt::simulate(board, set, plan, {.horizon = 200_ms});
  REQUIRE_FALSE(seen.error);
  CHECK(seen.visit_response(0, 1) == 6 * ms);
  CHECK(seen.visit_response(1, 1) == (600 * ms + 25) / 26);
  const auto fault = [&](std::int32_t a, std::int32_t b) {
    plan.percents[0] = a;
    plan.percents[1] = b;
    CHECK(takt::simulate(board, set, plan).error == takt::analyze(board, set, plan, takt::published_methods).error);
    return takt::analyze(board, set, plan, takt::published_methods).error.fault;
  };
  using takt::model_fault;
  CHECK(fault(25, 75) == model_fault::none);
  CHECK(fault(24, 75) == model_fault::plan_does_not_fit);
  CHECK(fault(26, 75) == model_fault::plan_does_not_fit);
  CHECK(fault(100, 0) == model_fault::plan_does_not_fit);
  CHECK(fault(-1, 50) == model_fault::plan_does_not_fit);
  CHECK(fault(101, 1) == model_fault::plan_does_not_fit);
  fault(25, 75);
  plan.shares[0].sms = 1;
  CHECK(takt::analyze(board, set, plan, takt::published_methods).error.fault == model_fault::plan_does_not_fit);
  plan.shares[0] = {0, 0};
  plan.percents.clear();
  CHECK(takt::analyze(board, set, plan, takt::published_methods).error.fault == model_fault::plan_does_not_fit);
  const auto limited =
      takt::platform(processors, engine, takt::pool(takt::gpu_shares(takt::memory_units{4}), takt::lasting_shares));
  CHECK(takt::analyze(limited, by_shares, takt::published_methods).error.fault == model_fault::option_unused);
  const auto unmeasured = takt::task_set(takt::task(
      "u", takt::period(40_ms), takt::kernel(takt::wcet_row::interpolated(std::span<const takt::measured_share>{}))));
  CHECK(takt::analyze(share_board, unmeasured, takt::published_methods).error.fault == model_fault::visit_time_unknown);
}
