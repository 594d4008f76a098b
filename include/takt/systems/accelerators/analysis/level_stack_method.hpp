// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/method_list.hpp>
#include <takt/analysis/methods/demand/edf_verdict.hpp>
#include <takt/analysis/methods/whole_kernels/fixed_priority.hpp>
#include <takt/analysis/methods/whole_kernels/whole_gpu_edf.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/servers/forward.hpp>
#include <takt/systems/accelerators/analysis/kernel_method.hpp>
#include <takt/systems/accelerators/analysis/single_stream_method.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Judges nested kernels, at most `levels`. A run must miss if it would with all preemptions free.
template <KernelOrder Order, std::size_t MaxTasks>
[[nodiscard]] constexpr auto judge_levels(const task_rows<accelerator_task<ticks>, MaxTasks>& table,
                                          std::int32_t levels, preemption_cost_model cost)
    -> part_result<ticks, MaxTasks> {
  if (levels == 1) { return judge_single_stream<Order>(table); }
  part_result<ticks, MaxTasks> out;
  if constexpr (EarliestDeadlineFirst<Order>) {
    out = part_result<ticks, MaxTasks>{level_stack_edf(table, levels, cost)};
  } else {
    out = part_result<ticks, MaxTasks>{level_stack_fixed_priority(table, detail::ranks<Order>(table), levels, cost)};
  }
  out.must_miss = out.fails() && detail::fails(gang_serial_edf<edf_report::verdict_only>(table));
  return out;
}

/// Nests kernels by stream priorities, as the rule's state machine does.
template <class R>
concept NestsKernels =
    AcceleratorRule<R> && ChoosesCosts<R> && std::same_as<takt::detail::strategy_type<R>, level_stack<1>>;

/// Judges kernels of which one that goes first is started above others while a stream priority is left.
template <KernelOrder Order>
struct level_stack_method : kernel_method<level_stack_method<Order>> {
  static constexpr std::string_view name =
      EarliestDeadlineFirst<Order> ? "level-stack-edf" : "level-stack-fixed-priority";

  template <std::size_t MaxTasks, class Rule>
  static constexpr void judge_parts(const task_rows<accelerator_task<ticks>, MaxTasks>& table,
                                    const accelerator_record& accelerator, const Rule& rule,
                                    accelerator_evidence<ticks, MaxTasks>& out) {
    detail::add_part(out, table, unassigned_core, judge_levels<Order>(table, accelerator.preemption_levels, rule.cost));
  }
};
template <class P>
concept NestedKernels = HasAccelerator<P> && NestsKernels<typename P::accelerator_rule>;
/// Knows nested kernels.
struct nested_kernels : method_family {
  template <NestedKernels P>
  using on = level_stack_method<kernel_order<typename P::accelerator_rule>>;
};

}  // namespace takt::inline TAKT_ABI::analysis::detail
