// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <range/v3/range/concepts.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/interface.hpp>
#include <range/v3/view/transform.hpp>

#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/report/trace_view.hpp>

/// These are questions about traces as views of range-v3. They compose with each other and with those of the library.
/// They refer to the data that they ask about, and copy nothing unless they say so.
///
///     for (ticks r : takt::views::jobs(seen) | takt::views::of_task(2) | takt::views::response_times) { ... }
namespace takt::inline TAKT_ABI {

/// Describes the life of a job, as far as it was recorded.
struct traced_job {
  std::uint32_t task = 0;
  std::uint64_t job = 0;
  ticks release = 0;
  ticks start = 0;  ///< of its first piece of work, or its end without any
  ticks end = 0;    ///< completion, or the end of what was recorded
  ticks deadline = 0;
  bool released = false;
  bool completed = false;
  bool has_deadline = false;

  [[nodiscard]] auto response() const noexcept -> ticks { return end - release; }
  [[nodiscard]] auto is_late() const noexcept -> bool { return has_deadline && deadline < end; }
};

/// Holds for all that a trace says of some task.
template <class E>
concept OfTask = requires(const E& e) {
  { e.task } -> std::convertible_to<std::uint32_t>;
};

/// Holds the jobs of a trace, by task and number. It is a view: copies share what was gathered.
class job_range : public ranges::view_interface<job_range> {
 public:
  job_range() = default;
  explicit job_range(std::vector<traced_job> all)
      : all_{std::make_shared<const std::vector<traced_job>>(std::move(all))} {}

  [[nodiscard]] auto begin() const -> const traced_job* { return all_ ? all_->data() : nullptr; }
  [[nodiscard]] auto end() const -> const traced_job* { return all_ ? all_->data() + all_->size() : nullptr; }

 private:
  std::shared_ptr<const std::vector<traced_job>> all_;
};

namespace views {

/// Slices, marks, jobs or tokens of one task.
[[nodiscard]] inline auto of_task(std::uint32_t task) {
  return ranges::views::filter([task](const auto& e) { return e.task == task; });
}
/// Selects the slices, marks, jobs or tokens of one job.
[[nodiscard]] inline auto of_job(std::uint32_t task, std::uint64_t job) {
  return ranges::views::filter([task, job](const auto& e) { return e.task == task && e.job == job; });
}
/// Returns slices of one visit of any job of a task.
[[nodiscard]] inline auto of_visit(std::uint32_t task, std::uint32_t segment) {
  return ranges::views::filter([task, segment](const slice& s) { return s.task == task && s.segment == segment; });
}
/// Returns marks of one kind.
[[nodiscard]] inline auto marks_of(mark_kind what) {
  return ranges::views::filter([what](const mark& m) { return m.what == what; });
}
/// Slices on one unit.
[[nodiscard]] inline auto slices_on(const track& unit) {
  return ranges::views::filter([unit](const slice& s) { return s.where == unit; });
}
/// Slices on processors, on copy engines and own resources, or on GPUs.
[[nodiscard]] inline auto slices_on(stage where) {
  return ranges::views::filter([where](const slice& s) { return s.where.where == where; });
}
/// Returns slices of which some part lies between two instants, and those of no length in there.
[[nodiscard]] inline auto slices_within(ticks from, ticks to) {
  return ranges::views::filter(
      [from, to](const slice& s) { return s.start < to && (s.end > from || (s.start == s.end && s.start == from)); });
}
/// Marks between two instants, both included.
[[nodiscard]] inline auto marks_within(ticks from, ticks to) {
  return ranges::views::filter([from, to](const mark& m) { return from <= m.time && m.time <= to; });
}

/// Returns slices that take time.
inline const auto of_some_length = ranges::views::filter([](const slice& s) { return s.start < s.end; });
inline const auto lengths = ranges::views::transform([](const slice& s) { return s.end - s.start; });
/// Returns instants of marks.
inline const auto times = ranges::views::transform([](const mark& m) { return m.time; });

inline const auto completed_jobs = ranges::views::filter([](const traced_job& j) { return j.completed; });
/// Returns responses of jobs that completed.
inline const auto response_times = completed_jobs | ranges::views::transform(&traced_job::response);
/// Returns marks of misses, or jobs that were late.
inline const auto misses = ranges::views::filter([](const auto& e) {
  if constexpr (std::same_as<std::remove_cvref_t<decltype(e)>, mark>) {
    return e.what == mark_kind::miss;
  } else {
    return e.is_late();
  }
});

/// Returns the jobs of a trace. Copies them. Cost: n log n.
[[nodiscard]] inline auto jobs(const report::trace_view& trace) -> job_range {
  std::map<std::pair<std::uint32_t, std::uint64_t>, traced_job> found;
  ticks recorded_end = 0;
  constexpr ticks longest = std::numeric_limits<ticks>::max();
  const auto job_of = [&found](const auto& e) -> traced_job& {
    return found.try_emplace({e.task, e.job}, traced_job{.task = e.task, .job = e.job, .start = longest}).first->second;
  };
  for (const slice& s : trace.slices) {
    recorded_end = std::max(recorded_end, s.end);
    traced_job& j = job_of(s);
    j.start = std::min(j.start, s.start);
    j.end = std::max(j.end, s.end);
  }
  for (const mark& m : trace.marks) {
    traced_job& j = job_of(m);
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
  std::vector<traced_job> out;
  out.reserve(found.size());
  for (auto& [id, j] : found) {
    if (!j.completed) { j.end = std::max(recorded_end, j.release); }
    if (j.start == longest) { j.start = j.end; }
    out.push_back(j);
  }
  return job_range{std::move(out)};
}

/// Returns time in which at least one of some slices is under way. Copies them. Cost: n log n.
template <ranges::input_range Slices>
[[nodiscard]] auto busy_time(Slices&& slices) -> ticks {
  std::vector<std::pair<ticks, ticks>> intervals;
  for (const slice& s : slices) { intervals.emplace_back(s.start, s.end); }
  std::ranges::sort(intervals);
  ticks sum = 0;
  ticks end = std::numeric_limits<ticks>::min();
  for (const auto& [from, to] : intervals) {
    if (to > end) { sum += to - std::max(from, end); }
    end = std::max(end, to);
  }
  return sum;
}

}  // namespace views

namespace report::detail {

/// Returns the end of a window on a trace; where `to` is not after `from`, that of the trace. A deadline after it
/// belongs to it where that lengthens the window by no more than a quarter.
[[nodiscard]] inline auto window_end(const trace_view& trace, ticks from, ticks to) -> ticks {
  if (to > from) { return to; }
  ticks end = from + 1;
  for (const slice& s : trace.slices) { end = std::max(end, s.end); }
  for (const mark& m : trace.marks) { end = m.what == mark_kind::deadline ? end : std::max(end, m.time); }
  ticks last = end;
  for (const ticks t : trace.marks | views::marks_within(end, end + (end - from) / 4) | views::times) {
    last = std::max(last, t);
  }
  return last;
}

}  // namespace report::detail

}  // namespace takt::inline TAKT_ABI
