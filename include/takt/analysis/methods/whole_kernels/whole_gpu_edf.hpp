// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/demand/blocking.hpp>
#include <takt/analysis/methods/demand/edf_qpa.hpp>
#include <takt/analysis/methods/demand/edf_test.hpp>
#include <takt/analysis/methods/demand/supply.hpp>
#include <takt/analysis/methods/whole_kernels/parts.hpp>
#include <takt/core/choice.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Says when a job that has just become ready can find that another one started in the same instant.
enum class activation_timing : std::uint8_t {
  one_by_one,  ///< the blocker can be started at the very instant of the next activation; also continuous time
  batched,     ///< whole ticks, and all activations of a tick are known before a job starts
};
[[nodiscard]] constexpr auto last_of(activation_timing) noexcept -> activation_timing {
  return activation_timing::batched;
}

namespace detail {

/// Ticks by which a blocker must have started before the job that it blocks.
[[nodiscard]] constexpr auto head_start(activation_timing order) noexcept -> std::int64_t {
  switch (order) {
    case activation_timing::one_by_one: return 0;
    case activation_timing::batched: return 1;
  }
  return 0;
}

/// Returns the longest preemption cost of a task with a later deadline than task j. Cost: one pass.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto cost_of_preempting(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                                std::size_t j) -> Number {
  Number longest(0);
  for (const auto& other : table.tasks) {
    if (table.tasks[j].deadline < other.deadline && longest < other.preemption_cost) {
      longest = other.preemption_cost;
    }
  }
  return longest;
}

/// Returns whether at least `wanted` different deadlines are later than that of task l. Cost: tasks^2.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto later_deadlines(const task_rows<accelerator_task<Number>, MaxTasks>& table, std::size_t l,
                                             std::int32_t wanted) -> bool {
  Number from = table.tasks[l].deadline;
  for (; wanted > 0; --wanted) {
    bool found = false;
    Number next = from;
    for (const auto& t : table.tasks) {
      const Number& d = t.deadline;
      if (from < d && (!found || d < next)) {
        next = d;
        found = true;
      }
    }
    if (!found) { return false; }
    from = next;
  }
  return true;
}

/// Holds what the tasks on a stack of nested kernels need, and what can hold them up.
template <class Number, std::size_t MaxTasks>
struct stack_terms {
  sporadic_demand<Number, MaxTasks> demand;
  deadline_blocking<Number, MaxTasks> blocking;
};

template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto level_stack_terms(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                               std::int32_t levels, preemption_cost_model model)
    -> stack_terms<Number, MaxTasks> {
  stack_terms<Number, MaxTasks> out;
  for (std::size_t l = 0; l < table.size(); ++l) {
    const auto& t = table.tasks[l];
    const Number cost = levels == 1 ? Number(0) : cost_of_preempting(table, l);
    const auto charge = charges_of(model, cost, levels == 1 ? Number(0) : t.preemption_cost);
    static_cast<void>(out.demand.add(t.wcet + charge.job, t.deadline, t.period));
    const bool whole = later_deadlines(table, l, levels - 1);
    out.blocking.add(t.deadline, whole ? Number(t.wcet + cost) : charge.blocking);
  }
  return out;
}

/// EDF on a single stream: one kernel is resident and runs to its end. Exact for sporadic releases in continuous time,
/// sufficient for any. Source: Jeffay et al. 1991, George et al. 1996; Zahaf and Lipari 2020, Theorem 1, corrected.
template <edf_report Report = edf_report::least_slack, class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto single_stream_edf(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                               activation_timing order = activation_timing::one_by_one)
    -> edf_verdict<Number> {
  if (!is_known(order)) { return edf_verdict<Number>::invalid({.fault = model_fault::choice_out_of_range}); }
  if (const auto error = detail::entry_fault(table)) { return edf_verdict<Number>::invalid(error); }
  deadline_blocking<Number, MaxTasks> blocking;
  const Number ahead(detail::head_start(order));
  for (const auto& t : table.tasks) { blocking.add(t.deadline, t.wcet - ahead); }
  return judge_demand<Report>(demand_of(table), dedicated_processor<Number>{}, blocking);
}

}  // namespace detail

/// Tests EDF on a stack of nested kernels, at most `levels` of them started. Sufficient for any releases.
///
/// A kernel blocks for its whole time only from the top of a full stack. So levels - 1 kernels of later deadlines are
/// below it; it may itself first wait for the wave of one of them. A job is charged the longest wave that it can cut
/// short where the cost is lost (overhead) or spent on the wrong kernel (race). Source: Zahaf and Lipari 2020, Lemma 1,
/// with blockers and charges corrected; the ideal model after Baruah 2005. Error: `platform_size_out_of_range` where
/// levels < 1.
template <edf_report Report = edf_report::least_slack, class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto level_stack_edf(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                             std::int32_t levels,
                                             preemption_cost_model model = preemption_cost_model::race)
    -> edf_verdict<Number> {
  if (const auto error = detail::stack_fault(table, levels, model)) { return edf_verdict<Number>::invalid(error); }
  const auto terms = detail::level_stack_terms(table, levels, model);
  return detail::judge_demand<Report>(terms.demand, detail::dedicated_processor<Number>{}, terms.blocking);
}

namespace detail {

/// Tests event-driven gang EDF with ideal preemption on any number of cores, with backfilling or in strict order. The
/// first ready job always runs, so it is safe to treat all kernels as running one after the other.
template <edf_report Report = edf_report::least_slack, class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto gang_serial_edf(const task_rows<accelerator_task<Number>, MaxTasks>& table)
    -> edf_verdict<Number> {
  if (const auto error = detail::entry_fault(table)) { return edf_verdict<Number>::invalid(error); }
  return judge_demand<Report>(demand_of(table), dedicated_processor<Number>{}, no_blocking<Number>{});
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
