// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/method_list.hpp>
#include <takt/analysis/methods/demand/edf_verdict.hpp>
#include <takt/analysis/methods/whole_kernels/fixed_order.hpp>
#include <takt/analysis/methods/whole_kernels/parts.hpp>
#include <takt/analysis/methods/whole_kernels/slot_edf.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/servers/forward.hpp>
#include <takt/systems/accelerators/analysis/kernel_method.hpp>
#include <takt/systems/accelerators/analysis/slot_guarded_fixed_priority.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Judges tasks of one core, or those that need all, in their slot. The tests are exact where kernels stop anywhere.
template <KernelOrder Order, std::size_t MaxTasks>
[[nodiscard]] constexpr auto judge_slot(const task_rows<accelerator_task<ticks>, MaxTasks>& part,
                                        const slot_reservation<ticks>& slot) -> part_result<ticks, MaxTasks> {
  const bool exact = detail::stops_anywhere(part);
  part_result<ticks, MaxTasks> out;
  if constexpr (EarliestDeadlineFirst<Order>) {
    out = part_result<ticks, MaxTasks>{exact ? slot_supply_edf(part, slot) : slot_guarded_edf(part, slot)};
  } else {
    out = part_result<ticks, MaxTasks>{slot_guarded_fixed_priority(part, detail::ranks<Order>(part), slot)};
    for (std::size_t i = 0; exact && i < part.size(); ++i) {
      out.must_miss = out.must_miss || (out.bounds.tasks[i].evaluated && !out.bounds.tasks[i].meets);
    }
  }
  out.must_miss =
      out.must_miss || (out.fails() && detail::fails(slot_supply_edf<edf_report::verdict_only>(part, slot)));
  return out;
}

/// Judges each core by itself in one slot, kernels for all cores in another.
template <class R>
concept ServesSlots =
    AcceleratorRule<R> && ReservesSlots<R> && std::same_as<takt::detail::strategy_type<R>, slotted_cores<1, 1>>;

/// Judges kernels in slots, core by core: decided exactly where they stop anywhere.
template <KernelOrder Order>
struct slot_method : kernel_method<slot_method<Order>> {
  static constexpr std::string_view name = EarliestDeadlineFirst<Order> ? "slot-edf" : "slot-fixed-priority";

  template <std::size_t MaxTasks, class Rule>
  static constexpr void judge_parts(const task_rows<accelerator_task<ticks>, MaxTasks>& table,
                                    const accelerator_record& /*accelerator*/, const Rule& rule,
                                    accelerator_evidence<ticks, MaxTasks>& out) {
    detail::for_each_core(table, [&](std::int32_t core, const auto& part) {
      detail::add_part(out, part, core, judge_slot<Order>(part, rule.pinned));
    });
    if (const auto part = gang_tasks(table); part.size() > 0) {
      detail::add_part(out, part, unassigned_core, judge_slot<Order>(part, rule.gang));
    }
  }
};
template <class P>
concept SlottedKernels = HasAccelerator<P> && ServesSlots<typename P::accelerator_rule>;
/// Knows kernels in slots.
struct slotted_kernels : method_family {
  template <SlottedKernels P>
  using on = slot_method<kernel_order<typename P::accelerator_rule>>;
};

}  // namespace takt::inline TAKT_ABI::analysis::detail
