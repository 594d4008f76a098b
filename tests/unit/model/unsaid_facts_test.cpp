// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <takt/systems/methods.hpp>
#include <takt/systems/rtgpu/report/summarize.hpp>
#include <takt/takt.hpp>

namespace {

using namespace takt::literals;
using takt::ticks;

constexpr ticks ms = 1'000'000;

template <std::int32_t PerSm, class Kernel>
constexpr auto bound_on_all_sms(const Kernel& kernel) -> ticks {
  constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                        takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                        takt::pool(takt::virtual_sms(8, PerSm, 8), takt::federated));
  const auto tasks = takt::task_set(takt::task("a", takt::period(40_ms), takt::cpu(1_ms), kernel, takt::cpu(1_ms)));
  const auto v = takt::analysis::analyze_by<takt::published>(board, tasks);
  return v.tasks[0].bound.exists ? v.tasks[0].bound.value : -1;
}

}  // namespace

TEST_CASE("a kernel that says no ratio gains nothing from several virtual SMs on one SM") {
  CHECK(bound_on_all_sms<1>(takt::kernel(takt::work(80_ms))) == 12 * ms);
  CHECK(bound_on_all_sms<2>(takt::kernel(takt::work(80_ms))) == 12 * ms);
  CHECK(bound_on_all_sms<4>(takt::kernel(takt::work(80_ms))) == 12 * ms);
  CHECK(bound_on_all_sms<2>(takt::kernel(takt::work(80_ms), takt::interleave(2))) == 12 * ms);
  CHECK(bound_on_all_sms<2>(takt::kernel(takt::work(80_ms), takt::interleave(9, 5))) == 11 * ms);
  CHECK(bound_on_all_sms<2>(takt::kernel(takt::work(80_ms), takt::interleave(1))) == 7 * ms);
}

TEST_CASE("a ratio that is said keeps its value, one of 0 is wrong, and only one that is not said counts virtual SMs") {
  CHECK(takt::ratio_on(3, 9, 5).numerator == 9);
  CHECK(takt::ratio_on(3, 9, 5).denominator == 5);
  CHECK(takt::ratio_on(3, takt::unsaid_interleave, 5).numerator == 3);
  CHECK(takt::ratio_on(3, takt::unsaid_interleave, 5).denominator == 1);
  const auto tasks = takt::task_set(takt::task("a", takt::period(40_ms), takt::cpu(1_ms),
                                               takt::kernel(takt::work(8_ms), takt::interleave(0)), takt::cpu(1_ms)));
  CHECK(takt::validate(tasks.table()).fault == takt::model_fault::interleave_below_one);
}

TEST_CASE("work without a ratio has no longest time of its own, and its shortest one gains from all virtual SMs") {
  const auto law = takt::kernel(takt::work(8_ms, 16_ms)).law;
  CHECK(law.lower(4) == 2_ms);
  CHECK(law.upper(4) == takt::duration::max());
  takt::task_table<ticks, 1, 1> table;
  const takt::segment_record<ticks> s{.where = takt::stage::kernel, .time = {8, 16}, .overhead = 2};
  takt::interval<ticks> out{};
  REQUIRE(table.kernel_bounds(s, {.virtual_sms = 4, .virtual_per_sm = 2}, out));
  CHECK(out == takt::interval<ticks>{2, (2 * 16 - 2 + 3) / 4 + 2});
}

TEST_CASE("a whole kernel that says no cost of preemption runs to its end, and one that says 0 stops anywhere") {
  const auto tasks = takt::task_set(
      takt::task("open", takt::period(20_ms), takt::kernel(takt::wcet(5_ms))),
      takt::task("zero", takt::period(20_ms), takt::kernel(takt::wcet(5_ms), takt::preemption_cost(0_ms))));
  const auto table = tasks.table();
  CHECK(table.tasks[0].preemption_cost == 5 * ms);
  CHECK(table.tasks[1].preemption_cost == 0);
}

TEST_CASE("a verdict names the ratio that it had to assume") {
  constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                        takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                        takt::pool(takt::virtual_sms(4, 2), takt::federated));
  const auto assumed = [&](const auto& kernel) {
    const auto tasks = takt::task_set(takt::task("a", takt::period(40_ms), takt::cpu(1_ms), kernel, takt::cpu(1_ms)));
    for (const auto& a :
         takt::report::summarize(board, tasks, takt::analysis::analyze_by<takt::published>(board, tasks)).assumptions) {
      if (a.find("\"interleave\"") != std::string::npos) { return true; }
    }
    return false;
  };
  CHECK(assumed(takt::kernel(takt::work(8_ms))));
  CHECK_FALSE(assumed(takt::kernel(takt::work(8_ms), takt::interleave(9, 5))));
}
