// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/whole_kernels/fixed_order.hpp>
#include <takt/analysis/methods/whole_kernels/whole_gpu_edf.hpp>
#include <takt/systems/accelerators/analysis/harmonic_edf.hpp>
#include <takt/systems/accelerators/analysis/slot_periodic_edf.hpp>

/// Holds tests as Zahaf and Lipari 2020 print them, with typing errors repaired and nothing else. They accept sets that
/// miss deadlines, see docs/errata.md.
namespace takt::inline TAKT_ABI::analysis::as_published {

/// Lemma 1: blockers up to task n - PL - 1 in deadline order, and one charge per prefix of the tasks instead of one per
/// task.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto level_stack_edf(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                             std::int32_t levels) -> edf_verdict<Number> {
  using verdict = edf_verdict<Number>;
  if (const auto error = analysis::detail::entry_fault(table)) { return verdict::invalid(error); }
  const auto order = rank(table, by_relative_deadline{});
  const std::size_t size = order.size();
  Number period(0);
  if (!demand_of(table).repeats(period)) { return verdict::failed(verdict_status::overflow); }
  std::int64_t windows = default_window_limit;
  for (std::size_t i = 0; i < size; ++i) {
    Number charge(0);
    Number blocking(0);
    for (std::size_t l = i + 1; l < size; ++l) {
      const auto& later = table.tasks[order[l]];
      if (charge < later.preemption_cost) { charge = later.preemption_cost; }
      const auto published_last = static_cast<std::int64_t>(size) - levels - 1;
      if (static_cast<std::int64_t>(l) < published_last && blocking < later.wcet) { blocking = later.wcet; }
    }
    sporadic_demand<Number, MaxTasks> demand;
    for (std::size_t j = 0; j <= i; ++j) {
      const auto& t = table.tasks[order[j]];
      static_cast<void>(demand.add(Number(t.wcet + charge), t.deadline, t.period));
    }
    switch (detail::compare_load(demand, detail::dedicated_processor<Number>{})) {
      case detail::load_comparison::above: return verdict::refused(edf_reason::load_exceeds_supply);
      case detail::load_comparison::unknown: return verdict::failed(verdict_status::overflow);
      case detail::load_comparison::below:
      case detail::load_comparison::equal: break;
    }
    if (!demand.fits(period)) { return verdict::failed(verdict_status::overflow); }
    for (Number t = table.tasks[order[i]].deadline; !(period < t);) {
      if (windows-- <= 0) { return verdict::refused(edf_reason::too_many_windows); }
      const demand_at<Number> now = demand.at(t);
      const Number slack = t - now.work - blocking;
      if (!is_number(slack)) { return verdict::failed(verdict_status::overflow); }
      if (slack < Number(0)) {
        return {.reason = edf_reason::demand_exceeds_supply, .has_point = true, .at = t, .slack = slack};
      }
      t = now.next;
    }
  }
  return {.status = verdict_status::schedulable};
}

/// Applies theorem 4, which leaves out a job that finds no slot time at all.
template <edf_report Report = edf_report::least_slack, std::size_t MaxChunks = default_max_chunks, class Number,
          std::size_t MaxTasks>
[[nodiscard]] constexpr auto slot_abstraction_edf(const task_rows<accelerator_task<Number>, MaxTasks>& part,
                                                  const slot_reservation<Number>& slot) -> edf_verdict<Number> {
  return analysis::detail::abstraction_edf<Report, MaxChunks, analysis::detail::starved_jobs::drop>(part, slot);
}

/// Applies definition 3, which does not look at the deadline. Pre: neither has a fault, budget > 0.
template <ExactFraction Number>
[[nodiscard]] constexpr auto convert_harmonic(const accelerator_task<Number>& t, const slot_reservation<Number>& slot)
    -> harmonic_conversion<Number> {
  TAKT_EXPECTS(takt::detail::kernel_fault(t) == model_fault::none && !takt::detail::slot_fault(slot) &&
               Number(0) < slot.budget);
  if (!analysis::convert_harmonic(t, slot).applicable) { return {}; }
  const Number period = slot.period < t.period ? slot.period : t.period;
  const Number gap = slot.period - slot.budget;
  const Number deadline = gap < period ? Number(period - gap) : Number(0);
  return {true, {Number(t.wcet / takt::detail::ceil_quotient(t.period, slot.period)), deadline, period}};
}

/// Theorem 6 for tasks with deadlines below their periods, too.
template <edf_report Report = edf_report::least_slack, class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto slot_harmonic_edf(const task_rows<accelerator_task<Number>, MaxTasks>& part,
                                               const slot_reservation<Number>& slot)
    -> edf_verdict<fraction_of<Number>> {
  using fraction = fraction_of<Number>;
  return analysis::detail::converted_edf<Report>(
      part, slot, [](const accelerator_task<fraction>& t, const slot_reservation<fraction>& s) {
        return as_published::convert_harmonic(t, s);
      });
}

}  // namespace takt::inline TAKT_ABI::analysis::as_published
