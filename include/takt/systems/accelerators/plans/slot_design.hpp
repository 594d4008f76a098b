// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/methods/whole_kernels/slot_edf.hpp>
#include <takt/core/choice.hpp>
#include <takt/systems/accelerators/analysis/two_slots.hpp>
#include <takt/systems/accelerators/plans/placement.hpp>

namespace takt::inline TAKT_ABI {

/// Says whether the tasks of one part hold in a slot.
template <class Test, class Number, std::size_t MaxTasks>
concept SlotTest = requires(const Test& test, const task_rows<accelerator_task<Number>, MaxTasks>& part,
                            const slot_reservation<Number>& slot) {
  { test(part, slot) } -> std::convertible_to<bool>;
};

/// Says whether a slot test, once it accepts a budget, accepts every greater one.
enum class budget_growth : std::uint8_t {
  monotone,  ///< such as `slot_supply_edf`: bisect
  unknown,   ///< such as `slot_abstraction_edf`: visit every budget
};
[[nodiscard]] constexpr auto last_of(budget_growth) noexcept -> budget_growth { return budget_growth::unknown; }

/// Describes a budget in whole units, or the knowledge that none suffices.
struct budget_found {
  bool exists = false;
  std::int64_t budget = 0;
};

namespace detail {

/// Returns whether a test that rises with the budget decides the greater ones too.
[[nodiscard]] constexpr auto can_bisect(budget_growth growth) noexcept -> bool {
  switch (growth) {
    case budget_growth::monotone: return true;
    case budget_growth::unknown: return false;
  }
  return false;
}

}  // namespace detail

/// Returns the smallest whole budget of at most `period` with which a slot at `offset` 0 passes a test; 0 for an empty
/// part. Pre: period >= 1. Cost: a test per budget up to the answer, or log2(period) of them.
template <class Number, std::size_t MaxTasks, SlotTest<Number, MaxTasks> Test>
[[nodiscard]] constexpr auto smallest_budget(const task_rows<accelerator_task<Number>, MaxTasks>& part,
                                             std::int64_t period, const Test& test, budget_growth growth)
    -> budget_found {
  TAKT_EXPECTS(period >= 1);
  if (part.size() == 0) { return {true, 0}; }
  const auto passes = [&](std::int64_t budget) {
    return static_cast<bool>(test(part, slot_reservation<Number>{Number(0), Number(budget), Number(period)}));
  };
  if (!detail::can_bisect(growth)) {
    for (std::int64_t budget = 1; budget <= period; ++budget) {
      if (passes(budget)) { return {true, budget}; }
    }
    return {};
  }
  if (!passes(period)) { return {}; }
  std::int64_t low = 1;
  std::int64_t high = period;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (passes(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return {true, high};
}

namespace detail {

/// Holds two slots for a set, or the knowledge that no candidate period has any.
template <ExactNumber Number>
struct slot_design {
  bool feasible = false;
  model_error error{};
  analysis::two_slots<Number> slots{};
  std::int64_t spare = 0;  ///< of the period, between the slots
};

/// Returns whether spare / period of a is more than that of b. Pre: 0 <= spare <= period, period > 0.
[[nodiscard]] constexpr auto spares_more(std::int64_t spare_a, std::int64_t period_a, std::int64_t spare_b,
                                         std::int64_t period_b) -> bool {
  TAKT_EXPECTS(0 <= spare_a && spare_a <= period_a && period_a > 0);
  TAKT_EXPECTS(0 <= spare_b && spare_b <= period_b && period_b > 0);
  return rational{spare_b, period_b} < rational{spare_a, period_a};
}

/// Returns the smallest slots of whole budgets for one period: the pinned slot first, then what is spare, then the gang
/// slot at the end. `test` must not depend on where in the period a slot lies, or must hold there too, which is asked
/// once more. Pre: every task that needs one core is on one.
template <class Number, std::size_t MaxTasks, SlotTest<Number, MaxTasks> Test>
[[nodiscard]] constexpr auto design_slots(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                          std::int32_t cores, std::int64_t period, const Test& test,
                                          budget_growth growth) -> slot_design<Number> {
  slot_design<Number> out;
  std::int64_t pinned = 0;
  for (const auto& t : table.tasks) { TAKT_EXPECTS(needs_all_cores(t.width) || (t.core >= 0 && t.core < cores)); }
  for (std::int32_t p = 0; p < cores; ++p) {
    const budget_found own = smallest_budget(analysis::detail::pinned_tasks(table, p), period, test, growth);
    if (!own.exists) { return out; }
    pinned = own.budget > pinned ? own.budget : pinned;
  }
  const auto together = analysis::gang_tasks(table);
  const budget_found gang = smallest_budget(together, period, test, growth);
  if (!gang.exists || pinned > period - gang.budget) { return out; }
  out.spare = period - pinned - gang.budget;
  const Number offset(gang.budget == 0 ? 0 : period - gang.budget);
  out.slots = {{Number(0), Number(pinned), Number(period)}, {offset, Number(gang.budget), Number(period)}};
  out.feasible = together.size() == 0 || static_cast<bool>(test(together, out.slots.gang));
  for (std::int32_t p = 0; p < cores && out.feasible && !detail::can_bisect(growth); ++p) {
    const auto part = analysis::detail::pinned_tasks(table, p);
    out.feasible = part.size() == 0 || static_cast<bool>(test(part, out.slots.pinned));
  }
  return out;
}

/// Returns the design with the greatest spare share among candidate periods, the first of equals. Error: a task without
/// a core or with a fault; a candidate below 1 is passed over.
template <class Number, std::size_t MaxTasks, SlotTest<Number, MaxTasks> Test>
[[nodiscard]] constexpr auto search_slots(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                          const accelerator_record& accelerator,
                                          std::span<const std::int64_t> candidates, const Test& test,
                                          budget_growth growth) -> slot_design<Number> {
  slot_design<Number> best;
  best.error = validate(table, accelerator);
  if (!is_known(growth)) { best.error = {.fault = model_fault::choice_out_of_range}; }
  for (std::size_t i = 0; i < table.size() && !best.error; ++i) {
    const auto& t = table.tasks[i];
    if (!needs_all_cores(t.width) && t.core == unassigned_core) {
      best.error = {.fault = model_fault::core_out_of_range, .task = t.id};
    }
  }
  if (best.error) { return best; }
  std::int64_t best_period = 1;
  for (const std::int64_t period : candidates) {
    if (period < 1) { continue; }
    const auto found = design_slots(table, accelerator.cores, period, test, growth);
    if (!found.feasible || (best.feasible && !detail::spares_more(found.spare, period, best.spare, best_period))) {
      continue;
    }
    best = found;
    best_period = period;
  }
  return best;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
