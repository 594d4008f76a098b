// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>

#include <takt/core/choice.hpp>
#include <takt/core/exact.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

template <class Number>
[[nodiscard]] constexpr auto kernel_fault(const accelerator_task<Number>& t) -> model_fault {
  if (t.period <= Number(0)) { return model_fault::period_not_positive; }
  if (t.deadline <= Number(0)) { return model_fault::deadline_not_positive; }
  if (t.period < t.deadline) { return model_fault::deadline_exceeds_period; }
  if (t.wcet <= Number(0)) { return model_fault::kernel_time_not_positive; }
  if (t.preemption_cost < Number(0)) { return model_fault::negative_time; }
  if (t.wcet < t.preemption_cost) { return model_fault::preemption_cost_exceeds_time; }
  if (t.priority < no_priority) { return model_fault::negative_priority; }
  if (t.core < unassigned_core) { return model_fault::negative_core; }
  if (!is_known(t.width)) { return model_fault::choice_out_of_range; }
  return model_fault::none;
}

/// The longest time that is accepted: sums of a few longer ones need not fit 64 bits.
inline constexpr ticks longest_accelerator_time = std::numeric_limits<ticks>::max() / 8;

/// Returns whether an analysis can add a few times of a kernel, or of a slot, that is without fault.
template <class Number>
[[nodiscard]] constexpr auto times_fit(const accelerator_task<Number>& t) -> bool {
  if constexpr (number_traits<Number>::integral) {
    return t.period <= longest_accelerator_time && t.wcet <= longest_accelerator_time;
  } else {
    return is_number(t.period) && is_number(t.deadline) && is_number(t.wcet) && is_number(t.preemption_cost);
  }
}
template <class Number>
[[nodiscard]] constexpr auto times_fit(const slot_reservation<Number>& slot) -> bool {
  if constexpr (number_traits<Number>::integral) {
    return slot.period <= longest_accelerator_time;
  } else {
    return is_number(Number(slot.offset + slot.budget + slot.period + slot.period));
  }
}

}  // namespace detail

/// Returns the first fault of a kernel's own attributes. An empty table has none: a core may have no task.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto attribute_fault(const task_rows<accelerator_task<Number>, MaxTasks>& table)
    -> model_error {
  for (const auto& t : table.tasks) {
    if (const auto fault = detail::kernel_fault(t); fault != model_fault::none) {
      return {.fault = fault, .task = t.id};
    }
  }
  return {};
}

namespace detail {

template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto first_fault(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                         const accelerator_record& accelerator) -> model_error {
  if (table.size() == 0) { return {.fault = model_fault::no_task}; }
  if (accelerator.cores < 1 || accelerator.preemption_levels < 1) {
    return {.fault = model_fault::platform_size_out_of_range};
  }
  if (const auto error = attribute_fault(table)) { return error; }
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    if (t.core >= accelerator.cores) { return {.fault = model_fault::core_out_of_range, .task = t.id}; }
    for (std::size_t other = 0; other < i; ++other) {
      const auto& earlier = table.tasks[other];
      if (earlier.name == t.name) { return {.fault = model_fault::duplicate_name, .task = t.id}; }
      if (t.priority != no_priority && earlier.priority == t.priority) {
        return {.fault = model_fault::duplicate_priority, .task = t.id};
      }
    }
  }
  return {};
}

}  // namespace detail

/// Returns the first thing that is wrong with a set of kernels or with its place on an accelerator. Cores need not have
/// been chosen yet. Cost: tasks^2 name comparisons.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto validate(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                      const accelerator_record& accelerator) -> model_error {
  return located(detail::first_fault(table, accelerator), table.tasks);
}

namespace detail {

/// Returns what is wrong with a slot: 0 <= offset < period and 0 <= budget <= period must hold. It may reach into the
/// next period.
template <class Number>
[[nodiscard]] constexpr auto slot_fault(const slot_reservation<Number>& slot) -> model_error {
  if (slot.period <= Number(0)) { return {.fault = model_fault::period_not_positive}; }
  const bool inside = Number(0) <= slot.offset && slot.offset < slot.period && !(slot.budget < Number(0)) &&
                      !(slot.period < slot.budget);
  return {.fault = inside ? model_fault::none : model_fault::slot_out_of_range};
}

/// Returns whether no instant belongs to both slots. Pre: both are without fault.
template <class Number>
[[nodiscard]] constexpr auto disjoint(const slot_reservation<Number>& a, const slot_reservation<Number>& b) -> bool {
  TAKT_EXPECTS(!slot_fault(a) && !slot_fault(b));
  if (a.period != b.period) { return false; }
  if (a.budget == Number(0) || b.budget == Number(0)) { return true; }
  const bool a_first = !(b.offset < a.offset);
  const auto& first = a_first ? a : b;
  const auto& second = a_first ? b : a;
  const Number between = second.offset - first.offset;
  return !(between < first.budget) && !(first.period - between < second.budget);
}

/// Returns what is wrong with two slots that share one accelerator: each by itself, then unequal periods or an overlap.
template <class Number>
[[nodiscard]] constexpr auto slots_fault(const slot_reservation<Number>& pinned, const slot_reservation<Number>& gang)
    -> model_error {
  if (const auto error = slot_fault(pinned)) { return error; }
  if (const auto error = slot_fault(gang)) { return error; }
  return {.fault = disjoint(pinned, gang) ? model_fault::none : model_fault::slots_overlap};
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
