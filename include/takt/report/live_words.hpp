// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/task_progress.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/table.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/report/verdict_table.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

/// Returns a time in whole tenths of a second, rounded down.
[[nodiscard]] inline auto in_tenths(ticks time) -> std::string { return detail::decimal(time / 100'000'000, 1) + "s"; }

}  // namespace detail

/// Returns what a run has seen so far: a row per task, in the order of the summary. Pre: a row of `seen` for each task.
[[nodiscard]] inline auto live_table(std::span<const task_progress> seen, const verdict_summary& proven) -> table {
  TAKT_EXPECTS(seen.size() == proven.tasks.size());
  table out{.heads = {proven.subject, "jobs", "misses", "worst ms", "bound ms", "violations", "last"}};
  for (const std::uint32_t i : proven.order) {
    const task_progress& t = seen[i];
    const std::uint64_t misses = proven.tasks[i].limited ? t.misses : 0;
    out.rows.push_back({proven.tasks[i].name, std::to_string(t.completed), std::to_string(misses),
                        t.completed > 0 ? in_milliseconds(t.worst_response) : "-",
                        detail::bound_cell(proven.promised(i)), std::to_string(t.violations),
                        t.last_violation == no_instant ? "-" : "at " + detail::in_tenths(t.last_violation)});
  }
  return out;
}

/// Returns in one line how many of how many jobs were late, and which task violated its bound last. Pre: as above.
[[nodiscard]] inline auto live_line(ticks passed, std::span<const task_progress> seen, const verdict_summary& proven)
    -> std::string {
  TAKT_EXPECTS(seen.size() == proven.tasks.size());
  std::uint64_t jobs = 0;
  std::uint64_t misses = 0;
  std::uint64_t violations = 0;
  std::size_t last = seen.size();
  for (std::size_t i = 0; i < seen.size(); ++i) {
    jobs += seen[i].completed;
    misses += proven.tasks[i].limited ? seen[i].misses : 0;
    violations += seen[i].violations;
    const bool is_later = last == seen.size() || seen[i].last_violation > seen[last].last_violation;
    if (seen[i].violations > 0 && is_later) { last = i; }
  }
  std::string out = detail::in_tenths(passed) + ": " + plural(static_cast<std::int64_t>(jobs), "job") + ", " +
                    std::to_string(misses) + " late, " + std::to_string(violations) + " above a bound";
  if (last == seen.size()) { return out; }
  return out + " (last: " + proven.tasks[last].name + " at " + detail::in_tenths(seen[last].last_violation) + ")";
}

namespace detail {

/// Returns a response above its bound, as a run names it: `v` is a `runtime::violation` of the task or graph `name`.
template <class Violation>
[[nodiscard]] auto violation_words(const Violation& v, std::string_view name) -> std::string {
  const std::string job = "job " + std::to_string(v.job) + " of " + std::string{name};
  const std::string segment = "segment " + std::to_string(v.visit);
  const std::string who = v.of_visit            ? segment + " of " + job
                          : v.visit == no_index ? job
                                                : job + ", in " + segment + ",";
  return who + " after " + format_duration(v.time) + ": " + format_duration(v.observed) +
         " have passed, and the bound is " + format_duration(v.bound);
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::report
