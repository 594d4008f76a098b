// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/trace_queries.hpp>
#include <takt/report/trace_view.hpp>

namespace takt::inline TAKT_ABI::report {

/// Describes an interval of time in the life of a job.
struct job_interval {
  enum class kind : std::uint8_t { works, waits, waits_for_token };
  kind what = kind::works;
  ticks start = 0;
  ticks end = 0;
};

[[nodiscard]] constexpr auto name_of(job_interval::kind what) noexcept -> std::string_view {
  switch (what) {
    case job_interval::kind::works: return "works";
    case job_interval::kind::waits: return "waits";
    case job_interval::kind::waits_for_token: return "waits for a token";
  }
  return "";
}

namespace detail {

/// From when to when jobs work on some unit. What was recorded of a job is gathered once. Cost: n log n.
class work_of_jobs {
 public:
  explicit work_of_jobs(const trace_view& trace) {
    for (const slice& s : trace.slices | views::of_some_length) { work_[{s.task, s.job}].emplace_back(s.start, s.end); }
    for (auto& [id, pieces] : work_) { join(pieces); }
    for (const token_hold& h : trace.holds) {
      if (h.asked < h.start) { waits_[{h.task, h.job}].emplace_back(h.asked, h.start); }
    }
    for (auto& [id, pieces] : waits_) { join(pieces); }
  }

  /// Returns what a job does from its release, or its first work if that is earlier, to its end: intervals that follow
  /// each other. A job that waits for a token works nowhere.
  [[nodiscard]] auto of(const traced_job& j) const -> std::vector<job_interval> {
    std::vector<job_interval> out;
    ticks now = begin_of(j);
    if (const auto at = work_.find({j.task, j.job}); at != work_.end()) {
      for (const auto& [from, to] : at->second) {
        wait(j, now, from, out);
        out.push_back({job_interval::kind::works, from, to});
        now = to;
      }
    }
    wait(j, now, j.end, out);
    return out;
  }
  [[nodiscard]] static auto begin_of(const traced_job& j) -> ticks {
    return j.released ? std::min(j.release, j.start) : j.start;
  }

 private:
  using intervals = std::vector<std::pair<ticks, ticks>>;

  static void join(intervals& all) {
    std::ranges::sort(all);
    intervals out;
    for (const auto& [from, to] : all) {
      if (!out.empty() && from <= out.back().second) {
        out.back().second = std::max(out.back().second, to);
      } else {
        out.emplace_back(from, to);
      }
    }
    all = std::move(out);
  }
  void wait(const traced_job& j, ticks from, ticks to, std::vector<job_interval>& out) const {
    if (const auto at = waits_.find({j.task, j.job}); at != waits_.end()) {
      for (const auto& [asked, granted] : at->second) {
        const ticks begin = std::max(asked, from);
        const ticks end = std::min(granted, to);
        if (begin >= end) { continue; }
        if (from < begin) { out.push_back({job_interval::kind::waits, from, begin}); }
        out.push_back({job_interval::kind::waits_for_token, begin, end});
        from = end;
      }
    }
    if (from < to) { out.push_back({job_interval::kind::waits, from, to}); }
  }

  std::map<std::pair<std::uint32_t, std::uint64_t>, intervals> work_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, intervals> waits_;
};

}  // namespace detail

/// Returns the instants of a job, a line each.
[[nodiscard]] inline auto description(const traced_job& j) -> std::string {
  std::string text = "released " + format_duration(j.release);
  if (j.start < j.release) { text += "\nbegun " + format_duration(j.start); }
  if (!j.completed) {
    text += "\nnot completed";
  } else {
    text += "\ncompleted " + format_duration(j.end);
    if (j.end >= j.release) { text += ", response " + format_duration(j.response()); }
  }
  return j.has_deadline ? text + "\ndeadline " + format_duration(j.deadline) : text;
}

}  // namespace takt::inline TAKT_ABI::report
