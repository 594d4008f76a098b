// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>

#include <takt/report/json.hpp>
#include <takt/report/run_summary.hpp>
#include <takt/report/verdict_json.hpp>

namespace takt::inline TAKT_ABI::report {

/// Writes a run as one `takt-run/1` object on a line. Times are nanoseconds. `status` is that of the observation;
/// `jobs` are completed ones, `late` those of them that missed their deadlines; beside them there are `dropped` and
/// `unfinished` ones. Responses are null for a task without a completed job, and `within_bound` is null without a
/// bound. `bounds_void`, if anything was late, has the first and the last instant of each span in which no bound is to
/// be relied on.
inline void write_run_json(std::ostream& out, const run_summary& run) {
  json_writer json{out};
  json.begin_object().member("format", "takt-run/1").member("status", name_of(run.status));
  json.key("tasks").begin_array();
  for (const task_run& t : run.tasks) {
    json.begin_object().member("name", t.name).member("jobs", t.jobs).member("misses", t.misses);
    json.member("late", t.late).member("dropped", t.dropped).member("unfinished", t.unfinished);
    detail::write_time(json, "worst_response", t.jobs > 0, t.worst_response);
    detail::write_time(json, "mean_response", t.jobs > 0, t.mean_response);
    detail::write_time(json, "response_bound", t.bound.exists, t.bound.value);
    if (t.bound.exists) {
      json.member("within_bound", t.within);
    } else {
      json.member("within_bound", nullptr);
    }
    if (t.simulated) { json.member("simulated_worst_response", *t.simulated); }
    json.end_object();
  }
  json.end_array();
  if (!run.void_bounds.empty()) {
    json.key("bounds_void").begin_array();
    for (const auto& [from, to] : run.void_bounds) { json.begin_array().value(from).value(to).end_array(); }
    json.end_array();
  }
  if (!run.fault.empty() || !run.notes.empty()) {
    json.key("notes").begin_array();
    if (!run.fault.empty()) { json.value(run.fault); }
    for (const std::string& note : run.notes) { json.value(note); }
    json.end_array();
  }
  json.end_object().finish();
}

}  // namespace takt::inline TAKT_ABI::report
