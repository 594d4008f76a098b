// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/method_list.hpp>
#include <takt/analysis/methods/demand/edf_verdict.hpp>
#include <takt/analysis/methods/whole_kernels/fixed_order.hpp>
#include <takt/analysis/methods/whole_kernels/whole_gpu_edf.hpp>
#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/systems/accelerators/analysis/kernel_method.hpp>
#include <takt/systems/accelerators/analysis/single_stream_fixed_priority.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Returns whether the first job of task `order[i]` misses in this run. The longest lower kernel starts one tick before
/// all higher tasks are released together, and these are released one tick before the task itself. It counts for less
/// than the bound where events coincide, so a miss does not rest on their order.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto first_job_misses(const task_rows<accelerator_task<ticks>, MaxTasks>& table,
                                              const rank_order<MaxTasks>& order, std::size_t i) -> bool {
  const auto& t = table.tasks[order[i]];
  ticks before = 0;
  for (std::size_t l = i + 1; l < order.size(); ++l) {
    const ticks rest = table.tasks[order[l]].wcet - 1;
    before = before < rest ? rest : before;
  }
  ticks window = 1;
  for (std::int64_t step = 0; step < default_iteration_limit; ++step) {
    ticks work = before;
    for (std::size_t j = 0; j < i; ++j) {
      const auto& higher = table.tasks[order[j]];
      if (!add_jobs(work, takt::detail::ceil_quotient(window, higher.period), higher.wcet)) { return false; }
    }
    ticks end = 0;
    if (!add_exactly(work, t.wcet, end)) { return false; }
    if (end - 1 > t.deadline) { return true; }
    if (work <= window) { return false; }
    window = work;
  }
  return false;
}

/// Judges one kernel after the other.
template <KernelOrder Order, std::size_t MaxTasks>
[[nodiscard]] constexpr auto judge_single_stream(const task_rows<accelerator_task<ticks>, MaxTasks>& table)
    -> part_result<ticks, MaxTasks> {
  if constexpr (EarliestDeadlineFirst<Order>) {
    part_result<ticks, MaxTasks> out{single_stream_edf(table)};
    out.must_miss =
        out.fails() && detail::fails(single_stream_edf<edf_report::verdict_only>(table, activation_timing::batched));
    return out;
  } else {
    const auto order = detail::ranks<Order>(table);
    part_result<ticks, MaxTasks> out{single_stream_fixed_priority(table, order)};
    out.must_miss = out.fails() && detail::fails(gang_serial_edf<edf_report::verdict_only>(table));
    for (std::size_t i = 0; out.fails() && i < order.size(); ++i) {
      out.must_miss = out.must_miss || (!out.bounds.tasks[order[i]].meets && detail::first_job_misses(table, order, i));
    }
    return out;
  }
}

/// Judges kernels one at a time, each to its end: decided exactly.
template <KernelOrder Order>
struct single_stream_method : kernel_method<single_stream_method<Order>> {
  static constexpr std::string_view name =
      EarliestDeadlineFirst<Order> ? "single-stream-edf" : "single-stream-fixed-priority";

  template <std::size_t MaxTasks, class Rule>
  static constexpr void judge_parts(const task_rows<accelerator_task<ticks>, MaxTasks>& table,
                                    const accelerator_record& /*accelerator*/, const Rule& /*rule*/,
                                    accelerator_evidence<ticks, MaxTasks>& out) {
    detail::add_part(out, table, unassigned_core, judge_single_stream<Order>(table));
  }
};
template <class P>
concept OneStream = HasAccelerator<P> && takt::detail::SingleStream<typename P::accelerator_rule>;
/// Knows kernels one at a time.
struct single_stream_kernels : method_family {
  template <OneStream P>
  using on = single_stream_method<kernel_order<typename P::accelerator_rule>>;
};

}  // namespace takt::inline TAKT_ABI::analysis::detail
