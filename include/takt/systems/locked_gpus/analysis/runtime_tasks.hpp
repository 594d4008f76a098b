// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/runtime_tasks/kernel_rows.hpp>
#include <takt/analysis/runtime_tasks/mismatch.hpp>
#include <takt/analysis/runtime_tasks/shapes.hpp>
#include <takt/analysis/runtime_tasks/whole_kernels.hpp>
#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/visit_fact.hpp>
#include <takt/rules/kernel_views.hpp>
#include <takt/rules/visit_view.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Holds tasks on locked GPUs that run-time ones become, with room for so many kernels in a section.
template <class RuntimeTasks, std::size_t MaxKernels = detail::most_section_kernels>
using locked_gpu_table = task_rows<gpusync_task<ticks, MaxKernels>, RuntimeTasks::max_tasks>;

/// Alone on the slowest GPU of a board.
[[nodiscard]] constexpr auto time_on_any_gpu(const runtime_kernel& k, const hardware& board) -> visit_view {
  if (board.gpus.empty()) { return time_on_gpu(k, gpu_record{}); }
  visit_view out = time_on_gpu(k, whole_gpu_of(board.gpus[0]));
  for (std::size_t g = 1; g < board.gpus.size(); ++g) {
    out = joined(out, time_on_gpu(k, whole_gpu_of(board.gpus[g])));
  }
  return out;
}

/// Holds the visits of a task's one token section: those that are marked, or else what lies between two CPU visits.
struct section_span {
  std::uint32_t first = 0;
  std::uint32_t end = 0;             ///< `first` where there is none
  std::uint32_t outside = no_index;  ///< a visit of a device, or a second section, that is not part of it
};
template <class RuntimeTasks>
[[nodiscard]] constexpr auto section_of(const RuntimeTasks& tasks, std::size_t task) -> section_span {
  section_span out;
  bool marked = false;
  for (std::uint32_t p = 0; p < tasks.tasks[task].visit_count; ++p) {
    marked = marked || tasks.visit(task, p).in_section;
  }
  for (std::uint32_t p = 0; p < tasks.tasks[task].visit_count; ++p) {
    const runtime_visit& v = tasks.visit(task, p);
    const bool on_device = v.where != resource_kind::processor;
    if (!(marked ? v.in_section : on_device)) {
      if (on_device && out.outside == no_index) { out.outside = p; }
      continue;
    }
    if (out.first == out.end) {
      out.first = p;
    } else if (p != out.end && out.outside == no_index) {
      out.outside = p;
    }
    out.end = p + 1;
  }
  return out;
}

/// Adds a visit of a token section to a task.
template <class RuntimeTasks, class Task>
[[nodiscard]] constexpr auto add_to_section(const RuntimeTasks& tasks, const hardware& board, std::size_t task,
                                            std::uint32_t position, Task& out) -> model_error {
  const runtime_visit& v = tasks.visit(task, position);
  const auto refuse = [&](model_fault fault) { return mismatch_at(tasks, fault, task, position); };
  const std::int64_t state = v.known.has(visit_fact::state) ? v.state : 0;
  if (state < 0) { return refuse(model_fault::negative_bytes); }
  if (!checked_add(out.bytes_state, state, out.bytes_state)) { return refuse(model_fault::time_overflow); }
  if (v.where == resource_kind::gpu) {
    const visit_view seen = time_on_any_gpu(kernel_of(tasks, v), board);
    if (seen.fault != model_fault::none) { return mismatch_at(tasks, seen.fault, task, position, seen.lacks); }
    return out.kernels.try_push_back(seen.time.upper) ? model_error{} : refuse(model_fault::too_many_kernels);
  }
  if (v.where == resource_kind::copy_engine) {
    if (!v.known.has(visit_fact::bytes)) {
      const bool is_none = v.known.has(visit_fact::time) && v.time.upper == 0;
      return is_none ? model_error{} : fact_missing(tasks, lacks(visit_fact::bytes), task, position);
    }
    const bool back = v.direction == to_host || (v.direction == copy_direction::unspecified && !out.kernels.empty());
    if (v.bytes < 0) { return refuse(model_fault::negative_bytes); }
    std::int64_t& sum = back ? out.bytes_out : out.bytes_in;
    return checked_add(sum, v.bytes, sum) ? model_error{} : refuse(model_fault::time_overflow);
  }
  return {};
}

}  // namespace detail

/// Run-time chains with at most one token section as tasks on locked GPUs: the section is what they mark as one, or
/// what lies between two CPU visits. Kernels run alone on the whole of any GPU; copies are their bytes, of no direction
/// into the GPU before the first kernel and out of it after. Cores are clusters of CPUs, and the GPU cluster is the
/// first that serves them. Pre: the configuration is without fault, the table empty.
template <class RuntimeTasks, class Table>
[[nodiscard]] constexpr auto read_sections(const RuntimeTasks& tasks, const hardware& board,
                                           const gpusync_configuration& shape, Table& out) -> model_error {
  TAKT_EXPECTS(out.size() == 0);
  if (!tasks.history.empty()) {  // jobs that may be late meet the next ones
    return detail::mismatch_at(tasks, model_fault::edge_between_jobs, tasks.history[0].task);
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const runtime_task& t = tasks.tasks[i];
    if (t.jitter != 0) { return detail::mismatch_at(tasks, model_fault::workload_part_unused, i); }
    if (shape.scheduler.task_level && is_after_period(t)) {
      return detail::mismatch_at(tasks, model_fault::deadline_exceeds_period, i);
    }
    if (!is_chain(tasks, i)) { return detail::mismatch_at(tasks, model_fault::chain_does_not_alternate, i); }
    for (std::size_t j = 0; j < i; ++j) {
      if (tasks.tasks[j].name == t.name) { return detail::mismatch_at(tasks, model_fault::duplicate_name, i); }
    }
    const detail::section_span section = detail::section_of(tasks, i);
    if (section.outside != no_index) {
      return detail::mismatch_at(tasks, model_fault::workload_part_unused, i, section.outside);
    }
    typename Table::task_type made;
    made.name = t.name;
    made.period = t.period;
    made.deadline = ordering_deadline(t);  // after the period where points are of jobs
    made.priority = t.priority;
    made.cpu_cluster = t.core == unassigned_core ? 0 : t.core;
    made.gpu = section.first != section.end;
    if (made.gpu && t.gpu != unassigned_core) { made.gpu_cluster = t.gpu; }
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      const runtime_visit& v = tasks.visit(i, p);
      const bool inside = p >= section.first && p < section.end;
      if (v.where == resource_kind::own) { return detail::mismatch_at(tasks, model_fault::unknown_resource, i, p); }
      if (v.where == resource_kind::processor) {
        if (!v.known.has(visit_fact::time)) { return detail::fact_missing(tasks, lacks(visit_fact::time), i, p); }
        if (v.region > 0) { return detail::mismatch_at(tasks, model_fault::region_not_honoured, i, p); }
        const bool fits = checked_add(made.wcet, v.time.upper, made.wcet) &&
                          (!inside || checked_add(made.cpu_in_gpu_section, v.time.upper, made.cpu_in_gpu_section));
        if (!fits || v.time.upper < 0) {
          return detail::mismatch_at(tasks, fits ? model_fault::negative_time : model_fault::time_overflow, i, p);
        }
      }
      if (!inside) { continue; }
      if (const auto error = detail::add_to_section(tasks, board, i, p, made)) { return error; }
    }
    for (std::int32_t a = 0; made.gpu && made.gpu_cluster == no_cluster && a < shape.gpu_clusters(); ++a) {
      const bool known = made.cpu_cluster >= 0 && made.cpu_cluster < shape.cpu_clusters();
      if (known && shape.serves(a, made.cpu_cluster)) { made.gpu_cluster = a; }
    }
    if (!out.add(made)) { return detail::mismatch_at(tasks, model_fault::too_many_tasks, i); }
  }
  return {};
}

}  // namespace takt::inline TAKT_ABI::analysis
