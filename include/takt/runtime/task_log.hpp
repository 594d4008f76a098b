// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_result.hpp>

namespace takt::runtime {

/// What one task leaves behind while it runs: statistics, its trace in buffers of fixed size, and the comparison with
/// what was expected of it. Never written by two threads at once, so it needs no lock.
class task_log {
 public:
  /// Pre: `expected` has one entry per segment at most, and outlives the log as `on_violation` does.
  task_log(std::uint32_t task, std::size_t segments, const expectation* expected,
           const std::function<void(const violation&)>* on_violation)
      : task_{task}, expected_{expected}, on_violation_{on_violation}, worst_segment_(segments, 0) {}

  /// Room for the trace; without it nothing is kept. Pre: nothing was logged yet.
  void reserve(std::size_t slices, std::size_t marks) {
    slices_.reserve(slices);
    marks_.reserve(marks);
  }

  void add(const slice& s) { keep(slices_, s); }
  void add(mark_kind what, std::uint64_t job, ticks time) { keep(marks_, mark{what, task_, job, time}); }

  /// A segment has ended. `since_ready` and `since_release` are its response and that of the job up to here.
  void observe_segment(std::uint32_t segment, std::uint64_t job, ticks time, ticks since_ready, ticks since_release) {
    worst_segment_[segment] = std::max(worst_segment_[segment], since_ready);
    if (expected_ == nullptr) { return; }
    if (segment < expected_->segments.size()) {
      expect(expected_->segments[segment], {task_, segment, job, true, time, since_ready, 0});
    }
    expect(expected_->response, {task_, segment, job, false, time, since_release, 0});
  }
  void complete(ticks response, bool in_time) {
    worst_ = std::max(worst_, response);
    best_ = jobs_ == 0 ? response : std::min(best_, response);
    total_ += response;
    ++jobs_;
    misses_ += in_time ? 0 : 1;
  }
  /// The run has ended before the job, which had come to this segment.
  void leave_unfinished(std::uint32_t segment, std::uint64_t job, ticks time, ticks since_release, bool in_time) {
    ++unfinished_;
    misses_ += in_time ? 0 : 1;
    if (expected_ != nullptr) { expect(expected_->response, {task_, segment, job, false, time, since_release, 0}); }
  }
  void skip() { ++skipped_; }

  [[nodiscard]] auto first_violation() const noexcept -> const std::optional<violation>& { return violation_; }
  /// Trace entries for which there was no room.
  [[nodiscard]] auto lost() const noexcept -> std::uint64_t { return lost_; }

  [[nodiscard]] auto observation(std::string name) const -> task_observation {
    const bool bounded = expected_ != nullptr && expected_->response.exists;
    return {.name = std::move(name),
            .jobs = jobs_,
            .misses = misses_,
            .unfinished = unfinished_,
            .skipped = skipped_,
            .worst_response = worst_,
            .mean_response = jobs_ == 0 ? 0 : total_ / static_cast<ticks>(jobs_),
            .best_response = best_,
            .worst_segment_response = worst_segment_,
            .has_bound = bounded,
            .bound = bounded ? expected_->response.value : 0,
            .within_bound = !violation_.has_value()};
  }

  template <TraceRecorder Recorder>
  void replay(Recorder& recorder) const {
    for (const slice& s : slices_) { recorder.record(s); }
    for (const mark& m : marks_) { recorder.record(m); }
  }

 private:
  template <class Entry>
  void keep(std::vector<Entry>& entries, const Entry& entry) {
    if (entries.size() < entries.capacity()) {
      entries.push_back(entry);
    } else if (entries.capacity() > 0) {
      ++lost_;
    }
  }

  void expect(const response_bound<ticks>& bound, violation seen) {
    if (!bound.exists || seen.observed <= bound.value || violation_.has_value()) { return; }
    seen.bound = bound.value;
    violation_ = seen;
    if (*on_violation_) { (*on_violation_)(seen); }
  }

  std::uint32_t task_;
  const expectation* expected_;
  const std::function<void(const violation&)>* on_violation_;
  std::vector<ticks> worst_segment_;
  std::vector<slice> slices_;
  std::vector<mark> marks_;
  std::optional<violation> violation_;
  std::uint64_t lost_ = 0;
  std::uint64_t jobs_ = 0;
  std::uint64_t misses_ = 0;
  std::uint64_t unfinished_ = 0;
  std::uint64_t skipped_ = 0;
  ticks worst_ = 0;
  ticks best_ = 0;
  ticks total_ = 0;
};

}  // namespace takt::runtime
