// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/methods/demand/blocking.hpp>
#include <takt/analysis/methods/demand/edf_qpa.hpp>
#include <takt/analysis/methods/demand/edf_test.hpp>
#include <takt/analysis/methods/demand/supply.hpp>
#include <takt/analysis/methods/whole_kernels/parts.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Answers what needs no test: a wrong model, nothing to do, or nothing to do it with. True when it did.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto settle_at_entry(const task_rows<accelerator_task<Number>, MaxTasks>& part,
                                             const slot_reservation<Number>& slot, edf_verdict<Number>& out) -> bool {
  if (const auto error = entry_fault(part)) {
    out = edf_verdict<Number>::invalid(error);
  } else if (const auto wrong = takt::detail::slot_fault(slot)) {
    out = edf_verdict<Number>::invalid(wrong);
  } else if (!takt::detail::times_fit(slot)) {
    out = edf_verdict<Number>::failed(verdict_status::overflow);
  } else if (part.size() == 0) {
    out = {.status = verdict_status::schedulable};
  } else if (slot.budget == Number(0)) {
    out = edf_verdict<Number>::refused(edf_reason::load_exceeds_supply);
  } else {
    return false;
  }
  return true;
}

}  // namespace detail

/// Tests EDF inside a slot against its exact supply, for any releases; exact for sporadic tasks with free preemption.
/// Source: Zahaf and Lipari 2020, Theorem 3, with the sign of Eq. 8 repaired.
template <edf_report Report = edf_report::least_slack, class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto slot_supply_edf(const task_rows<accelerator_task<Number>, MaxTasks>& part,
                                             const slot_reservation<Number>& slot) -> edf_verdict<Number> {
  edf_verdict<Number> out;
  if (detail::settle_at_entry(part, slot, out)) { return out; }
  return detail::judge_demand<Report>(demand_of(part), static_slot<Number>(slot), detail::no_blocking<Number>{});
}

/// Tests against the straight line below the supply. Source: Zahaf and Lipari 2020, Eq. 10, 0 up to period - budget.
template <edf_report Report = edf_report::least_slack, class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto slot_linear_edf(const task_rows<accelerator_task<Number>, MaxTasks>& part,
                                             const slot_reservation<Number>& slot) -> edf_verdict<fraction_of<Number>> {
  using fraction = fraction_of<Number>;
  const auto exact_slot = as_fractions(slot);
  edf_verdict<fraction> out;
  if (detail::settle_at_entry(as_fractions(part), exact_slot, out)) { return out; }
  return detail::judge_demand<Report>(demand_of(as_fractions(part)), linear_slot<fraction>(exact_slot),
                                      detail::no_blocking<fraction>{});
}

namespace detail {

/// Returns the longest preemption cost in a part: how long before the end of its slot no wave may start any more.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto guard_band(const task_rows<accelerator_task<Number>, MaxTasks>& part) -> Number {
  Number guard(0);
  for (const auto& t : part.tasks) {
    if (guard < t.preemption_cost) { guard = t.preemption_cost; }
  }
  return guard;
}

/// Tests EDF inside a slot where a kernel stops only at the end of a wave. Waves start ahead of the guard band, so the
/// budget is shorter by it, and a wave of a later deadline comes before the demand. Needs kernels that yield between
/// waves; hardware levels alone cannot empty an accelerator at the end of a slot. For any releases.
template <edf_report Report = edf_report::least_slack, class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto slot_guarded_edf(const task_rows<accelerator_task<Number>, MaxTasks>& part,
                                              const slot_reservation<Number>& slot) -> edf_verdict<Number> {
  edf_verdict<Number> out;
  if (detail::settle_at_entry(part, slot, out)) { return out; }
  const Number guard = guard_band(part);
  if (!(guard < slot.budget)) { return edf_verdict<Number>::refused(edf_reason::guard_fills_slot); }
  deadline_blocking<Number, MaxTasks> blocking;
  for (const auto& t : part.tasks) { blocking.add(t.deadline, t.preemption_cost); }
  return judge_demand<Report>(demand_of(part), static_slot<Number>(slot.budget - guard, slot.period), blocking);
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
