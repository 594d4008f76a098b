// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/report/fault_words.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/table.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/report/verdict_table.hpp>

namespace takt::inline TAKT_ABI::report {

/// Holds what was seen of one task in a simulation or a run, beside what was proven.
struct task_run {
  std::string name;
  std::uint64_t jobs = 0;    ///< completed
  std::uint64_t misses = 0;  ///< deadlines that passed, whatever became of the jobs
  std::uint64_t late = 0;    ///< of those that completed, after their deadlines
  std::uint64_t dropped = 0;
  std::uint64_t unfinished = 0;
  ticks worst_response = 0;
  ticks mean_response = 0;
  response_bound<ticks> bound;     ///< that no job may exceed
  bool within = true;              ///< nothing was seen above a bound, unfinished jobs included
  std::optional<ticks> simulated;  ///< worst response of the same in virtual time, beside a run
};

struct run_summary {
  observation_status status = observation_status::no_miss;
  std::string fault;            ///< what kept it from running: one sentence
  bool on_clock_alone = false;  ///< nothing of a run took time of this machine: what was seen is a simulation
  std::vector<task_run> tasks;  ///< in the given order
  std::vector<std::string> notes;
  /// Says from when to when bounds were void: something was late on which they rest.
  std::vector<std::array<ticks, 2>> void_bounds;

  [[nodiscard]] auto missed() const -> bool { return status == observation_status::missed; }
};

/// Returns a sentence on the spans in which bounds were void. Pre: there is one.
[[nodiscard]] inline auto void_bounds_words(const std::vector<std::array<ticks, 2>>& spans) -> std::string {
  TAKT_EXPECTS(!spans.empty());
  std::array<ticks, 2> longest{};
  ticks sum = 0;
  for (const auto& s : spans) {
    sum += s[1] - s[0];
    if (s[1] - s[0] >= longest[1] - longest[0]) { longest = s; }
  }
  std::string out = "bounds were void ";
  if (spans.size() > 1) {
    out += std::to_string(spans.size()) + " times, " + format_duration(sum) + " in all, the longest time ";
  }
  return out + "from " + format_duration(longest[0]) + " to " + format_duration(longest[1]);
}

/// Returns what a simulation or a run saw beside what an analysis promised. Pre: both are about the same tasks.
template <class Tasks, class Visits>
[[nodiscard]] auto summarize(const observation<Tasks, Visits>& seen, const verdict_summary& proven) -> run_summary {
  TAKT_EXPECTS(seen.tasks.size() <= proven.tasks.size());
  run_summary out;
  out.fault = explain_fault(seen.error);
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const auto& t = seen.tasks[i];
    task_run row;
    row.name = proven.tasks[i].name;
    row.jobs = t.completed;
    row.misses = proven.tasks[i].limited ? t.misses : 0;
    row.late = proven.tasks[i].limited ? t.late : 0;
    row.dropped = t.skipped;
    row.unfinished = t.released < t.completed + t.skipped ? 0 : t.released - t.completed - t.skipped;
    row.worst_response = t.worst_response;
    row.mean_response = t.mean_response();
    row.bound = proven.promised(i);
    row.within = t.within_bound && (!row.bound.exists || t.worst_response <= row.bound.value);
    out.status = row.misses > 0                                             ? observation_status::missed
                 : !row.within && out.status == observation_status::no_miss ? observation_status::exceeded
                                                                            : out.status;
    out.tasks.push_back(std::move(row));
  }
  if (seen.error || seen.ended != observation_status::no_miss) { out.status = seen.status(); }
  return out;
}

/// Notes beside each task what the same tasks do in virtual time.
template <class Tasks, class Visits>
void compare_with(run_summary& run, const observation<Tasks, Visits>& simulated) {
  for (std::size_t i = 0; i < run.tasks.size() && i < simulated.tasks.size(); ++i) {
    const auto& t = simulated.tasks[i];
    if (t.completed > 0) { run.tasks[i].simulated = t.worst_response; }
  }
}

/// One row per task, in the order of the summary of the proof. All jobs are counted: each is done in time, done late
/// ("missed"), dropped, or not done at the end. The last two have columns where there are some.
[[nodiscard]] inline auto run_table(const run_summary& run, const verdict_summary& proven) -> table {
  bool beside = false;
  bool some_dropped = false;
  bool some_unfinished = false;
  for (const task_run& t : run.tasks) {
    beside = beside || t.simulated.has_value();
    some_dropped = some_dropped || t.dropped > 0;
    some_unfinished = some_unfinished || t.unfinished > 0;
  }
  table out{.heads = {proven.subject, "jobs", "done", "missed"}};
  if (some_dropped) { out.heads.emplace_back("dropped"); }
  if (some_unfinished) { out.heads.emplace_back("not done"); }
  const char* const worst = !beside ? "worst ms" : run.on_clock_alone ? "on the clock ms" : "observed ms";
  out.heads.insert(out.heads.end(), {"deadline ms", "mean ms", worst});
  if (beside) { out.heads.emplace_back("simulated ms"); }
  out.heads.insert(out.heads.end(), {beside ? "proven ms" : "bound ms", "within"});
  for (const std::uint32_t i : proven.order) {
    const task_run& t = run.tasks[i];
    const auto seen = [&t](ticks time) { return t.jobs > 0 ? in_milliseconds(time) : "-"; };
    std::vector<std::string> row{t.name, std::to_string(t.jobs + t.dropped + t.unfinished),
                                 std::to_string(t.jobs - t.late), std::to_string(t.late)};
    if (some_dropped) { row.push_back(std::to_string(t.dropped)); }
    if (some_unfinished) { row.push_back(std::to_string(t.unfinished)); }
    row.insert(row.end(), {detail::deadline_cell(proven.tasks[i]), seen(t.mean_response), seen(t.worst_response)});
    if (beside) { row.push_back(t.simulated ? in_milliseconds(*t.simulated) : "-"); }
    row.push_back(detail::bound_cell(t.bound));
    row.emplace_back(!t.bound.exists ? "-" : t.within ? "yes" : "no");
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
