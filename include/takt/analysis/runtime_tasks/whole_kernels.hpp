// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/runtime_tasks/kernel_rows.hpp>
#include <takt/analysis/runtime_tasks/mismatch.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/rules/kernel_views.hpp>
#include <takt/rules/visit_view.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Returns a GPU as the views of rules see it, as one whole.
[[nodiscard]] constexpr auto whole_gpu_of(const gpu_hardware& g) noexcept -> gpu_record {
  return {.sms = g.sms,
          .virtual_per_sm = g.virtual_per_sm,
          .granularity = g.granularity,
          .speed = g.speed,
          .residency = g.residency()};
}

/// Returns what keeps run-time tasks from being one kernel each on the one GPU of a board.
template <class RuntimeTasks>
[[nodiscard]] constexpr auto whole_kernel_fault(const RuntimeTasks& tasks, const hardware& board) -> model_error {
  if (board.gpus.empty()) { return {.fault = model_fault::kernel_without_gpu}; }
  if (board.gpus.size() > 1) { return {.fault = model_fault::one_core_and_gpu_only}; }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const runtime_task& t = tasks.tasks[i];
    if (t.jitter != 0) { return mismatch_at(tasks, model_fault::workload_part_unused, i); }
    if (t.visit_count == 0) { return mismatch_at(tasks, model_fault::empty_chain, i); }
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      if (p > 0 || tasks.visit(i, p).where != resource_kind::gpu) {
        return mismatch_at(tasks, model_fault::workload_part_unused, i, p);
      }
    }
  }
  return history_mismatch(tasks);
}

}  // namespace detail

struct kernels_reading {
  model_error why{};
  bool times_are_given = true;  ///< else some kernel may always be faster than the table says
};

/// Reads run-time tasks of one kernel each as tasks of an accelerator. A kernel that does not say what it costs to
/// stop it runs to its end: the cost is its time. Pre: the table is empty.
template <class RuntimeTasks, class Table>
[[nodiscard]] constexpr auto read_whole_kernels(const RuntimeTasks& tasks, const hardware& board, Table& out,
                                                preemption_cost_model model = preemption_cost_model::race)
    -> kernels_reading {
  TAKT_EXPECTS(out.size() == 0);
  kernels_reading found{.why = detail::whole_kernel_fault(tasks, board)};
  for (std::size_t i = 0; !found.why && i < tasks.size(); ++i) {
    const runtime_task& t = tasks.tasks[i];
    const runtime_visit& v = tasks.visit(i, 0);
    if (is_after_period(t)) {  // the one deadline of the table orders jobs, too
      found.why = detail::mismatch_at(tasks, model_fault::deadline_exceeds_period, i);
      return found;
    }
    const visit_view seen = stoppable_time(kernel_of(tasks, v), detail::whole_gpu_of(board.gpus[0]), model);
    if (seen.fault != model_fault::none) {
      found.why = detail::mismatch_at(tasks, seen.fault, i, 0, seen.lacks);
      return found;
    }
    found.times_are_given = found.times_are_given && v.known.has(visit_fact::wcet);
    const bool is_pinned = detail::is_pinned(v);
    const bool residency = out.add({.name = t.name,
                                    .wcet = seen.time.upper,
                                    .period = t.period,
                                    .deadline = detail::deadline_to_prove(t),
                                    .preemption_cost = seen.values.at[0],
                                    .width = is_pinned ? kernel_width::one_core : kernel_width::all_cores,
                                    .core = is_pinned ? v.sm : unassigned_core,
                                    .priority = t.priority});
    if (!residency) { found.why = detail::mismatch_at(tasks, model_fault::too_many_tasks, i); }
  }
  return found;
}

}  // namespace takt::inline TAKT_ABI::analysis
