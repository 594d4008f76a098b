// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>

#include <takt/analysis/runtime_tasks/mismatch.hpp>
#include <takt/analysis/runtime_tasks/widened.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/systems/locked_gpus/analysis/analyze.hpp>
#include <takt/systems/locked_gpus/analysis/runtime_tasks.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>

namespace takt::inline TAKT_ABI {

/// Returns what the published method of locked GPUs says of run-time tasks on `locked`: clusters, protocol, engines,
/// costs of copies and overheads. `board` says what a kernel takes on its GPUs. A plan may say other clusters: of CPUs
/// in `cores`, of GPUs in `shares`. A task without a deadline needs a bound only; under EDF and fair lateness its
/// period takes the place in its priority. Error: a missing fact, or what is no such task, with its task and visit.
template <class RuntimeTasks, GpusyncPlatform Locked, std::size_t N = 1, std::size_t V = 0>
  requires std::same_as<typename Locked::number, ticks>
[[nodiscard]] constexpr auto judge_locked_gpus(const RuntimeTasks& tasks, const hardware& board, const Locked& locked,
                                               const plan<N, V>& p = {},
                                               const analysis::gpusync::options<ticks>& how = {})
    -> verdict<ticks, RuntimeTasks::max_tasks, RuntimeTasks::max_visits> {
  verdict<ticks, RuntimeTasks::max_tasks, RuntimeTasks::max_visits> out;
  out.method = analysis::gpusync_method::name;
  const gpusync_configuration& shape = locked.configuration();
  analysis::detail::locked_gpu_table<RuntimeTasks> table;
  model_error error{.fault = fault_of(shape)};
  if (!error) { error = analysis::read_sections(tasks, board, shape, table); }
  if (!error) { error = parts_fault(p, detail::gpusync_plan_parts, tasks.size()); }
  if (error) {
    out.refuse(located(error, tasks.tasks));
    return out;
  }
  out = analysis::widened<RuntimeTasks::max_visits>(
      analysis::gpusync_method::judge(locked, table, analysis::detail::resized<RuntimeTasks::max_tasks, 0>(p), how));
  for (std::size_t i = 0; i < out.tasks.size(); ++i) {
    if (tasks.tasks[i].limited) {
      out.limit(i, tasks.tasks[i].deadline);
    } else {
      out.tasks[i].limited = false;
      out.tasks[i].meets = out.tasks[i].bound.exists;
    }
  }
  out.plan.feasible = out.schedulable();
  return out;
}

}  // namespace takt::inline TAKT_ABI
