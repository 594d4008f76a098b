// SPDX-License-Identifier: Apache-2.0
// What rules make of what is known of a kernel: the first fact that is there, and never less than a given one.
#include <doctest/doctest.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include <takt/kernels.hpp>
#include <takt/rules/kernel_views.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace {

using namespace takt::literals;
using takt::model_fault;
using takt::ticks;
constexpr ticks ms = 1'000'000;

constexpr takt::gpu_record isolated{.sms = 4, .virtual_per_sm = 2};
constexpr takt::gpu_record shared{.sms = 4, .virtual_per_sm = 2, .shared = true};
constexpr takt::gpu_record fast{.sms = 4, .virtual_per_sm = 2, .speed = {2, 1}};

constexpr auto by_work = takt::kernel(takt::work(8_ms, 16_ms), takt::interleave(1));
constexpr auto by_blocks = takt::kernel(takt::grid(10, 128), takt::block_length(3_ms));
constexpr auto row = takt::wcet_by_share(takt::wcet_row::scaling(4 * ms));
constexpr auto by_share = takt::visit<takt::gpu>(row);
constexpr auto by_wcet = takt::kernel(takt::wcet(5_ms));

/// Upper bound, or -1 where there is none.
template <class V>
constexpr auto upper(const V& v) -> ticks {
  return v.fault == model_fault::none ? v.time.upper : -1;
}
template <class K>
constexpr auto on(const K& k, std::int32_t sms, const takt::gpu_record& gpu = isolated) -> ticks {
  return upper(takt::time_on_sms(k, gpu, sms));
}
template <class K>
constexpr auto unknown(const K& k, std::int32_t sms, const takt::gpu_record& gpu = isolated) -> bool {
  return takt::time_on_sms(k, gpu, sms).fault == model_fault::visit_time_unknown;
}

}  // namespace

TEST_CASE("an SM that holds fewer blocks than it counts as virtual SMs gives a kernel as many places as it holds") {
  const auto in = [](const takt::sm_residency& residency, bool is_shared = false) {
    return takt::gpu_record{.sms = 4, .virtual_per_sm = 4, .shared = is_shared, .residency = residency};
  };
  const auto big = takt::kernel(takt::grid(24, 513), takt::block_length(3_ms));
  CHECK(on(big, 16, in({})) == 6 * ms);
  CHECK(on(big, 16, in({.threads = 2176})) == 6 * ms);  // 4 times 17 warps
  CHECK(on(big, 16, in({.threads = 2048})) == 6 * ms);  // three in an SM
  CHECK(on(big, 16, in({.threads = 1088})) == 9 * ms);  // two
  CHECK(on(big, 8, in({.threads = 1088})) == 18 * ms);
  CHECK(on(big, 16, in({.threads = 2176, .blocks = 2})) == 9 * ms);
  CHECK(on(big, 16, in({.threads = 1088, .warp_size = 64})) == 18 * ms);
  CHECK(on(big, 7, in({.threads = 1088})) == 36 * ms);  // on one whole SM
  CHECK(on(big, 3, in({.threads = 1088})) == -1);
  // of virtual SMs that others share, nobody knows which are on one SM
  CHECK(on(big, 8, in({.threads = 2176}, true)) == 9 * ms);
  CHECK(on(big, 8, in({.threads = 1088}, true)) == -1);
  CHECK(on(big, 16, in({.threads = 1088}, true)) == 9 * ms);
  CHECK(takt::time_on_sms(big, in({.threads = 512}), 16).fault == model_fault::kernel_shape_out_of_range);
}

TEST_CASE("facts of a published kernel in any order are that kernel, and any others a kernel of facts") {
  using divisible = takt::kernel_segment<takt::divisible_work>;
  static_assert(std::same_as<decltype(takt::kernel(takt::interleave(9, 5), takt::work(8_ms))), divisible>);
  static_assert(takt::kernel(takt::interleave(9, 5), takt::work(8_ms)).law.interleave_numerator == 9);
  static_assert(takt::kernel(takt::overhead(1_ms), takt::interleave(9, 5), takt::work(8_ms)).law.overhead.count() ==
                ms);
  constexpr auto pinned = takt::kernel(takt::on_sm(2), takt::preemption_cost(1_ms), takt::wcet(8_ms));
  static_assert(std::same_as<decltype(pinned), const takt::accelerator_kernel>);
  static_assert(pinned.core == 2 && pinned.cost_given && !takt::kernel(takt::on_sm(2), takt::wcet(8_ms)).cost_given);
  constexpr auto grid =
      takt::kernel(takt::await(2_ms), takt::block_length(1_ms), takt::launch(1_ms), takt::grid(2, 32));
  static_assert(std::same_as<decltype(grid), const takt::grid_kernel>);
  static_assert(grid.split && grid.await.count() == 2 * ms);
  static_assert(!takt::kernel(takt::block_length(1_ms), takt::grid(2, 32)).split);
  constexpr auto all = takt::kernel(takt::work(8_ms, 12_ms), takt::interleave(9, 5), takt::preemption_cost(300_us), row,
                                    takt::grid(8, 64), takt::block_length(1_ms), takt::wcet(2_ms),
                                    takt::time_on(takt::interval<takt::duration>{1_ms, 7_ms}));
  static_assert(takt::Segment<std::remove_const_t<decltype(all)>> && !std::same_as<decltype(all), const divisible>);
  static_assert(takt::fact<takt::kernel_preemption_cost>(all).time.count() == 300'000);
  static_assert(takt::fact<takt::kernel_work>(all).time.upper.count() == 12 * ms);
}

TEST_CASE("time on dedicated SMs comes from a table, work, blocks or a row, in this order") {
  static_assert(on(by_work, 1) == 16 * ms && on(by_work, 8) == 2 * ms && on(by_work, 3) == 5'333'334);
  static_assert(takt::time_on_sms(by_work, isolated, 8).time.lower == ms);
  static_assert(on(takt::kernel(takt::work(16_ms)), 8) == 4 * ms && on(takt::kernel(takt::work(16_ms)), 1) == 32 * ms);
  static_assert(on(by_blocks, 1) == 30 * ms && on(by_blocks, 4) == 9 * ms && on(by_blocks, 5) == 6 * ms);
  static_assert(on(by_share, 8) == 4 * ms && on(by_share, 4) == 8 * ms);
  static_assert(on(by_share, 1) == 33'333'334);  // 12 per cent are the most whole ones in an eighth
  static_assert(on(by_wcet, 8) == 5 * ms);
  const auto table = takt::kernel(
      takt::measured(takt::interval<takt::duration>{1_ms, 9_ms}, takt::interval<takt::duration>{1_ms, 6_ms}));
  CHECK(on(table, 1) == 9 * ms);
  CHECK(on(table, 5) == 6 * ms);
  constexpr auto rows = takt::time_on(takt::interval<takt::duration>{1_ms, 7_ms});
  static_assert(on(takt::kernel(takt::work(16_ms), takt::interleave(1), takt::grid(1, 1), takt::block_length(9_ms)),
                   4) == 4 * ms);
  static_assert(on(takt::kernel(takt::work(16_ms), takt::interleave(1), rows), 4) == 7 * ms);
  static_assert(on(takt::kernel(row, takt::grid(10, 128), takt::block_length(3_ms)), 4) == 9 * ms);
  static_assert(on(takt::kernel(takt::overhead(1_ms), takt::grid(10, 128), takt::block_length(3_ms)), 4) == 10 * ms);
  CHECK(takt::time_on_sms(by_work, isolated, 0).fault == model_fault::plan_does_not_fit);
  CHECK(takt::time_on_sms(by_work, isolated, 9).fault == model_fault::plan_does_not_fit);
}

TEST_CASE("a time that is given may be exact or nothing, and is refused upside down or below zero") {
  const auto given = [](takt::duration lower, takt::duration upper) {
    return takt::time_on_gpu(takt::visit<takt::gpu>(takt::time_on(takt::interval<takt::duration>{lower, upper})),
                             isolated);
  };
  CHECK(upper(given(3_ms, 3_ms)) == 3 * ms);
  CHECK(given(3_ms, 3_ms).time.lower == 3 * ms);
  CHECK(upper(given(0_ms, 0_ms)) == 0);
  CHECK(given(3_ms, 2_ms).fault == model_fault::best_case_exceeds_worst_case);
  CHECK(given(takt::duration{-1}, 2_ms).fault == model_fault::negative_time);
}

TEST_CASE("a share is so many SMs that the GPU has and can hand out together") {
  constexpr takt::gpu_record pairs{.sms = 4, .virtual_per_sm = 2, .granularity = 2};
  const auto at = [](takt::gpu_record gpu, std::int32_t sms) {
    takt::visit_placement there{};
    there.gpu = gpu;
    there.sms = sms;
    return takt::time_on_share(by_work, there);
  };
  CHECK(upper(at(pairs, 2)) == 4 * ms);
  CHECK(upper(at(pairs, 4)) == 2 * ms);
  for (const std::int32_t wrong : {-2, 0, 1, 3, 6}) { CHECK(at(pairs, wrong).fault == model_fault::plan_does_not_fit); }
  CHECK(at({.sms = 0, .virtual_per_sm = 2}, 2).fault == model_fault::plan_does_not_fit);
}

TEST_CASE("what does not follow from the facts is unknown, and missing is not zero") {
  CHECK(unknown(by_wcet, 7));
  CHECK(unknown(by_share, 4, shared));  // a row is measured where shares keep kernels apart
  CHECK(on(by_share, 8, shared) == 4 * ms);
  constexpr takt::gpu_record many{.sms = 100, .virtual_per_sm = 2};
  CHECK(unknown(by_share, 1, many));  // less than a per cent
  CHECK_FALSE(unknown(by_share, 2, many));
  const auto open =
      takt::visit<takt::gpu>(takt::wcet_row{takt::wcet_row::interpolated({}, takt::between_shares::step)});
  CHECK(unknown(open, 8));
  CHECK(unknown(takt::kernel(takt::wcet(5_ms), takt::on_sm(1)), 7));
  const auto own = takt::kernel(takt::work(8_ms), takt::self_interleave(9, 5));
  CHECK(on(own, 4) > 0);
  CHECK(takt::time_on_sms(own, shared, 4).fault == model_fault::interleave_among_own_blocks_only);
  CHECK(
      takt::time_on_sms(takt::kernel(takt::work(1_ms), takt::interleave(1), takt::overhead(2_ms)), isolated, 2).fault ==
      model_fault::overhead_exceeds_work);
  CHECK(takt::time_on_sms(takt::kernel(takt::grid(0, 1), takt::block_length(1_ms)), isolated, 2).fault ==
        model_fault::kernel_shape_out_of_range);
  CHECK(takt::time_on_gpu(takt::kernel(takt::wcet(takt::duration{-1})), isolated).fault == model_fault::negative_time);
  CHECK(takt::time_on_gpu(takt::kernel(takt::wcet(1_ms), takt::on_sm(4)), isolated).fault ==
        model_fault::core_out_of_range);
  CHECK(takt::time_on_gpu(takt::kernel(takt::wcet(1_ms), takt::on_sm(-1)), isolated).fault ==
        model_fault::negative_core);
  const auto long_blocks =
      takt::kernel(takt::grid(std::int64_t{1} << 40, 1), takt::block_length(takt::duration{ms * ms}));
  CHECK(takt::time_on_sms(long_blocks, isolated, 1).fault == model_fault::time_overflow);
  static_assert(!takt::TimedOnSms<decltype(takt::visit<takt::gpu>(takt::takes(1_ms)))>);
  static_assert(!takt::TimedOnGpu<decltype(takt::kernel(takt::preemption_cost(1_ms)))>);
  static_assert(!takt::detail::HasBlocks<std::remove_const_t<decltype(by_work)>> &&
                takt::detail::HasBlocks<std::remove_const_t<decltype(by_blocks)>>);
  static_assert(takt::blocks_of(by_blocks).blocks == 10 && takt::blocks_of(by_blocks).length == 3 * ms);
}

TEST_CASE("a kernel that is pinned to an SM takes what is known of it there, not of more SMs") {
  const auto pinned = [](const auto&... facts) { return takt::visit<takt::gpu>(takt::on_sm(0), facts...); };
  const auto whole = [](const auto& k) { return takt::time_on_gpu(k, isolated); };
  CHECK(unknown(pinned(takt::work(8_ms)), 8));
  CHECK(whole(pinned(takt::work(8_ms))).fault == model_fault::visit_time_unknown);
  CHECK(whole(pinned(takt::work(8_ms), takt::takes(8_ms))).time.upper == 8 * ms);
  CHECK(whole(pinned(takt::work(8_ms), takt::wcet(7_ms))).time.upper == 7 * ms);
  CHECK(whole(takt::visit<takt::gpu>(takt::work(8_ms), takt::interleave(1), takt::takes(8_ms))).time.upper == ms);
}

TEST_CASE("a derived time is never sharper than a given one") {
  constexpr auto cost = takt::preemption_cost(500_us);
  for (const ticks given : {ms / 2, 2 * ms, 3 * ms, 7 * ms, 40 * ms}) {
    const auto wcet = takt::wcet(takt::duration{given});
    const auto both = [&](const auto& k) {
      for (std::int32_t sms = 1; sms <= 8; ++sms) {
        CHECK(on(k, sms) >= given);
        if (sms > 1) { CHECK(on(k, sms) <= on(k, sms - 1)); }
      }
      CHECK(upper(takt::time_on_gpu(k, isolated)) == given);
      CHECK(upper(takt::time_behind_token(k, isolated, 2, true)) >= given);
      CHECK(upper(takt::time_behind_token(k, isolated, 2, false)) == given);
      CHECK(upper(takt::time_at_share(k, isolated, 50)) >= given);
    };
    both(takt::kernel(takt::work(16_ms), takt::interleave(1), wcet));
    both(takt::kernel(wcet, takt::grid(10, 128), takt::block_length(3_ms)));
    both(takt::kernel(row, wcet));
    both(takt::kernel(takt::time_on(takt::interval<takt::duration>{1_ms, 9_ms}), wcet, takt::work(2_ms)));
    const auto stops = takt::stoppable_time(takt::kernel(wcet, cost, takt::work(16_ms)), isolated);
    const auto runs = takt::stoppable_time(takt::kernel(wcet, takt::work(16_ms)), isolated);
    CHECK(runs.values.at[0] == given);  // it says nothing of how it stops, so it runs to its end
    CHECK(stops.values.at[0] == ms / 2);
    CHECK(stops.values.at[0] <= runs.values.at[0]);
    CHECK(takt::stoppable_time(takt::kernel(wcet, takt::preemption_cost(0_ms)), isolated).values.at[0] == 0);
  }
  CHECK(takt::stoppable_time(takt::kernel(takt::wcet(1_ms), takt::preemption_cost(2_ms)), isolated).fault ==
        model_fault::preemption_cost_exceeds_time);
  // no wave of a kernel is longer than what bounds the kernel; what is lost on top of it may be
  const auto derived = takt::kernel(takt::work(16_ms), takt::interleave(1), takt::preemption_cost(9_ms));
  const ticks whole = upper(takt::time_on_gpu(derived, isolated));
  REQUIRE(whole < 9 * ms);
  CHECK(takt::stoppable_time(derived, isolated).values.at[0] == whole);
  CHECK(takt::stoppable_time(derived, isolated, takt::preemption_cost_model::ideal).values.at[0] == whole);
  CHECK(takt::stoppable_time(derived, isolated, takt::preemption_cost_model::overhead).fault ==
        model_fault::preemption_cost_exceeds_time);
  // a given row is that of the same share, a derived one that of fewer whole SMs
  for (std::int32_t percent = 13; percent <= 100; ++percent) {
    const ticks given = upper(takt::time_at_share(by_share, isolated, percent));
    const auto same = takt::kernel(takt::work(32_ms), takt::interleave(1));  // 4 ms on all
    CHECK(given == row.at(takt::share::bounded(percent)));
    CHECK(upper(takt::time_at_share(same, isolated, percent)) >= given);
  }
  CHECK(takt::time_at_share(by_work, isolated, 12).fault == model_fault::visit_time_unknown);
  CHECK(takt::time_at_share(by_work, isolated, 0).fault == model_fault::plan_does_not_fit);
  CHECK(takt::time_behind_token(by_work, isolated, 9, true).fault == model_fault::visit_time_unknown);
}

TEST_CASE("a faster GPU shortens what is derived and what is given") {
  CHECK(on(by_work, 8, fast) == ms);
  CHECK(on(by_blocks, 4, fast) == 4'500'000);
  CHECK(on(by_share, 8, fast) == 2 * ms);
  CHECK(upper(takt::time_on_gpu(by_wcet, fast)) == 2'500'000);
  CHECK(upper(takt::time_on_gpu(takt::visit<takt::gpu>(takt::takes(5_ms)), fast)) == 2'500'000);
  const auto stops = takt::stoppable_time(takt::kernel(takt::wcet(5_ms), takt::preemption_cost(1_ms)), fast);
  CHECK(stops.values.at[0] == ms / 2);
}

TEST_CASE("one chain of facts goes through boards whose rules read different ones") {
  using namespace takt;
  constexpr auto chains = task_set(
      task("detect", period(40_ms), takt::cpu(1_ms), takt::copy(1_ms),
           kernel(work(8_ms, 16_ms), interleave(9, 5), preemption_cost(300_us), wcet_by_share(row), wcet(5_ms)),
           takt::copy(1_ms), takt::cpu(1_ms)),
      task("scan", period(50_ms), takt::cpu(1_ms),
           kernel(grid(10, 128), block_length(3_ms), launch(100_us), await(200_us), wcet(9_ms)), takt::cpu(1_ms)),
      task("plain", period(60_ms), kernel(grid(2, 64), block_length(1_ms), launch(1_ms), await(1_ms))));
  const auto times = [&](const auto& rule, std::int32_t sms) {
    const auto board =
        platform(pool(processors(1), deadline_monotonic), pool(copy_engines(1), nonpreemptive(deadline_monotonic)),
                 pool(virtual_sms(4, 2), rule));
    plan<3, 13> p;
    for (int i = 0; sms > 0 && i < 3; ++i) { REQUIRE(p.shares.try_push_back({0, i == 0 ? sms : 1})); }
    const auto out = flatten(board, chains, p);
    REQUIRE_FALSE(out.error);
    REQUIRE(out.table.visits.size() == 13);
    CHECK(out.table.visit(1, 1).upper == ms / 10);
    CHECK(out.table.visit(1, 3).upper == ms / 5);
    const auto verdict = analyze(board, chains, p, takt::published_methods);
    REQUIRE_FALSE(verdict.error);
    const auto seen = simulate(board, chains, verdict.plan, {.horizon = 1_s, .releases = release_pattern::adversarial});
    for (std::size_t i = 0; verdict.schedulable() && i < 3; ++i) {
      CHECK(seen.tasks[i].worst_response <= verdict.tasks[i].bound.value);
    }
    CHECK(verdict.schedulable());
    return std::array<ticks, 3>{out.table.visit(0, 2).upper, out.table.visit(1, 2).upper, out.table.visit(2, 1).upper};
  };
  CHECK(times(federated, 1) == std::array<ticks, 3>{14'400'000, 15 * ms, ms});
  CHECK(times(federated_virtual, 2) == std::array<ticks, 3>{14'400'000, 30 * ms, 2 * ms});
  CHECK(times(fifo, 0) == std::array<ticks, 3>{5 * ms, 9 * ms, ms});
  CHECK(times(time_slices(1_ms, 10_us), 0) == std::array<ticks, 3>{5 * ms, 9 * ms, ms});
  CHECK(times(nonpreemptive(edf), 0) == std::array<ticks, 3>{5 * ms, 9 * ms, ms});
}
