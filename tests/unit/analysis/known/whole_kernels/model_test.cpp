// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>

#include <takt/analysis/methods/whole_kernels/fixed_priority.hpp>
#include <takt/analysis/methods/whole_kernels/slot_edf.hpp>
#include <takt/analysis/methods/whole_kernels/whole_gpu_edf.hpp>
#include <takt/model/accelerator_fault.hpp>
#include <takt/systems/accelerators/analysis/as_published.hpp>
#include <takt/systems/accelerators/analysis/single_stream_fixed_priority.hpp>
#include <takt/systems/accelerators/analysis/slot_guarded_fixed_priority.hpp>
#include <takt/systems/accelerators/analysis/slot_simulated_edf.hpp>
#include <takt/systems/accelerators/analysis/slot_tests.hpp>
#include <takt/systems/accelerators/analysis/two_slots.hpp>

#include "support/accelerator_examples.hpp"
#include "support/traces.hpp"

using namespace takt::analysis;
using namespace takt_examples;
using takt::model_fault;
using takt::rational;

TEST_CASE("wrong kernels and accelerators are refused by name" * takt_tests::traces("AP-01")) {
  const takt::accelerator_record two_cores{.cores = 2, .preemption_levels = 2};
  const auto fault_of = [&](const kernel& k) { return takt::validate(set_of({{1, 2, 2}, k}), two_cores); };
  CHECK(fault_of({1, 4, 4, 1}).fault == model_fault::none);
  CHECK(fault_of({1, 4, 4, 1, gang}).fault == model_fault::none);
  CHECK(fault_of({1, 5, 4}).fault == model_fault::deadline_exceeds_period);
  CHECK(fault_of({0, 4, 4}).fault == model_fault::kernel_time_not_positive);
  CHECK(fault_of({-1, 4, 4}).fault == model_fault::kernel_time_not_positive);
  CHECK(fault_of({1, 4, 4, -1}).fault == model_fault::negative_time);
  CHECK(fault_of({1, 4, 4, 2}).fault == model_fault::preemption_cost_exceeds_time);
  CHECK(fault_of({1, 4, 4, 0, 2}).fault == model_fault::core_out_of_range);
  CHECK(fault_of({1, 0, 4}).fault == model_fault::deadline_not_positive);
  CHECK(fault_of({1, 0, 0}).fault == model_fault::period_not_positive);
  CHECK(fault_of({1, 4, 4, 0, -7}).fault == model_fault::negative_core);
  CHECK(fault_of({1, 5, 4}).task == 1);
  CHECK(takt::validate(kernels{}, two_cores).fault == model_fault::no_task);
  CHECK(takt::validate(table_1, {.cores = 1}).fault == model_fault::core_out_of_range);
  CHECK(takt::validate(table_1, {.cores = 0}).fault == model_fault::platform_size_out_of_range);
  CHECK(takt::validate(table_1, {.cores = 2, .preemption_levels = 0}).fault == model_fault::platform_size_out_of_range);
  CHECK(takt::validate(table_1, two_cores).fault == model_fault::none);

  const kernels wrong = set_of({{3, 2, 1}});
  CHECK(level_stack_edf(wrong, 2).status == takt::verdict_status::invalid_model);
  CHECK(level_stack_edf(wrong, 2).error.fault == model_fault::deadline_exceeds_period);
  CHECK(level_stack_edf(table_1, 0).error.fault == model_fault::platform_size_out_of_range);
  CHECK(slot_supply_edf(table_1, slot{0, 13, 12}).error.fault == model_fault::slot_out_of_range);
  CHECK(slot_linear_edf(table_1, slot{0, 13, 12}).error.fault == model_fault::slot_out_of_range);
  CHECK(slot_linear_edf(wrong, slot{0, 8, 12}).error.fault == model_fault::deadline_exceeds_period);
}

TEST_CASE("times too long to add are a status of every test, also where no door was passed") {
  using takt::verdict_status;
  constexpr ticks longest = std::numeric_limits<ticks>::max();
  for (const ticks time : {longest, takt::detail::longest_accelerator_time + 1}) {
    const kernels long_work = set_of({{time, 8, 10, time}, {time, 9, 10, time}});
    const auto order = rank(long_work);
    const slot in{0, 5, 5};
    CHECK(takt::analysis::detail::single_stream_edf(long_work).status == verdict_status::overflow);
    CHECK(level_stack_edf(long_work, 1).status == verdict_status::overflow);
    CHECK(level_stack_edf(long_work, 2).error.fault == model_fault::time_overflow);
    CHECK(as_published::level_stack_edf(long_work, 2).status == verdict_status::overflow);
    CHECK(level_stack_fixed_priority(long_work, order, 2).status == verdict_status::overflow);
    CHECK(single_stream_fixed_priority(long_work, order).status == verdict_status::overflow);
    CHECK(takt::analysis::detail::slot_guarded_edf(long_work, in).status == verdict_status::overflow);
    CHECK(takt::analysis::detail::slot_guarded_fixed_priority(long_work, order, in).status == verdict_status::overflow);
    CHECK(takt::analysis::detail::slot_simulated_edf(long_work, in).status == verdict_status::overflow);
    const slot long_slot{time - 1, time, time};
    CHECK(slot_supply_edf(set_of({{1, 2, 2}}), long_slot).status == verdict_status::overflow);
    CHECK(takt::analysis::detail::slot_simulated_edf(set_of({{1, 2, 2}}), long_slot).status ==
          verdict_status::overflow);
  }
  const kernels just_fits =
      set_of({{takt::detail::longest_accelerator_time, 8, 10, takt::detail::longest_accelerator_time}});
  CHECK(level_stack_edf(just_fits, 2).reason == edf_reason::load_exceeds_supply);
  CHECK(level_stack_fixed_priority(just_fits, rank(just_fits), 2).status == verdict_status::not_proven);
  CHECK(single_stream_fixed_priority(just_fits, rank(just_fits)).status == verdict_status::not_proven);
}

TEST_CASE("tasks are split by core and loads are exact at compile time" * takt_tests::traces("AP-02")) {
  static_assert(utilization(takt::analysis::detail::pinned_tasks(table_1, 0)) == rational{19, 30});
  static_assert(utilization(takt::analysis::detail::pinned_tasks(table_1, 1)) == rational{1, 10});
  static_assert(utilization(gang_tasks(table_1)) == rational{1, 3});
  static_assert(utilization(table_1) == rational{16, 15});
  static_assert(takt::analysis::detail::greatest_core_load(table_1, 2) == rational{19, 30});
  CHECK(takt::analysis::detail::pinned_tasks(table_1, 0).size() == 2);
  CHECK(gang_tasks(table_1).tasks[0].name == "t3");
  CHECK(gang_tasks(table_1).tasks[0].id == 2);
}

TEST_CASE("the sum over all cores and the stronger condition of each core" * takt_tests::traces("AP-14")) {
  CHECK(total_gang_capacity(table_1, 2) == gang_capacity::enough);
  CHECK(core_gang_capacity(table_1, 2) == gang_capacity::enough);
  const kernels one_full_core = set_of({{10, 10, 10, 0, 0}, {5, 10, 10, 0, gang}});
  CHECK(total_gang_capacity(one_full_core, 2) == gang_capacity::enough);
  CHECK(core_gang_capacity(one_full_core, 2) == gang_capacity::exceeded);
  CHECK(total_gang_capacity(set_of({{10, 10, 10, 0, 0}, {6, 10, 10, 0, gang}}), 2) == gang_capacity::exceeded);
}

TEST_CASE("the verdict on two slots is that of all parts, and the slots are disjoint" * takt_tests::traces("AP-16")) {
  static_assert(takt::detail::disjoint(pinned_of_example_2, gang_of_example_2));
  static_assert(!takt::detail::disjoint(slot{0, 9, 12}, gang_of_example_2));
  static_assert(!takt::detail::disjoint(slot{10, 4, 12}, slot{0, 3, 12}));
  static_assert(takt::detail::disjoint(slot{10, 4, 12}, slot{2, 8, 12}));
  static_assert(!takt::detail::disjoint(slot{0, 4, 12}, slot{6, 4, 24}));
  constexpr auto slots = checked_slots({pinned_of_example_2, gang_of_example_2});
  const takt::accelerator_record two_cores{.cores = 2, .preemption_levels = 2};
  const auto supply = [](const kernels& part, const slot& s) { return slot_supply_edf(part, s); };
  const auto example = takt::analysis::detail::test_slots(table_1, two_cores, slots, supply);
  REQUIRE(example.cores.size() == 2);
  CHECK(!example.cores[0].schedulable());
  CHECK(example.cores[1].schedulable());
  CHECK(example.gang.schedulable());
  CHECK(!example.schedulable());
  const kernels lighter = set_of({{3, 10, 10, 0, 0}, {4, 12, 12, 0, gang}, {1, 10, 10, 0, 1}});
  CHECK(takt::analysis::detail::test_slots(lighter, two_cores, slots, supply).schedulable());
  // Only the gang tasks do not fit, and only in their own slot.
  const kernels heavy_gang = set_of({{3, 10, 10, 0, 0}, {6, 12, 12, 0, gang}, {1, 10, 10, 0, 1}});
  const auto gang_fails = takt::analysis::detail::test_slots(heavy_gang, two_cores, slots, supply);
  CHECK(gang_fails.cores[0].schedulable());
  CHECK(gang_fails.cores[1].schedulable());
  CHECK(!gang_fails.gang.schedulable());
  CHECK(!gang_fails.schedulable());
  for (const auto& test : slot_tests<kernels::max_tasks>) {
    CAPTURE(test.name);
    const bool decides = test.name == "sbf" || test.name == "exact";
    if (decides) { CHECK(ask_slots(test, lighter, two_cores, slots) == slot_result::accepted); }
    CHECK(ask_slots(test, heavy_gang, two_cores, slots) == slot_result::rejected);
    CHECK(ask_slots(test, table_1, two_cores, slots) == slot_result::rejected);
  }
  const auto overlap =
      takt::analysis::detail::test_slots(lighter, two_cores, {slot{0, 9, 12}, gang_of_example_2}, supply);
  CHECK(overlap.error.fault == model_fault::slots_overlap);
  CHECK(!overlap.schedulable());
  const auto unplaced =
      takt::analysis::detail::test_slots(set_of({{1, 4, 4, 0, takt::unassigned_core}}), two_cores, slots, supply);
  CHECK(unplaced.error.fault == model_fault::core_out_of_range);
}

TEST_CASE("slots in the ratio of the loads, rounded to ticks and tested again" * takt_tests::traces("AP-28")) {
  constexpr auto exact = proportional_slots(table_1, 2, ticks{12});
  static_assert(exact.pinned.budget == rational{228, 29});
  static_assert(exact.gang.offset == rational{228, 29} && exact.gang.budget == rational{120, 29});
  static_assert(takt::detail::slots_fault(exact.pinned, exact.gang).fault == model_fault::none);
  constexpr auto rounded = nearest_ticks(exact);
  static_assert(rounded.pinned.budget == 8 && rounded.gang.offset == 8 && rounded.gang.budget == 4);
  CHECK(!slot_supply_edf(takt::analysis::detail::pinned_tasks(table_1, 0), rounded.pinned).schedulable());
  const auto idle = nearest_ticks(proportional_slots(kernels{}, 2, ticks{12}));
  CHECK(idle.pinned.budget == 12);
  CHECK(idle.gang.budget == 0);
  CHECK(takt::detail::slots_fault(idle.pinned, idle.gang).fault == model_fault::none);
}
