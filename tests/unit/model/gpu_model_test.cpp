// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include <takt/allocation/analyze.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/copy_model.hpp>
#include <takt/model/occupancy.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/speedup.hpp>
#include <takt/model/task_set.hpp>
#include <takt/rules/tags.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>

#include "support/small_systems.hpp"
#include "support/traces.hpp"

using namespace takt_tests;
using namespace std::chrono_literals;
using takt::duration;
using takt::rational;

TEST_CASE("a chain of m CPU segments enumerates in the order of Eq. 4" * takt_tests::traces("RTGPU-1")) {
  for (std::size_t m = 1; m <= 5; ++m) {
    task_of t{"t", 1000, 1000, std::vector<range>(m, {1, 2}), {}, {}};
    t.copies.assign(2 * m - 2, {1, 1});
    t.kernels.assign(m - 1, {{3, 4}, 0, 1, 1});
    const table flat = table_of({t});
    std::string order;
    for (std::size_t j = 0; j < flat.tasks[0].segment_count; ++j) { order += name_of(flat.segment(0, j).where)[1]; }
    std::string expected = "p";
    for (std::size_t r = 1; r < m; ++r) { expected += "oeop"; }
    CHECK(order == expected);
    CHECK_FALSE(takt::analysis::rtgpu<table>::fits(flat, board(1, 1)));
  }
}

TEST_CASE("a typed chain flattens to the same records as one built by hand" * takt_tests::traces("RTGPU-1")) {
  constexpr auto set = takt::task_set(takt::task(
      "a", takt::period(duration{60}), takt::deadline(duration{50}), takt::cpu(duration{2}, duration{3}),
      takt::copy(duration{2}, duration{2}, takt::to_device),
      takt::kernel(takt::work(duration{20}, duration{30}), takt::overhead(duration{2}), takt::interleave(3, 2)),
      takt::copy(duration{1}, duration{2}, takt::to_host), takt::cpu(duration{2}, duration{4})));
  constexpr auto flat = set.table();
  const table by_hand = table_of({{"a", 60, 50, {{2, 3}, {2, 4}}, {{2, 2}, {1, 2}}, {{{20, 30}, 2, 3, 2}}}});
  REQUIRE(flat.segments.size() == by_hand.segments.size());
  for (std::size_t j = 0; j < flat.segments.size(); ++j) {
    CHECK(flat.segments[j].where == by_hand.segments[j].where);
    CHECK(flat.segments[j].time == by_hand.segments[j].time);
    CHECK(flat.segments[j].direction == by_hand.segments[j].direction);
    CHECK(flat.segments[j].overhead == by_hand.segments[j].overhead);
    CHECK(flat.segments[j].interleave_numerator == by_hand.segments[j].interleave_numerator);
  }
  CHECK(flat.tasks[0].deadline == 50);
  CHECK(name_of(takt::stage::cpu) == "cpu");
  CHECK(name_of(takt::stage::copy) == "copy");
  CHECK(name_of(takt::stage::kernel) == "kernel");
}

TEST_CASE("wrong models are refused at run time with the field's name" * takt_tests::traces("RTGPU-1")) {
  const auto fault_of = [](const task_of& t) { return takt::validate(table_of({t})).fault; };
  using takt::model_fault;
  CHECK(fault_of({"a", 10, 10, {{1, 2}}, {}, {}}) == model_fault::none);
  CHECK(fault_of({"a", 10, 11, {{1, 2}}, {}, {}}) == model_fault::none);
  CHECK(takt::detail::late_deadline_fault(table_of({{"a", 10, 11, {{1, 2}}, {}, {}}})).fault ==
        model_fault::deadline_exceeds_period);
  CHECK(fault_of({"a", 0, 0, {{1, 2}}, {}, {}}) == model_fault::period_not_positive);
  CHECK(fault_of({"a", 10, 0, {{1, 2}}, {}, {}}) == model_fault::deadline_not_positive);
  CHECK(fault_of({"a", 10, 10, {{3, 2}}, {}, {}}) == model_fault::best_case_exceeds_worst_case);
  CHECK(fault_of({"a", 10, 10, {{-1, 2}}, {}, {}}) == model_fault::negative_time);
  CHECK(fault_of({"a", 10, 10, {}, {}, {}}) == model_fault::empty_chain);
  CHECK(fault_of({"a", 10, 10, {{1, 1}, {1, 1}}, {}, {{{1, 2}, 0, 1, 2}}}) == model_fault::interleave_below_one);
  CHECK(fault_of({"a", 10, 10, {{1, 1}, {1, 1}}, {}, {{{1, 2}, 9, 1, 1}}}) == model_fault::overhead_exceeds_work);
  CHECK(fault_of({"a", 10, 10, {{1, 1}, {1, 1}}, {}, {{{1, 2}, -1, 1, 1}}}) == model_fault::negative_time);
  const auto below_zero = takt::validate(table_of({{"a", 10, 10, {{0, -2}}, {}, {}}}));
  CHECK(below_zero.fault == model_fault::negative_time);
  CHECK(below_zero.value == -2);
  CHECK(takt::validate(table{}).fault == model_fault::no_task);
  const table twins = table_of({{"a", 10, 10, {{1, 1}}, {}, {}}, {"a", 20, 20, {{1, 1}}, {}, {}}});
  CHECK(takt::validate(twins) == takt::model_error{model_fault::duplicate_name, 1, takt::no_index});
  table priorities;
  priorities.add_task("a", 10, 10, 3);
  priorities.add_segment({.time = {1, 1}});
  priorities.add_task("b", 10, 10, 3);
  priorities.add_segment({.time = {1, 1}});
  CHECK(takt::validate(priorities).fault == model_fault::duplicate_priority);
}

TEST_CASE("chains that the analysis does not know are refused, not merged" * takt_tests::traces("RTGPU-1")) {
  const auto fault_of = [](std::initializer_list<takt::stage> stages) {
    table t;
    t.add_task("a", 100, 100);
    for (const auto s : stages) { t.add_segment({.where = s, .time = {1, 1}}); }
    return takt::analysis::rtgpu<table>::fits(t, board(1, 1)).fault;
  };
  using enum takt::stage;
  using takt::model_fault;
  CHECK(fault_of({cpu, kernel, cpu}) == model_fault::none);
  CHECK(fault_of({cpu, copy, kernel, cpu, kernel, copy, cpu}) == model_fault::none);
  CHECK(fault_of({cpu, cpu}) == model_fault::chain_does_not_alternate);
  CHECK(fault_of({cpu, kernel, kernel, cpu}) == model_fault::chain_does_not_alternate);
  CHECK(fault_of({kernel, cpu}) == model_fault::chain_does_not_alternate);
  CHECK(fault_of({cpu, kernel}) == model_fault::chain_does_not_alternate);
  CHECK(fault_of({cpu, copy, cpu}) == model_fault::chain_does_not_alternate);
  CHECK(fault_of({cpu, copy, copy, kernel, cpu}) == model_fault::chain_does_not_alternate);
}

TEST_CASE("copy time is a latency plus bytes at a bandwidth, rounded outwards" * takt_tests::traces("RTGPU-4")) {
  constexpr takt::copy_model m{{8us, 10us}, 3'000'000'000, 16'000'000'000};
  static_assert(m.time(0).upper == duration{0});
  CHECK(m.time(3'000).upper == duration{11'000});
  CHECK(m.time(1).upper == duration{10'001});
  CHECK(m.time(1).lower == duration{8'000});
  CHECK(m.time(16'001).lower == duration{9'000});
  CHECK(takt::copy_model{{}, 100'000'000, 100'000'000}.time(4'000'000'000'000'000'000).upper == duration::max());
  CHECK(m.segment(3'000, takt::to_host).time.upper == duration{11'000});
  CHECK(m.segment(3'000, takt::to_host).direction == takt::to_host);
}

TEST_CASE("Gustafson's speed-up is the work over the time of a kernel" * takt_tests::traces("RTGPU-8")) {
  for (const std::int64_t n : {1, 2, 5, 16}) {
    const rational work{100};
    const rational serial{7};
    const rational time = (work - serial) / rational{n} + serial;
    CHECK(takt::gustafson_speedup(n, serial / time) == work / time);
  }
  CHECK(takt::gustafson_speedup(8, rational{0}) == rational{8});
  CHECK(takt::gustafson_speedup(8, rational{1}) == rational{1});
}

TEST_CASE("kernel bounds from work, overhead, ratio and virtual SMs" * takt_tests::traces("RTGPU-9")) {
  takt::interval<ticks> whole;
  REQUIRE(takt::divisible_work_bounds<ticks>({20, 30}, 2, 3, 2, 2, whole));
  CHECK(whole == takt::interval<ticks>{10, 24});
  takt::interval<rational> exact;
  REQUIRE(takt::divisible_work_bounds<rational>({rational{10}, rational{13}}, rational{1}, 9, 5, 2, exact));
  CHECK(exact.lower == rational{5});
  CHECK(exact.upper == rational{61, 5});
  for (const std::int32_t n : {1, 3, 7}) {
    REQUIRE(takt::divisible_work_bounds<ticks>({17, 29}, 3, 61, 50, n, whole));
    REQUIRE(takt::divisible_work_bounds<rational>({rational{17}, rational{29}}, rational{3}, 61, 50, n, exact));
    CHECK(whole.lower == exact.lower.floor());
    CHECK(whole.upper == exact.upper.ceil());
  }
  CHECK_FALSE(takt::divisible_work_bounds<ticks>({0, INT64_MAX / 2}, 0, 9, 5, 2, whole));
}

TEST_CASE("virtual SMs follow from the largest block size that serves every task" * takt_tests::traces("RTGPU-11")) {
  constexpr takt::sm_limits gtx_1080_ti{.threads = 2048, .blocks = 32, .registers = 65'536, .shared_memory = 98'304};
  CHECK(takt::choose_virtual_sms(gtx_1080_ti, 28, 5).block_threads == 1024);
  CHECK(takt::choose_virtual_sms(gtx_1080_ti, 28, 5).per_sm == 2);
  CHECK(takt::choose_virtual_sms(gtx_1080_ti, 3, 12).block_threads == 512);
  CHECK(takt::choose_virtual_sms(gtx_1080_ti, 3, 12).per_sm == 4);
  CHECK(takt::choose_virtual_sms(gtx_1080_ti, 1, 33).per_sm == 0);
  CHECK(takt::choose_virtual_sms({.threads = 1024}, 4, 4).per_sm == 1);
}

TEST_CASE("occupancy is limited by threads, block slots, registers and shared memory" *
          takt_tests::traces("RTGPU-52")) {
  constexpr takt::sm_limits sm{};
  CHECK(takt::resident_blocks(sm, {.threads = 1024}) == 2);
  CHECK(takt::resident_blocks(sm, {.threads = 32}) == 32);
  CHECK(takt::resident_blocks(sm, {.threads = 33}) == 32);
  CHECK(takt::resident_blocks(sm, {.threads = 1000}) == 2);
  CHECK(takt::resident_blocks({.threads = 2560, .blocks = 40, .warp_size = 64}, {.threads = 96}) == 20);
  CHECK(takt::resident_blocks(sm, {.threads = 512, .registers_per_thread = 64}) == 2);
  CHECK(takt::resident_blocks(sm, {.threads = 512, .registers_per_thread = 33}) == 3);
  // 51 warps fit in the registers, but only 12 in each of four files of them.
  CHECK(takt::resident_blocks(sm, {.threads = 544, .registers_per_thread = 33}) == 2);
  CHECK(takt::resident_blocks({.register_files = 1}, {.threads = 544, .registers_per_thread = 33}) == 3);
  CHECK(takt::resident_blocks(sm, {.threads = 256, .shared_memory = 40'000}) == 2);
  CHECK(takt::resident_blocks(sm, {.threads = 1024, .registers_per_thread = 128}) == 0);
  // One byte takes a whole unit, one register per thread a unit per warp.
  CHECK(takt::resident_blocks({.shared_memory = 2'560}, {.threads = 32, .shared_memory = 1}) == 10);
  CHECK(takt::resident_blocks({.registers = 2'048}, {.threads = 32, .registers_per_thread = 1}) == 8);
  CHECK(takt::resident_blocks(sm, {.threads = 32, .shared_memory = sm.shared_memory}) == 1);
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  CHECK(takt::resident_blocks(sm, {.threads = most}) == 0);
  CHECK(takt::resident_blocks(sm, {.threads = 32, .registers_per_thread = most}) == 0);
  CHECK(takt::resident_blocks(sm, {.threads = 32, .shared_memory = most}) == 0);
  CHECK(takt::resident_blocks(sm, {.threads = 0}) == 0);
  CHECK(takt::resident_blocks(sm, {.threads = 32, .registers_per_thread = -1}) == 0);
  CHECK(takt::resident_blocks(sm, {.threads = 32, .shared_memory = -1}) == 0);
  CHECK(takt::occupancy(sm, {.threads = 512, .registers_per_thread = 64}) == rational{1, 2});
  CHECK(takt::choose_virtual_sms(sm, 4, 4, {.registers_per_thread = 128}).block_threads == 512);
}

namespace {

/// Not a GPU: an FPGA with three regions, and a second one that makes no difference.
struct fpga_filter {
  static constexpr std::size_t sampled_shares = 3;
  [[nodiscard]] static constexpr auto lower(std::int32_t regions) -> duration { return duration{12 / regions}; }
  [[nodiscard]] static constexpr auto upper(std::int32_t regions) -> duration { return duration{24 / regions}; }
};
static_assert(takt::detail::KernelLaw<fpga_filter>);
static_assert(!takt::detail::KernelLaw<int>);

}  // namespace

TEST_CASE("any partitionable accelerator serves: a law is all that is asked of it" * takt_tests::traces("RTGPU-23")) {
  constexpr auto set =
      takt::task_set(takt::task("filter", takt::period(duration{100}), takt::cpu(duration{1}),
                                takt::kernel(fpga_filter{}), takt::cpu(duration{1})),
                     takt::task("table", takt::period(duration{200}), takt::cpu(duration{1}),
                                takt::kernel(takt::measured(takt::interval<duration>{duration{9}, duration{20}},
                                                            takt::interval<duration>{duration{5}, duration{11}})),
                                takt::cpu(duration{1})));
  constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                        takt::pool(takt::virtual_sms(6, 1), takt::federated));
  constexpr auto two = takt::analysis::analyze_by<takt::published>(board, set, takt::dedicate(2, 1));
  static_assert(two.schedulable());
  constexpr auto times = takt::measured(takt::interval<duration>{duration{9}, duration{20}},
                                        takt::interval<duration>{duration{5}, duration{11}});
  CHECK(times.lower(1) == duration{9});
  CHECK(times.lower(2) == duration{5});
  CHECK(times.lower(3) == duration{5});
  CHECK(two.tasks[0].bound.value == 1 + 12 + 1);
  // Windows of the higher task: 1 within any 12 units of its suspension.
  CHECK(two.tasks[1].bound.value == 20 + 2 + 2);
  constexpr auto more = takt::analysis::analyze_by<takt::published>(board, set, takt::dedicate(4, 2));
  CHECK(more.tasks[0].bound.value == 1 + 8 + 1);
  CHECK(more.tasks[1].bound.value == 11 + 2 + 2);
}
