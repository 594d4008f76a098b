// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/demand/sporadic_demand.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/choice.hpp>
#include <takt/model/accelerator_fault.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Returns the tasks pinned to one core, in the given order. They keep their `id`.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto pinned_tasks(const task_rows<accelerator_task<Number>, MaxTasks>& table, std::int32_t core)
    -> task_rows<accelerator_task<Number>, MaxTasks> {
  task_rows<accelerator_task<Number>, MaxTasks> part;
  for (const auto& t : table.tasks) {
    // Bound: at most the tasks of the table.
    if (!needs_all_cores(t.width) && t.core == core) { part.tasks.unchecked_push_back(t); }
  }
  return part;
}

}  // namespace detail

/// Returns the tasks that need all cores at once, in the given order. They keep their `id`.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto gang_tasks(const task_rows<accelerator_task<Number>, MaxTasks>& table)
    -> task_rows<accelerator_task<Number>, MaxTasks> {
  task_rows<accelerator_task<Number>, MaxTasks> part;
  for (const auto& t : table.tasks) {
    // Bound: at most the tasks of the table.
    if (needs_all_cores(t.width)) { part.tasks.unchecked_push_back(t); }
  }
  return part;
}

/// Returns the sum of wcet / period, exactly. Error: an overflowed fraction.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto utilization(const task_rows<accelerator_task<Number>, MaxTasks>& table)
    -> fraction_of<Number> {
  fraction_of<Number> sum(0);
  for (const auto& t : table.tasks) { sum = sum + quotient(t.wcet, t.period); }
  return sum;
}

/// Returns the tasks with times that can be divided exactly.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto as_fractions(const task_rows<accelerator_task<Number>, MaxTasks>& table)
    -> task_rows<accelerator_task<fraction_of<Number>>, MaxTasks> {
  using fraction = fraction_of<Number>;
  task_rows<accelerator_task<fraction>, MaxTasks> out;
  for (const auto& t : table.tasks) {
    // Bound: one per task, as in the table.
    out.tasks.unchecked_push_back({t.name, fraction(t.wcet), fraction(t.period), fraction(t.deadline),
                                   fraction(t.preemption_cost), t.width, t.core, t.priority, t.id});
  }
  return out;
}
template <class Number>
[[nodiscard]] constexpr auto as_fractions(const slot_reservation<Number>& slot)
    -> slot_reservation<fraction_of<Number>> {
  using fraction = fraction_of<Number>;
  return {fraction(slot.offset), fraction(slot.budget), fraction(slot.period)};
}

namespace detail {

/// Holds what a preemption adds to the job that preempts and to the time that a preempted kernel blocks others.
template <class Number>
struct preemption_charges {
  Number job{};
  Number blocking{};
};

/// `lost` is the longest wave that the job can cut short, `wave` that of the kernel itself, 0 where there is one level.
/// Pre: the model is known.
template <class Number>
[[nodiscard]] constexpr auto charges_of(preemption_cost_model model, const Number& lost, const Number& wave)
    -> preemption_charges<Number> {
  TAKT_EXPECTS(is_known(model));
  switch (model) {
    case preemption_cost_model::ideal: return {Number(0), wave};
    case preemption_cost_model::race: return {lost, Number(0)};
    case preemption_cost_model::overhead: return {lost, lost};
  }
  return {};
}

/// Returns what keeps an analysis from starting: a fault of a task, or times of which two cannot be added.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto entry_fault(const task_rows<accelerator_task<Number>, MaxTasks>& table) -> model_error {
  for (const auto& t : table.tasks) {
    if (!takt::detail::times_fit(t)) { return {.fault = model_fault::time_overflow, .task = t.id}; }
  }
  return attribute_fault(table);
}

/// Returns the same as `entry_fault`, or that a model of preemption or a number of levels does not exist.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto stack_fault(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                         std::int32_t levels, preemption_cost_model model) -> model_error {
  if (!is_known(model)) { return {.fault = model_fault::choice_out_of_range}; }
  if (const auto error = entry_fault(table)) { return error; }
  return {.fault = levels < 1 ? model_fault::platform_size_out_of_range : model_fault::none};
}

}  // namespace detail

/// Returns the tasks' demand as if they could be preempted anywhere, for free.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto demand_of(const task_rows<accelerator_task<Number>, MaxTasks>& table)
    -> sporadic_demand<Number, MaxTasks> {
  sporadic_demand<Number, MaxTasks> out;
  for (const auto& t : table.tasks) { static_cast<void>(out.add(t.wcet, t.deadline, t.period)); }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
