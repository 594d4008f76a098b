// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/runtime_tasks/deadlines.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/runtime_visits.hpp>
#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Returns what keeps a published method from reading a run-time workload, with the name of the task; a visit by its
/// position in its task. Where a fact is missing, `lacks` says which would do.
template <class RuntimeTasks>
[[nodiscard]] constexpr auto mismatch_at(const RuntimeTasks& tasks, model_fault fault, std::size_t task,
                                         std::size_t visit = no_index, const lacking_facts& facts = {}) -> model_error {
  model_error out = fault_at(fault, task, visit);
  out.lacks = facts;
  return located(out, tasks.tasks);
}
template <class RuntimeTasks>
[[nodiscard]] constexpr auto fact_missing(const RuntimeTasks& tasks, const lacking_facts& facts, std::size_t task,
                                          std::size_t visit) -> model_error {
  return mismatch_at(tasks, model_fault::visit_time_unknown, task, visit, facts);
}

/// Returns what is wrong with an edge between jobs.
template <class RuntimeTasks>
[[nodiscard]] constexpr auto history_mismatch(const RuntimeTasks& tasks) -> model_error {
  return located(takt::detail::history_fault(tasks), tasks.tasks);
}

/// Returns an error about a table of visits of all tasks, as one that counts within its task.
template <class RuntimeTasks>
[[nodiscard]] constexpr auto in_task(const RuntimeTasks& tasks, model_error e) -> model_error {
  if (e && e.task < tasks.size() && e.visit != no_index) { e.visit -= tasks.tasks[e.task].first_visit; }
  return located(e, tasks.tasks);
}

}  // namespace detail

/// Returns whether each visit of a task follows the one before and no other.
template <class RuntimeTasks>
[[nodiscard]] constexpr auto is_chain(const RuntimeTasks& tasks, std::size_t task) -> bool {
  for (std::uint32_t p = 0; p < tasks.tasks[task].visit_count; ++p) {
    const visit_mask before = p == 0 ? 0 : visit_mask{1} << (p - 1);
    if (tasks.visit(task, p).predecessors != before) { return false; }
  }
  return true;
}

namespace detail {

/// Turns a verdict for deadlines that were brought forward into one for those that were given. `unschedulable` says
/// nothing of a later deadline.
template <class RuntimeTasks, class Verdict>
constexpr void give_back_deadlines(const RuntimeTasks& tasks, Verdict& out) {
  bool all_asked = true;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const runtime_task& t = tasks.tasks[i];
    all_asked = all_asked && asks_for_its_deadline(t);
    if (i >= out.tasks.size()) { continue; }
    out.tasks[i].limited = t.limited;
    out.tasks[i].deadline = t.limited ? t.deadline : t.period;
  }
  if (!all_asked && out.status == verdict_status::unschedulable) { out.status = verdict_status::not_proven; }
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
