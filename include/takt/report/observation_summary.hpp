// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/report/live_words.hpp>

namespace takt::inline TAKT_ABI::report {

/// Holds what a simulation or a run saw, whatever the capacities of its tables, and sentences on it.
struct observation_summary {
  observation<std::vector<observed_task<ticks, std::string>>, std::vector<ticks>> seen{};
  std::string device_fault{};
  std::string because{};  ///< a sentence: why there is nothing that could be simulated
  std::vector<std::string> notes{};
  std::vector<std::array<ticks, 2>> void_bounds{};  ///< from when to when no bound was to be relied on
  bool stopped = false;                             ///< a run that ended before its time
  std::string first_violation{};                    ///< in words; empty if no response was above its bound
};

/// With names and rows of its own, and without visits.
template <class Result>
[[nodiscard]] auto observation_summary_of(const Result& result) -> observation_summary {
  observation_summary out;
  out.seen.error = result.error;
  out.seen.ended = result.ended;
  out.seen.end = result.end;
  for (const auto& t : result.tasks) {
    observed_task<ticks, std::string> row;
    row.name = t.name;
    row.released = t.released;
    row.completed = t.completed;
    row.misses = t.misses;
    row.late = t.late;
    row.skipped = t.skipped;
    row.unfinished = t.unfinished;
    row.worst_response = t.worst_response;
    row.best_response = t.best_response;
    row.total_response = t.total_response;
    row.within_bound = t.within_bound;
    out.seen.tasks.push_back(row);
  }
  if constexpr (requires { result.void_bounds; }) {
    for (const auto& span : result.void_bounds) { out.void_bounds.push_back({span.from, span.to}); }
  }
  if constexpr (requires { result.device_fault; }) {
    out.device_fault = result.device_fault;
    out.notes = result.notes;
    out.stopped = result.stopped;
    if (const auto& v = result.first_violation) {
      out.first_violation =
          detail::violation_words(*v, v->task < result.tasks.size() ? result.tasks[v->task].name : "");
    }
  }
  return out;
}

/// Leaves the misses of deadlines that tasks state: hosts of boards count those of the lesser of deadline and period.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
void keep_declared_misses(const runtime_task_set<N, V, R, S>& tasks, observation_summary& out) {
  for (std::size_t i = 0; i < out.seen.tasks.size(); ++i) {
    const runtime_task& t = tasks.tasks[i];
    auto& row = out.seen.tasks[i];
    const bool is_after_period = t.deadline > t.period && row.worst_response <= t.deadline;
    if (!t.limited || is_after_period) { row.misses = row.late = 0; }
  }
}

}  // namespace takt::inline TAKT_ABI::report
