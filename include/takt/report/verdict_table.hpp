// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <takt/report/table.hpp>
#include <takt/report/verdict_summary.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

[[nodiscard]] inline auto bound_cell(const response_bound<ticks>& b) -> std::string {
  return b.exists ? in_milliseconds(b.value) : "-";
}

[[nodiscard]] inline auto answer_cell(const verdict_summary& v, const task_summary& t) -> std::string_view {
  if (t.meets) { return t.limited ? "yes" : "bounded"; }
  if (!t.evaluated && !t.because.empty()) { return "not reached"; }
  return t.limited || !v.bounds_tasks ? "not proven" : "no bound";
}

/// Returns the deadline of a task in milliseconds; "-" where there is none.
[[nodiscard]] inline auto deadline_cell(const task_summary& t) -> std::string {
  return t.limited ? in_milliseconds(t.deadline) : "-";
}

}  // namespace detail

/// One row per task, in the order of the summary: its facts, its deadline and what is proven of it, and by which method
/// where several have proven it. Bounds by other analyses follow where there are any.
[[nodiscard]] inline auto verdict_table(const verdict_summary& v) -> table {
  table out;
  out.heads.push_back(v.subject);
  for (const fact& f : v.facts) { out.heads.push_back(f.head); }
  out.heads.emplace_back("deadline ms");
  if (v.bounds_tasks) {
    out.heads.emplace_back("bound ms");
    out.heads.emplace_back("slack");
  }
  const bool mixed = v.mixes_methods();
  if (mixed) { out.heads.emplace_back("by"); }
  out.heads.emplace_back("meets");
  const auto others = v.tasks.empty() ? decltype(task_summary::other_bounds){} : v.tasks.front().other_bounds;
  for (const auto& [name, bound] : others) {
    if (name != v.method) { out.heads.push_back(name + " ms"); }
  }
  for (const std::uint32_t i : v.order) {
    const task_summary& t = v.tasks[i];
    std::vector<std::string> row{t.name};
    for (const fact& f : v.facts) { row.push_back(f.cells[i]); }
    row.push_back(detail::deadline_cell(t));
    if (v.bounds_tasks) {
      row.push_back(detail::bound_cell(t.bound));
      row.push_back(t.bound.exists && t.limited ? percent_of(t.deadline - t.bound.value, t.deadline) : "-");
    }
    if (mixed) { row.push_back(t.method.empty() ? "-" : t.method); }
    row.emplace_back(detail::answer_cell(v, t));
    for (const auto& [name, bound] : t.other_bounds) {
      if (name != v.method) { row.push_back(detail::bound_cell(bound)); }
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

/// Returns how much later each task may respond.
[[nodiscard]] inline auto slack_table(const verdict_summary& v) -> table {
  table out{.heads = {v.subject, "deadline ms", "bound ms", "slack ms", "slack"}};
  for (const std::uint32_t i : v.order) {
    const task_summary& t = v.tasks[i];
    const bool known = t.bound.exists && t.limited;
    const ticks slack = known ? t.deadline - t.bound.value : 0;
    out.rows.push_back({t.name, detail::deadline_cell(t), detail::bound_cell(t.bound),
                        known ? in_milliseconds(slack) : "-", known ? percent_of(slack, t.deadline) : "-"});
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
