// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/demand/edf_verdict.hpp>
#include <takt/analysis/methods/whole_kernels/parts.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Holds two disjoint slots of one period: in one the cores serve their pinned tasks, in the other all cores serve gang
/// tasks.
template <ExactNumber Number>
struct two_slots {
  slot_reservation<Number> pinned{};
  slot_reservation<Number> gang{};
};

namespace detail {

struct slots_check {
  model_error error{};

  consteval explicit slots_check(const two_slots<ticks>& slots)
      : error{takt::detail::slots_fault(slots.pinned, slots.gang)} {
    takt::detail::refuse(error);
  }
};

}  // namespace detail

/// Stops compilation, with a sentence, unless the slots have one period and are disjoint.
[[nodiscard]] consteval auto checked_slots(const two_slots<ticks>& slots) -> two_slots<ticks> {
  static_cast<void>(detail::slots_check{slots});
  return slots;
}

namespace detail {

/// Returns the greatest utilisation of a core by its pinned tasks. Error: an overflowed fraction.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto greatest_core_load(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                                std::int32_t cores) -> fraction_of<Number> {
  fraction_of<Number> most(0);
  for (std::int32_t p = 0; p < cores; ++p) {
    const auto load = utilization(pinned_tasks(table, p));
    most = most < load ? load : most;
  }
  return most;
}

}  // namespace detail

/// Says whether there is the capacity that every schedule of pinned and gang tasks needs.
enum class gang_capacity : std::uint8_t {
  unknown,  ///< the fractions do not fit
  exceeded,
  enough,
};

/// Tests whether the cores' loads and `cores` times the gang load add up to at most `cores`. Necessary.
/// Source: Zahaf and Lipari 2020, Lemma 2.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto total_gang_capacity(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                                 std::int32_t cores) -> gang_capacity {
  using fraction = fraction_of<Number>;
  fraction sum = fraction(cores) * utilization(gang_tasks(table));
  for (std::int32_t p = 0; p < cores; ++p) { sum = sum + utilization(detail::pinned_tasks(table, p)); }
  if (!is_number(sum)) { return gang_capacity::unknown; }
  return fraction(cores) < sum ? gang_capacity::exceeded : gang_capacity::enough;
}

/// Tests whether on every core its own load and the gang load add up to at most 1. Necessary, as pinned tasks do not
/// move, and stronger than the sum over all cores.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto core_gang_capacity(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                                std::int32_t cores) -> gang_capacity {
  using fraction = fraction_of<Number>;
  const fraction sum = detail::greatest_core_load(table, cores) + utilization(gang_tasks(table));
  if (!is_number(sum)) { return gang_capacity::unknown; }
  return fraction(1) < sum ? gang_capacity::exceeded : gang_capacity::enough;
}

/// Divides a period in the ratio of the greatest core load to the gang load, the pinned slot first; without any load
/// the pinned slot gets all. Exact. Source: Zahaf and Lipari 2020, section 7.1.1, with the factor `period` restored.
/// Error: slots that overflow.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto proportional_slots(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                                std::int32_t cores, const Number& period)
    -> two_slots<fraction_of<Number>> {
  using fraction = fraction_of<Number>;
  const fraction whole(period);
  const fraction pinned = detail::greatest_core_load(table, cores);
  const fraction sum = pinned + utilization(gang_tasks(table));
  const fraction budget = fraction(0) < sum ? fraction(whole * pinned / sum) : whole;
  const fraction rest = whole - budget;
  return {{fraction(0), budget, whole}, {rest == fraction(0) ? fraction(0) : budget, rest, whole}};
}

/// Returns the slots with the border moved to the nearest tick, halves up. They must be tested: rounding can take from
/// either. Pre: no overflow.
[[nodiscard]] constexpr auto nearest_ticks(const two_slots<rational>& exact) -> two_slots<ticks> {
  TAKT_EXPECTS(is_number(exact.pinned.budget) && is_number(exact.pinned.period));
  const ticks period = exact.pinned.period.floor();
  const ticks border = (exact.pinned.budget + rational{1, 2}).floor();
  return {{0, border, period}, {border == period ? 0 : border, period - border, period}};
}

namespace detail {

/// Holds what a test says of every part of an accelerator.
template <class Answer>
struct slots_verdict {
  model_error error{};
  inline_vector<Answer, 64> cores;
  Answer gang{};

  [[nodiscard]] constexpr auto schedulable() const -> bool {
    bool all = !error && gang.schedulable();
    for (std::size_t p = 0; p < cores.size(); ++p) { all = all && cores[p].schedulable(); }
    return all;
  }
};

/// Applies a test to the tasks of each core in the pinned slot and to the gang tasks in the gang slot. The set holds if
/// all parts do. For these slots and an exact test it holds only then. Source: Zahaf and Lipari 2020, Theorem 2. Error:
/// slots that are not disjoint, a fault of a task, a task without a core, more than 64 cores.
template <class Number, std::size_t MaxTasks, class Test>
[[nodiscard]] constexpr auto test_slots(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                        const accelerator_record& accelerator, const two_slots<Number>& slots,
                                        const Test& test) -> slots_verdict<decltype(test(table, slots.pinned))> {
  slots_verdict<decltype(test(table, slots.pinned))> out;
  out.error = validate(table, accelerator);
  if (!out.error) { out.error = takt::detail::slots_fault(slots.pinned, slots.gang); }
  for (std::size_t i = 0; i < table.size() && !out.error; ++i) {
    const auto& t = table.tasks[i];
    if (!needs_all_cores(t.width) && t.core == unassigned_core) {
      out.error = {.fault = model_fault::core_out_of_range, .task = t.id};
    }
  }
  if (!out.error && accelerator.cores > 64) { out.error = {.fault = model_fault::platform_size_out_of_range}; }
  if (out.error) { return out; }
  for (std::int32_t p = 0; p < accelerator.cores; ++p) {
    // Bound: at most 64 cores, see above.
    out.cores.unchecked_push_back(test(pinned_tasks(table, p), slots.pinned));
  }
  out.gang = test(gang_tasks(table), slots.gang);
  return out;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
