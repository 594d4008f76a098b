// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/methods/whole_kernels/fixed_priority.hpp>
#include <takt/analysis/methods/whole_kernels/slot_edf.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Tests fixed priorities inside a slot where a kernel stops only at the end of a wave. The budget is shorter by the
/// guard band, and the longest wave of a lower task blocks once. Without preemption costs it is `slot_fixed_priority`.
/// For any releases. Pre: `order` names no task twice.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto slot_guarded_fixed_priority(const task_rows<accelerator_task<Number>, MaxTasks>& part,
                                                         const rank_order<MaxTasks>& order,
                                                         const slot_reservation<Number>& slot)
    -> verdict<Number, MaxTasks> {
  TAKT_EXPECTS(detail::names_each_once(order));
  verdict<Number, MaxTasks> out;
  if (!detail::open_verdict(part, order, "slot-guarded-fixed-priority", out)) { return out; }
  if (const auto error = takt::detail::slot_fault(slot)) {
    out.error = error;
    out.status = verdict_status::invalid_model;
    return out;
  }
  const Number guard = guard_band(part);
  const bool supplied = guard < slot.budget;
  detail::lower_blocker<Number> blocking[MaxTasks]{};  // by rank: the longest wave below
  for (std::size_t l = order.size(); l-- > 1;) {
    const Number& wave = part.tasks[order[l]].preemption_cost;
    blocking[l - 1] = blocking[l].time < wave
                          ? detail::lower_blocker<Number>{wave, static_cast<std::uint32_t>(order[l])}
                          : blocking[l];
  }
  inline_vector<detail::sporadic_task_load<Number>, MaxTasks> higher;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& t = part.tasks[order[i]];
    const auto id = static_cast<std::uint32_t>(order[i]);
    if (supplied) {
      const static_slot<Number> supply{Number(slot.budget - guard), slot.period};
      detail::enter(out, id, detail::served_response(higher, supply, Number(blocking[i].time + t.wcet), t.deadline));
      out.tasks[id].parts.add(term_kind::gpu, id, t.wcet);
      out.tasks[id].parts.add(term_kind::gpu_blocking, blocking[i].by, blocking[i].time);
      detail::say_served(higher, supply, out.tasks[id]);
    } else {
      detail::enter(out, id, detail::response<Number>{.state = detail::response_state::endless});
    }
    // Bound: one per task, at most MaxTasks.
    higher.unchecked_push_back({t.wcet, t.period, id});
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis::detail
