// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/combiners/hyperperiod.hpp>

#include <doctest/doctest.h>

#include <takt/simulation/simulate_composed.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace {

using namespace takt::literals;

constexpr auto one_core = [](const auto& rule) {
  return takt::platform(takt::pool(takt::processors(1), rule), takt::pool(takt::copy_engines(1), takt::fifo));
};
/// Full, and late if both are ever released together.
constexpr auto apart = takt::task_set(takt::task("a", takt::period(10_ms), takt::deadline(5_ms), takt::priority(0),
                                                 takt::strictly_periodic(), takt::cpu(3_ms, 5_ms)),
                                      takt::task("b", takt::period(10_ms), takt::deadline(5_ms), takt::priority(1),
                                                 takt::strictly_periodic(5_ms), takt::cpu(5_ms)));
constexpr auto sporadic =
    takt::task_set(takt::task("a", takt::period(10_ms), takt::deadline(5_ms), takt::priority(0), takt::cpu(3_ms, 5_ms)),
                   takt::task("b", takt::period(10_ms), takt::deadline(5_ms), takt::priority(1),
                              takt::strictly_periodic(5_ms), takt::cpu(5_ms)));
constexpr takt::plan<2> no_plan{};

}  // namespace

TEST_CASE("strict periods are decided by their hyperperiod, under fixed priorities and EDF") {
  static_assert(analyze(one_core(takt::fixed_priority), apart, no_plan, takt::published_methods).schedulable());
  const auto v = analyze(one_core(takt::edf), apart, no_plan, takt::published_methods);
  REQUIRE(v.schedulable());
  CHECK(v.method == "hyperperiod");
  CHECK(v.tasks[0].bound.value == 5'000'000);
  CHECK(v.tasks[1].bound.value == 5'000'000);
}

TEST_CASE("they are not where one task is sporadic, the processor does not preempt, or there are several") {
  CHECK(analyze(one_core(takt::fixed_priority), sporadic, no_plan, takt::published_methods).status ==
        takt::verdict_status::unschedulable);
  CHECK(analyze(one_core(takt::nonpreemptive(takt::fixed_priority)), apart, no_plan, takt::published_methods).method !=
        "hyperperiod");
  const auto two = takt::platform(takt::pool(takt::processors(2), takt::g_edf));
  CHECK(analyze(two, apart, no_plan, takt::published_methods).method != "hyperperiod");
}

TEST_CASE("a task that is late in the run of its releases has its exact response as bound") {
  constexpr auto late = takt::task_set(
      takt::task("a", takt::period(10_ms), takt::priority(0), takt::strictly_periodic(), takt::cpu(5_ms)),
      takt::task("b", takt::period(20_ms), takt::deadline(7_ms), takt::priority(1), takt::strictly_periodic(12_ms),
                 takt::cpu(5_ms)));
  const auto v = analyze(one_core(takt::fixed_priority), late, no_plan, takt::published_methods);
  CHECK(v.status == takt::verdict_status::unschedulable);
  CHECK(v.tasks[0].meets);
  CHECK_FALSE(v.tasks[1].meets);
  CHECK(v.tasks[1].bound.value == 8'000'000);
}

TEST_CASE("simulations release strict tasks by their clock, whatever pattern the others have") {
  for (const auto pattern :
       {takt::release_pattern::periodic, takt::release_pattern::sporadic, takt::release_pattern::adversarial}) {
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
      const auto seen = takt::simulate(one_core(takt::fixed_priority), apart, no_plan,
                                       {.horizon = 100_ms, .releases = pattern, .seed = seed});
      REQUIRE_FALSE(seen.error);
      CHECK(seen.tasks[0].misses + seen.tasks[1].misses == 0);
      CHECK(seen.tasks[0].released == 10);
      CHECK(seen.tasks[1].released == 10);
    }
  }
}

TEST_CASE("an offset before the clock starts is refused") {
  constexpr auto early = takt::task_set(
      takt::task("a", takt::period(10_ms), takt::strictly_periodic(takt::duration{-1}), takt::cpu(5_ms)));
  const auto v = analyze(one_core(takt::edf), early, no_plan, takt::published_methods);
  CHECK(v.error.fault == takt::model_fault::negative_time);
}
