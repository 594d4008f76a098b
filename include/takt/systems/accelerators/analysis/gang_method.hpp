// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/method_list.hpp>
#include <takt/analysis/methods/demand/edf_verdict.hpp>
#include <takt/analysis/methods/whole_kernels/parts.hpp>
#include <takt/analysis/methods/whole_kernels/whole_gpu_edf.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/servers/forward.hpp>
#include <takt/systems/accelerators/analysis/kernel_method.hpp>
#include <takt/systems/accelerators/analysis/level_stack_method.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Judges kernels that preempt one another at every event, on the same cores, without a limit to nesting. With pinned
/// and gang tasks in one set, the first in order always runs if a kernel stops anywhere; no test is known otherwise.
template <KernelOrder Order, std::size_t MaxTasks>
[[nodiscard]] constexpr auto judge_gang(const task_rows<accelerator_task<ticks>, MaxTasks>& table, bool mixed)
    -> part_result<ticks, MaxTasks> {
  if (mixed && !detail::stops_anywhere(table)) {
    return part_result<ticks, MaxTasks>{edf_verdict<ticks>::refused(edf_reason::not_applicable)};
  }
  const auto unlimited = static_cast<std::int32_t>(table.size()) + 1;
  return judge_levels<Order>(table, unlimited, preemption_cost_model::ideal);
}

/// Returns whether pinned and gang tasks of one core ask for more than it has, in some window.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto core_must_miss(const task_rows<accelerator_task<ticks>, MaxTasks>& table,
                                            std::int32_t core) -> bool {
  task_rows<accelerator_task<ticks>, MaxTasks> together = pinned_tasks(table, core);
  const auto gang = gang_tasks(table);
  // Bound: no task is both pinned and a gang.
  for (const auto& t : gang.tasks) { together.tasks.unchecked_push_back(t); }
  return detail::fails(gang_serial_edf<edf_report::verdict_only>(together));
}

/// Gives the kernels that go first the cores they ask for, whenever a job comes or goes.
template <class R>
concept GangScheduled = AcceleratorRule<R> && requires { typename R::gang_order; } &&
                        std::same_as<takt::detail::strategy_type<R>, event_driven_gang<1, 1, typename R::gang_order>>;

/// Judges kernels that preempt one another whenever one comes or goes, on one core or on all.
template <KernelOrder Order>
struct gang_method : kernel_method<gang_method<Order>> {
  static constexpr std::string_view name = EarliestDeadlineFirst<Order> ? "gang-edf" : "gang-fixed-priority";

  template <std::size_t MaxTasks, class Rule>
  static constexpr void judge_parts(const task_rows<accelerator_task<ticks>, MaxTasks>& table,
                                    const accelerator_record& /*accelerator*/, const Rule& /*rule*/,
                                    accelerator_evidence<ticks, MaxTasks>& out) {
    const std::size_t gang = gang_tasks(table).size();
    bool must_miss = false;
    detail::for_each_core(table, [&](std::int32_t core, const auto& part) {
      if (gang == 0) { detail::add_part(out, part, core, judge_gang<Order>(part, false)); }
      must_miss = must_miss || core_must_miss(table, core);
    });
    if (gang > 0) {
      auto answer = judge_gang<Order>(table, gang < table.size());
      answer.must_miss = answer.fails() && (gang == table.size() ? answer.must_miss : must_miss);
      detail::add_part(out, table, unassigned_core, answer);
    }
  }
};
template <class P>
concept GangKernels = HasAccelerator<P> && GangScheduled<typename P::accelerator_rule>;
/// Knows kernels that run as gangs.
struct gang_kernels : method_family {
  template <GangKernels P>
  using on = gang_method<kernel_order<typename P::accelerator_rule>>;
};

}  // namespace takt::inline TAKT_ABI::analysis::detail
