// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <takt/analysis/methods/whole_kernels/whole_gpu_edf.hpp>
#include <takt/systems/accelerators/analysis/slot_periodic_edf.hpp>
#include <takt/systems/accelerators/analysis/slot_simulated_edf.hpp>
#include <takt/systems/accelerators/plans/placement.hpp>
#include <takt/systems/accelerators/plans/slot_design.hpp>
#include <takt/systems/accelerators/plans/wave_lengths.hpp>

#include "support/accelerator_examples.hpp"
#include "support/traces.hpp"

using namespace takt::analysis;
using namespace takt_examples;
using takt::budget_growth;
using takt::rational;

namespace {

constexpr std::int32_t open = takt::unassigned_core;
constexpr kernels five = set_of(
    {{3, 10, 10, 0, open}, {5, 15, 15, 0, open}, {1, 10, 10, 0, open}, {2, 12, 12, 0, open}, {4, 20, 20, 0, open}});

const auto by_load = [](const kernels& part) {
  return utilization(part) <= takt::quotient(pinned_of_example_2.budget, pinned_of_example_2.period);
};
const auto by_supply = [](const kernels& part) { return slot_supply_edf(part, pinned_of_example_2).schedulable(); };
const auto by_line = [](const kernels& part) { return slot_linear_edf(part, pinned_of_example_2).schedulable(); };
const auto by_run = [](const kernels& part) {
  return takt::analysis::detail::slot_simulated_edf(part, pinned_of_example_2).schedulable();
};

using cores = std::vector<std::int32_t>;
constexpr takt::first_fit_core first_fit;
constexpr takt::best_fit_core best_fit;
constexpr takt::worst_fit_core worst_fit;
constexpr takt::next_fit_core next_fit;
constexpr takt::greatest_load_first most_loaded;

template <class Choice, class Test>
auto place(const Choice& choice, const Test& test) -> cores {
  const auto placement = takt::place_on_cores(five, 2, choice, most_loaded, test);
  return placement.placed() ? cores(placement.cores.begin(), placement.cores.end()) : cores{};
}

const auto supply_test = [](const kernels& part, const slot& s) {
  return slot_supply_edf<edf_report::verdict_only>(part, s).schedulable();
};

}  // namespace

TEST_CASE("first, best, worst and next fit with any admission test" * takt_tests::traces("AP-X08")) {
  const cores a_b_first{0, 0, 1, 1, 1};
  const cores b_e_c_first{1, 0, 0, 1, 0};
  CHECK(place(first_fit, by_load) == a_b_first);
  CHECK(place(best_fit, by_load) == a_b_first);
  CHECK(place(next_fit, by_load) == a_b_first);
  CHECK(place(first_fit, by_supply) == b_e_c_first);
  CHECK(place(first_fit, by_run) == b_e_c_first);
  CHECK(place(best_fit, by_supply) == b_e_c_first);
  CHECK(place(best_fit, by_run) == b_e_c_first);
  const cores b_d_c_first{1, 0, 0, 0, 1};
  CHECK(place(worst_fit, by_load) == b_d_c_first);
  CHECK(place(worst_fit, by_supply) == b_d_c_first);
  CHECK(place(worst_fit, by_run) == b_d_c_first);
  CHECK(place(next_fit, by_supply).empty());
  CHECK(place(next_fit, by_run).empty());
  CHECK(place(first_fit, by_line).empty());
  CHECK(place(best_fit, by_line).empty());
  CHECK(place(worst_fit, by_line).empty());
  CHECK(place(next_fit, by_line).empty());
}

TEST_CASE("tasks are taken by load, by deadline or as given, and gang tasks stay where they are") {
  const kernels s = set_of({{1, 20, 20, 0, open}, {1, 5, 10, 0, open}, {9, 30, 30, 0, open}, {1, 9, 9, 0, gang}});
  cores seen;
  const auto record = [&](const kernels& part) {
    seen.push_back(static_cast<std::int32_t>(part.tasks[part.size() - 1].id));
    return true;
  };
  CHECK(takt::place_on_cores(s, 1, first_fit, takt::detail::as_given{}, record).placed());
  CHECK(seen == cores{0, 1, 2});
  seen.clear();
  CHECK(takt::place_on_cores(s, 1, first_fit, most_loaded, record).placed());
  CHECK(seen == cores{2, 1, 0});
  seen.clear();
  const auto placement = takt::place_on_cores(s, 1, first_fit, takt::shortest_deadline_first{}, record);
  CHECK(seen == cores{1, 0, 2});
  CHECK(placement.tests == 3);
  CHECK(placement.cores[3] == takt::unassigned_core);
  CHECK(takt::pinned(s, placement).tasks[2].core == 0);
}

TEST_CASE("an order and a choice of one's own place tasks") {
  const kernels s = set_of({{1, 20, 20, 0, open}, {1, 5, 10, 0, open}, {9, 30, 30, 0, open}});
  const auto last_given_first = [](const auto& a, const auto& b) { return b.id < a.id; };
  struct last_fit_core {
    static constexpr auto prefers(const rational& /*load*/, const rational& /*best*/) -> bool { return true; }
  };
  const auto one_each = [](const kernels& part) { return part.size() < 2; };
  const auto placement = takt::place_on_cores(s, 3, last_fit_core{}, last_given_first, one_each);
  REQUIRE(placement.placed());
  CHECK(cores(placement.cores.begin(), placement.cores.end()) == cores{0, 1, 2});
}

TEST_CASE("a placement that fails names the task, and a wrong model is a status") {
  const auto never = [](const kernels& part) { return part.size() < 2; };
  const auto failed = takt::place_on_cores(five, 2, first_fit, takt::detail::as_given{}, never);
  CHECK(failed.status == takt::placement_status::no_core);
  CHECK(failed.error.task == 2);
  const auto late = takt::place_on_cores(set_of({{3, 4, 2, 0, open}}), 2, first_fit, most_loaded, by_load);
  CHECK(late.status == takt::placement_status::invalid);
  CHECK(late.error.fault == takt::model_fault::deadline_exceeds_period);
  CHECK(takt::place_on_cores(five, 0, first_fit, most_loaded, by_load).status == takt::placement_status::invalid);
}

TEST_CASE("smallest budgets, slot periods and whole designs" * takt_tests::traces("AP-X09")) {
  const kernels core_0 = takt::analysis::detail::pinned_tasks(table_1, 0);
  const auto budget = [&](const kernels& part, std::int64_t period, budget_growth growth) {
    const auto found = takt::smallest_budget(part, period, supply_test, growth);
    return found.exists ? found.budget : -1;
  };
  const std::array<std::int64_t, 7> periods{3, 4, 5, 6, 8, 10, 12};
  const std::array<std::int64_t, 7> expected{2, 3, 4, 4, 6, 7, 9};
  for (std::size_t i = 0; i < periods.size(); ++i) {
    CHECK(budget(core_0, periods[i], budget_growth::monotone) == expected[i]);
    CHECK(budget(core_0, periods[i], budget_growth::unknown) == expected[i]);
  }
  CHECK(budget(takt::analysis::detail::pinned_tasks(table_1, 1), 12, budget_growth::monotone) == 3);
  CHECK(budget(gang_tasks(table_1), 12, budget_growth::monotone) == 4);
  CHECK(budget(kernels{}, 12, budget_growth::monotone) == 0);
  CHECK(budget(set_of({{3, 4, 4}, {3, 8, 8}}), 12, budget_growth::monotone) == -1);
  CHECK(!takt::detail::design_slots(table_1, 2, 12, supply_test, budget_growth::monotone).feasible);

  const takt::accelerator_record two_cores{.cores = 2, .preemption_levels = 2};
  const auto table_1_slots =
      takt::detail::search_slots(table_1, two_cores, periods, supply_test, budget_growth::monotone);
  const auto test = [](const kernels& part, const slot& s) { return slot_supply_edf(part, s); };
  REQUIRE(table_1_slots.feasible);
  CHECK(table_1_slots.slots.pinned.period != 12);
  CHECK(takt::analysis::detail::test_slots(table_1, two_cores, table_1_slots.slots, test).schedulable());
  const kernels lighter = set_of({{2, 10, 10, 0, 0}, {3, 15, 15, 0, 0}, {3, 12, 12, 0, gang}, {1, 10, 10, 0, 1}});
  const auto found = takt::detail::search_slots(lighter, two_cores, periods, supply_test, budget_growth::monotone);
  REQUIRE(found.feasible);
  CHECK(takt::analysis::detail::test_slots(lighter, two_cores, found.slots, test).schedulable());
  for (const std::int64_t period : periods) {
    const auto other = takt::detail::design_slots(lighter, 2, period, supply_test, budget_growth::monotone);
    if (!other.feasible) { continue; }
    CHECK(rational{other.spare, period} <= rational{found.spare, found.slots.pinned.period});
  }
  const auto abstraction = [](const kernels& part, const slot& s) {
    return slot_abstraction_edf<edf_report::verdict_only>(part, s).schedulable();
  };
  const kernels same_period = set_of({{5, 10, 12, 0, 0}, {4, 12, 12, 0, gang}});
  const std::array<std::int64_t, 2> own_period{6, 12};
  const auto periodic =
      takt::detail::search_slots(same_period, two_cores, own_period, abstraction, budget_growth::unknown);
  REQUIRE(periodic.feasible);
  CHECK(periodic.slots.pinned.budget == 5);
  CHECK(periodic.slots.gang.budget == 4);
  CHECK(periodic.spare == 3);
  CHECK(takt::detail::search_slots(five, two_cores, periods, supply_test, budget_growth::monotone).error.fault ==
        takt::model_fault::core_out_of_range);
}

TEST_CASE("waves are made as long as the set allows, and with a level per task all at once") {
  const kernels shortest = set_of({{2, 10, 12}, {3, 20, 30, 1}, {5, 24, 40, 1}, {20, 60, 60, 1}});
  const auto four_levels = [](const kernels& s) {
    return level_stack_edf<edf_report::verdict_only>(s, 4, takt::preemption_cost_model::ideal).schedulable();
  };
  const auto found = takt::lengthen_waves(shortest, four_levels);
  REQUIRE(found.feasible);
  const auto demand = demand_of(shortest);
  for (std::size_t l = 0; l < shortest.size(); ++l) {
    const auto& t = shortest.tasks[l];
    ticks longest = t.wcet;
    for (ticks w = 1; w < t.deadline; ++w) {
      if (w >= demand.first_step()) { longest = std::min(longest, w - demand.work(w)); }
    }
    CHECK(found.table.tasks[l].preemption_cost == longest);
  }
  CHECK(found.table.tasks[3].preemption_cost == 8);

  const auto two_levels = [](const kernels& s) { return level_stack_edf(s, 2).schedulable(); };
  const kernels raced = set_of({{1, 10, 12}, {2, 20, 30, 1}, {3, 24, 40, 1}, {6, 60, 60, 1}});
  const auto limited = takt::lengthen_waves(raced, two_levels);
  REQUIRE(limited.feasible);
  CHECK(two_levels(limited.table));
  for (std::size_t l = 0; l < raced.size(); ++l) {
    kernels longer = limited.table;
    if (longer.tasks[l].preemption_cost == longer.tasks[l].wcet) { continue; }
    ++longer.tasks[l].preemption_cost;
    CHECK(!two_levels(longer));
  }
  CHECK(!takt::lengthen_waves(set_of({{3, 4, 4}, {3, 8, 8}}), four_levels).feasible);
}
