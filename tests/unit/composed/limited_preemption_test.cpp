// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>

#include <takt/analysis/any_board.hpp>
#include <takt/kernels.hpp>
#include <takt/model/scaled.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace {

using namespace takt::literals;
using takt::task_preemption;

constexpr auto one_core = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority));
constexpr auto one_edf_core = takt::platform(takt::pool(takt::processors(1), takt::edf));

/// A short task above a long one that lets nobody preempt it.
template <class... Parts>
constexpr auto control_above(const Parts&... logging) {
  return takt::task_set(takt::task("control", takt::period(20_ms), takt::cpu(1_ms)),
                        takt::task("logging", takt::period(100_ms), logging...));
}
constexpr auto nonpreemptive = takt::preemptible(task_preemption::nonpreemptive);
constexpr auto cooperative = takt::preemptible(task_preemption::cooperative);

constexpr auto bound_of(const auto& verdict, std::size_t task) -> takt::duration {
  return takt::duration{verdict.tasks[task].bound.value};
}

struct own_rule : takt::fixed_priority_rule<> {};
struct own_honest_rule : takt::fixed_priority_rule<> {
  using honours_regions = own_honest_rule;
};

template <class Rule>
constexpr bool honours(const Rule& /*rule*/) {
  return takt::detail::honours_regions<Rule>();
}
static_assert(honours(takt::fixed_priority) && honours(takt::edf) && honours(takt::g_edf) && honours(takt::g_fl));
static_assert(honours(takt::clustered(takt::edf, 2)) && honours(takt::clustered(takt::deadline_monotonic, 2)));
static_assert(honours(takt::nonpreemptive(takt::edf)) && honours(takt::fifo));
static_assert(!honours(own_rule{}) && honours(own_honest_rule{}) && !honours(takt::clustered(own_rule{}, 2)));
static_assert(!honours(takt::time_slices(takt::duration{2}, takt::duration{1})));

}  // namespace

TEST_CASE("a task waits for one region of a less important one") {
  constexpr auto verdict =
      takt::analyze(one_core, control_above(nonpreemptive, takt::cpu(12_ms)), takt::published_methods);
  static_assert(verdict.schedulable());
  static_assert(bound_of(verdict, 0) == 13_ms && bound_of(verdict, 1) == 13_ms);
  constexpr auto by_segment = takt::analyze(one_core, control_above(takt::cpu(12_ms, takt::nonpreemptive_region(4_ms))),
                                            takt::published_methods);
  static_assert(bound_of(by_segment, 0) == 5_ms && bound_of(by_segment, 1) == 13_ms);
  constexpr auto plain = takt::analyze(one_core, control_above(takt::cpu(12_ms, takt::nonpreemptive_region(0_ms))),
                                       takt::published_methods);
  static_assert(bound_of(plain, 0) == 1_ms);
  constexpr auto divided =
      takt::analyze(one_core, control_above(cooperative, takt::cpu(7_ms), takt::cpu(5_ms)), takt::published_methods);
  static_assert(bound_of(divided, 0) == 8_ms);
  constexpr auto shorter = takt::analyze(
      one_core, control_above(cooperative, takt::cpu(7_ms, takt::nonpreemptive_region(2_ms)), takt::cpu(5_ms)),
      takt::published_methods);
  static_assert(bound_of(shorter, 0) == 6_ms);
  CHECK(bound_of(takt::analyze(one_edf_core, control_above(nonpreemptive, takt::cpu(12_ms)), takt::published_methods),
                 0) == 13_ms);
}

TEST_CASE("a deadline shorter than a region is not proven, and a run misses it") {
  const auto tasks = takt::task_set(takt::task("control", takt::period(10_ms), takt::cpu(1_ms)),
                                    takt::task("logging", takt::period(100_ms), nonpreemptive, takt::cpu(12_ms)));
  for (const auto& verdict : {takt::analyze(one_core, tasks, takt::published_methods),
                              takt::analyze(one_edf_core, tasks, takt::published_methods)}) {
    CHECK(verdict.status == takt::verdict_status::not_proven);
  }
  const std::array offsets{takt::duration{1}, takt::duration{}};
  const auto seen = takt::simulate(one_core, tasks, {.horizon = 20_ms, .offsets = offsets});
  REQUIRE(!seen.error);
  CHECK(seen.tasks[0].worst_response == (13_ms).count() - 1);
  CHECK(seen.tasks[0].misses > 0);
}

TEST_CASE("regions stay where tasks become values, and on boards that are values") {
  const auto tasks = control_above(takt::cpu(12_ms, takt::nonpreemptive_region(4_ms)));
  const auto described = takt::to_runtime_tasks(tasks);
  REQUIRE(!described.error);
  CHECK(described.tasks.visits[0].region == 0);
  CHECK(described.tasks.visits[1].region == (4_ms).count());
  CHECK(bound_of(takt::analyze(takt::erase<8>(one_core), described.tasks, takt::published_methods), 0) == 5_ms);
  const auto slower = takt::scaled(described.tasks, 1500);
  CHECK(slower.tasks.visits[1].region == (6_ms).count());
  const auto whole =
      takt::scaled(takt::to_runtime_tasks(control_above(nonpreemptive, takt::cpu(takt::duration{7}))).tasks, 1100);
  CHECK(whole.tasks.visits[1].region == whole.tasks.visits[1].time.upper);
}

TEST_CASE("regions that do not fit, or that nobody honours, are refused") {
  using takt::model_fault;
  const auto fault_of = [](const auto& board, const auto& tasks) {
    return takt::analyze(board, tasks, takt::plan<1>{}, takt::combiners, takt::detail::refusal{}).error.fault;
  };
  CHECK(fault_of(one_core, control_above(takt::cpu(2_ms, takt::nonpreemptive_region(3_ms)))) ==
        model_fault::region_exceeds_time);
  CHECK(fault_of(one_core, control_above(nonpreemptive, takt::cpu(2_ms), takt::cpu(3_ms))) ==
        model_fault::nonpreemptive_task_divided);
  const auto limited = control_above(nonpreemptive, takt::cpu(2_ms));
  const auto own = takt::platform(takt::pool(takt::processors(1), own_rule{}));
  CHECK(fault_of(own, limited) == model_fault::region_not_honoured);
  CHECK(takt::simulate(own, limited).error.fault == model_fault::region_not_honoured);
  auto spinning = takt::erase<8>(one_core);
  spinning.keep_processors();
  CHECK(fault_of(spinning, limited) == model_fault::region_not_honoured);
  // Rules that do not preempt have nothing to take back.
  CHECK(takt::analyze(takt::platform(takt::pool(takt::processors(1), takt::fifo)), limited, takt::published_methods)
            .schedulable());
}
