// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/runtime/kept_trace.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_result.hpp>
#include <takt/runtime/run_watch.hpp>

namespace takt::runtime {

/// What one task leaves behind while it runs: statistics, its trace in buffers of fixed size, and the comparison with
/// what was expected of it. Never written by two threads at once, so it needs no lock.
class task_log {
 public:
  /// Pre: `expected` has one visit per segment at most, and outlives the log as `on_violation` does.
  task_log(std::uint32_t task, std::string_view name, std::size_t segments, const expectation* expected,
           const std::function<void(const violation&)>* on_violation)
      : task_{task}, expected_{expected}, on_violation_{on_violation}, worst_segment_(segments, 0) {
    seen_.name = name;
    if (expected == nullptr || !expected->response.exists) { return; }
    seen_.has_bound = true;
    seen_.bound = expected->response.value;
  }

  /// Room for the trace; without it nothing is kept. Pre: nothing was logged yet.
  void reserve(std::size_t slices, std::size_t marks) { trace_.reserve(slices, marks); }

  void add(const slice& s) { trace_.add(s); }
  void add(mark_kind what, std::uint64_t job, ticks time) { trace_.add(mark{what, task_, job, time}); }

  /// From now on a watch, which outlives the log, is told what is seen; null: nobody is.
  void tell(run_watch* watch) noexcept { watch_ = watch; }

  /// A segment has ended. `since_ready` and `since_release` are its response and that of the job up to here. Whether
  /// one of them is longer than expected.
  auto observe_segment(std::uint32_t segment, std::uint64_t job, ticks time, ticks since_ready, ticks since_release)
      -> bool {
    worst_segment_[segment] = std::max(worst_segment_[segment], since_ready);
    if (expected_ == nullptr) { return false; }
    const bool is_short = segment >= expected_->visits.size() ||
                          !expect(expected_->visits[segment], {task_, segment, job, true, time, since_ready, 0});
    return expect(expected_->response, {task_, segment, job, false, time, since_release, 0}) || !is_short;
  }
  void complete(ticks response) {
    note_completion(seen_, response);
    ++seen_.released;
    if (watch_ != nullptr) { watch_->completed(task_, response); }
  }
  /// The run has ended before the job, which had come to this segment.
  void leave_unfinished(std::uint32_t segment, std::uint64_t job, ticks time, ticks since_release) {
    ++seen_.released;
    ++seen_.unfinished;
    if (expected_ != nullptr) {
      (void)expect(expected_->response, {task_, segment, job, false, time, since_release, 0});
    }
  }
  /// The deadline of a job has passed before its end.
  void miss(std::uint64_t job, ticks due) {
    add(mark_kind::miss, job, due);
    note_miss(seen_, due);
    if (watch_ != nullptr) { watch_->missed(task_); }
  }
  void skip() {
    ++seen_.released;
    ++seen_.skipped;
    if (watch_ != nullptr) { watch_->skipped(task_); }
  }

  [[nodiscard]] auto first_violation() const noexcept -> const std::optional<violation>& { return violation_; }
  /// Trace entries for which there was no room.
  [[nodiscard]] auto lost() const noexcept -> std::uint64_t { return trace_.lost(); }

  [[nodiscard]] auto task() const noexcept -> std::uint32_t { return task_; }
  /// Appends the row of the task.
  void report(run_result& out) const {
    auto& row = out.tasks.emplace_back(seen_);
    row.first_visit = static_cast<std::uint32_t>(out.visit_responses.size());
    row.visit_count = static_cast<std::uint32_t>(worst_segment_.size());
    row.within_bound = !violation_.has_value();
    out.visit_responses.insert(out.visit_responses.end(), worst_segment_.begin(), worst_segment_.end());
  }

  template <TraceRecorder Recorder>
  void replay(Recorder& recorder) const {
    trace_.replay(recorder);
  }

 private:
  auto expect(const response_bound<ticks>& bound, violation seen) -> bool {
    if (!bound.exists || seen.observed <= bound.value) { return false; }
    seen.bound = bound.value;
    if (watch_ != nullptr && (!violation_ || last_violator_ != seen.job)) { watch_->violated(task_, seen.time); }
    last_violator_ = seen.job;
    if (violation_) { return true; }
    violation_ = seen;
    if (*on_violation_) { (*on_violation_)(seen); }
    return true;
  }

  std::uint32_t task_;
  const expectation* expected_;
  const std::function<void(const violation&)>* on_violation_;
  std::vector<ticks> worst_segment_;
  kept_trace trace_;
  std::optional<violation> violation_;
  std::uint64_t last_violator_ = 0;
  run_watch* watch_ = nullptr;
  observed_task<ticks, std::string> seen_;
};

namespace detail {

/// Trace entries kept per task and kind at most.
inline constexpr std::size_t trace_limit = std::size_t{1} << 20;

/// Moves what was seen of each task into the result, in the given order.
template <class Runners>
void summarize(const Runners& runners, run_result& result) {
  std::vector<const task_log*> logs;
  for (const auto& r : runners) { logs.push_back(&r->log()); }
  std::ranges::sort(logs, {}, &task_log::task);
  std::uint64_t lost = 0;
  for (const task_log* log : logs) {
    log->report(result);
    const auto& seen = log->first_violation();
    if (seen && (!result.first_violation || seen->time < result.first_violation->time)) {
      result.first_violation = seen;
    }
    lost += log->lost();
  }
  if (lost > 0) { result.notes.push_back("trace: " + std::to_string(lost) + " entries did not fit and are missing"); }
}

}  // namespace detail

}  // namespace takt::runtime
