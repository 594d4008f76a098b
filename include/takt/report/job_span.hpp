// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/trace_view.hpp>

namespace takt::report {

/// The life of a job, as far as it was recorded.
struct job_span {
  ticks release = 0;
  ticks end = 0;  ///< completion, or the end of what was recorded
  ticks deadline = 0;
  bool released = false;
  bool completed = false;
  bool has_deadline = false;
};

/// By task and number of the job.
using job_spans = std::map<std::pair<std::uint32_t, std::uint64_t>, job_span>;

[[nodiscard]] inline auto jobs_of(const trace_view& trace) -> job_spans {
  job_spans jobs;
  ticks recorded_end = 0;
  for (const slice& s : trace.slices) { recorded_end = std::max(recorded_end, s.end); }
  for (const mark& m : trace.marks) {
    job_span& j = jobs[{m.task, m.job}];
    switch (m.what) {
      case mark_kind::release:
        j.release = m.time;
        j.released = true;
        break;
      case mark_kind::completion:
        j.end = m.time;
        j.completed = true;
        break;
      case mark_kind::deadline:
      case mark_kind::miss:
        j.deadline = m.time;
        j.has_deadline = true;
        break;
    }
  }
  for (auto& [id, j] : jobs) {
    if (!j.completed) { j.end = std::max(recorded_end, j.release); }
  }
  return jobs;
}

/// Its instants, a line each.
[[nodiscard]] inline auto description(const job_span& j) -> std::string {
  std::string text = "released " + format_duration(j.release);
  text += j.completed ? "\ncompleted " + format_duration(j.end) + ", response " + format_duration(j.end - j.release)
                      : "\nnot completed";
  return j.has_deadline ? text + "\ndeadline " + format_duration(j.deadline) : text;
}

}  // namespace takt::report
