// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/report/json.hpp>

namespace takt::report {

/// What was seen of one task in a simulation or a run.
struct task_run {
  std::string name;
  std::uint64_t jobs = 0;  ///< completed
  std::uint64_t misses = 0;
  ticks worst_response = 0;
  ticks mean_response = 0;
  response_bound<ticks> bound;

  [[nodiscard]] auto within_bound() const -> bool { return bound.exists && worst_response <= bound.value; }
};

struct run_summary {
  std::vector<task_run> tasks;  ///< in the given order
  std::vector<std::string> notes;

  [[nodiscard]] auto missed() const -> bool {
    for (const task_run& t : tasks) {
      if (t.misses > 0) { return true; }
    }
    return false;
  }
};

/// Writes a run as one `takt-run/1` object on a line. Times are nanoseconds. `status` is "no-miss" or "missed";
/// responses are null for a task without a completed job, and `within_bound` is null without a bound.
inline void write_run_json(std::ostream& out, const run_summary& run) {
  json_writer json{out};
  json.begin_object().member("format", "takt-run/1").member("status", run.missed() ? "missed" : "no-miss");
  json.key("tasks").begin_array();
  const auto time = [&json](std::string_view name, bool known, ticks t) {
    if (known) {
      json.member(name, t);
    } else {
      json.member(name, nullptr);
    }
  };
  for (const task_run& t : run.tasks) {
    json.begin_object().member("name", t.name).member("jobs", t.jobs).member("misses", t.misses);
    time("worst_response", t.jobs > 0, t.worst_response);
    time("mean_response", t.jobs > 0, t.mean_response);
    time("response_bound", t.bound.exists, t.bound.value);
    if (t.bound.exists) {
      json.member("within_bound", t.within_bound());
    } else {
      json.member("within_bound", nullptr);
    }
    json.end_object();
  }
  json.end_array();
  if (!run.notes.empty()) {
    json.key("notes").begin_array();
    for (const std::string& note : run.notes) { json.value(note); }
    json.end_array();
  }
  json.end_object().finish();
}

}  // namespace takt::report
