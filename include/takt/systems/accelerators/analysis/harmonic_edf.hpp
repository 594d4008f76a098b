// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/methods/whole_kernels/slot_edf.hpp>
#include <takt/systems/accelerators/analysis/chunk_graph.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Describes a task in a slot as a task on a processor of its own, where task and slot period divide one another.
template <ExactNumber Number>
struct harmonic_conversion {
  bool applicable = false;
  sporadic_task<Number> task{};
};

namespace detail {

template <class Number>
[[nodiscard]] constexpr auto divides(const Number& small, const Number& large) -> bool {
  return number_traits<Number>::floor_quotient(large, small) * small == large;
}

/// Holds D' and what is left of C per slot period.
template <class Number>
[[nodiscard]] constexpr auto converted(const accelerator_task<Number>& t, const slot_reservation<Number>& slot)
    -> sporadic_task<Number> {
  const Number gap = slot.period - slot.budget;
  if (!(slot.period < t.period)) {
    const Number before_gap = t.period - gap;
    const Number from_start = t.deadline < before_gap ? t.deadline : before_gap;
    const Number deadline = slot.offset == Number(0) ? from_start : Number(t.deadline - gap);
    return {t.wcet, deadline < Number(0) ? Number(0) : deadline, t.period};
  }
  const Number beyond_first = t.deadline - slot.offset - slot.budget;
  if (beyond_first < Number(0)) { return {t.wcet, Number(0), slot.period}; }
  const Number slots = number_traits<Number>::floor_quotient(beyond_first, slot.period) + Number(1);
  return {Number(t.wcet / slots), slot.budget, slot.period};
}

}  // namespace detail

/// Converts a task that is released with the slot table. Not applicable where neither period divides the other, or
/// where the slot touches no edge of its period. Source: Zahaf and Lipari 2020, Definition 3; for deadline < period
/// only the slots that lie wholly before the deadline count, which the print does not heed. Pre: neither has a fault,
/// budget > 0.
template <ExactFraction Number>
[[nodiscard]] constexpr auto convert_harmonic(const accelerator_task<Number>& t, const slot_reservation<Number>& slot)
    -> harmonic_conversion<Number> {
  TAKT_EXPECTS(takt::detail::kernel_fault(t) == model_fault::none && !takt::detail::slot_fault(slot) &&
               Number(0) < slot.budget);
  const bool harmonic = detail::divides(slot.period, t.period) || detail::divides(t.period, slot.period);
  const bool at_edge = slot.offset == Number(0) || slot.offset + slot.budget == slot.period;
  if (!harmonic || !at_edge) { return {}; }
  return {true, detail::converted(t, slot)};
}

namespace detail {

/// Tests EDF on a dedicated processor after a conversion of every task.
template <edf_report Report, class Number, std::size_t MaxTasks, class Convert>
[[nodiscard]] constexpr auto converted_edf(const task_rows<accelerator_task<Number>, MaxTasks>& given,
                                           const slot_reservation<Number>& given_slot, const Convert& convert)
    -> edf_verdict<fraction_of<Number>> {
  using fraction = fraction_of<Number>;
  const auto part = as_fractions(given);
  const auto slot = as_fractions(given_slot);
  edf_verdict<fraction> out;
  if (settle_at_entry(part, slot, out)) { return out; }
  sporadic_demand<fraction, MaxTasks> demand;
  bool too_long = false;
  for (const auto& t : part.tasks) {
    const harmonic_conversion<fraction> c = convert(t, slot);
    if (!c.applicable) { return edf_verdict<fraction>::refused(edf_reason::not_applicable); }
    if (!is_number(c.task.wcet) || !is_number(c.task.deadline)) {
      return edf_verdict<fraction>::failed(verdict_status::overflow);
    }
    too_long = too_long || c.task.deadline < c.task.wcet;
    static_cast<void>(demand.add(c.task.wcet, c.task.deadline, c.task.period));
  }
  if (too_long) { return edf_verdict<fraction>::refused(edf_reason::job_exceeds_deadline); }
  return judge_demand<Report>(demand, dedicated_processor<fraction>{}, no_blocking<fraction>{});
}

}  // namespace detail

/// Tests EDF inside a slot after the harmonic conversion, for strictly periodic tasks released with the slot table.
/// With deadline = period its verdict is that of `slot_supply_edf`, at the price of no more than a plain EDF test.
/// Source: Zahaf and Lipari 2020, Theorem 6, made sound for deadline < period.
template <edf_report Report = edf_report::least_slack, class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto slot_harmonic_edf(const task_rows<accelerator_task<Number>, MaxTasks>& part,
                                               const slot_reservation<Number>& slot)
    -> edf_verdict<fraction_of<Number>> {
  using fraction = fraction_of<Number>;
  return detail::converted_edf<Report>(
      part, slot,
      [](const accelerator_task<fraction>& t, const slot_reservation<fraction>& s) { return convert_harmonic(t, s); });
}

}  // namespace takt::inline TAKT_ABI::analysis
