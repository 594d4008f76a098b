// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/task_progress.hpp>
#include <takt/runtime/run_options.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Holds what a run has seen of its tasks so far, for any thread to read while it goes on: neither waits for the other.
/// Every number is true by itself; those of a row may be of different instants. What is beyond its rows is not kept.
class run_watch {
 public:
  explicit run_watch(std::size_t tasks) : rows_(tasks) {}

  [[nodiscard]] auto size() const noexcept -> std::size_t { return rows_.size(); }
  /// Pre: task < size().
  [[nodiscard]] auto row(std::size_t task) const noexcept -> task_progress {
    TAKT_EXPECTS(task < rows_.size());
    const counters& r = rows_[task];
    return {.completed = r.completed,
            .misses = r.misses,
            .skipped = r.skipped,
            .violations = r.violations,
            .worst_response = r.worst_response,
            .last_violation = r.last_violation};
  }

  // For the run. One thread at a time tells of a task.
  void completed(std::size_t task, ticks response) noexcept {
    if (task >= rows_.size()) { return; }
    counters& r = rows_[task];
    if (r.worst_response < response) { r.worst_response = response; }
    ++r.completed;
  }
  void missed(std::size_t task) noexcept {
    if (task < rows_.size()) { ++rows_[task].misses; }
  }
  void skipped(std::size_t task) noexcept {
    if (task < rows_.size()) { ++rows_[task].skipped; }
  }
  void violated(std::size_t task, ticks time) noexcept {
    if (task >= rows_.size()) { return; }
    rows_[task].last_violation = time;
    ++rows_[task].violations;
  }

 private:
  struct counters {
    std::atomic<std::uint64_t> completed = 0;
    std::atomic<std::uint64_t> misses = 0;
    std::atomic<std::uint64_t> skipped = 0;
    std::atomic<std::uint64_t> violations = 0;
    std::atomic<ticks> worst_response = 0;
    std::atomic<ticks> last_violation = no_instant;
  };

  std::vector<counters> rows_;
};

/// Responses that are longer than expected, task by task. Pre: the options outlive it.
class violation_log {
 public:
  violation_log(const run_options& options, std::size_t tasks) : options_{&options}, first_(tasks) {}

  /// Returns what is expected of a task, or of one of its visits.
  [[nodiscard]] auto bound_of(std::size_t task) const -> const response_bound<ticks>& {
    return task < options_->expected.size() ? options_->expected[task].response : nothing;
  }
  [[nodiscard]] auto bound_of(std::size_t task, std::size_t visit) const -> const response_bound<ticks>& {
    if (task >= options_->expected.size()) { return nothing; }
    const auto& visits = options_->expected[task].visits;
    return visit < visits.size() ? visits[visit] : nothing;
  }
  /// Tells of a response that is longer than its bound. False if it is not.
  auto note(const response_bound<ticks>& bound, violation seen) -> bool {
    if (!bound.exists || seen.observed <= bound.value) { return false; }
    seen.bound = bound.value;
    is_over_ = is_over_ || ends_run(options_->at_violation);
    if (options_->watch != nullptr) { options_->watch->violated(seen.task, seen.time); }
    if (first_[seen.task]) { return true; }
    first_[seen.task] = seen;
    if (options_->on_violation) { options_->on_violation(seen); }
    return true;
  }
  [[nodiscard]] auto any_of(std::size_t task) const -> bool { return first_[task].has_value(); }
  [[nodiscard]] auto first() const -> std::optional<violation> {
    std::optional<violation> out;
    for (const auto& seen : first_) {
      if (seen && (!out || seen->time < out->time)) { out = seen; }
    }
    return out;
  }
  /// Returns whether a violation ends the run.
  [[nodiscard]] auto is_over() const noexcept -> bool { return is_over_; }

 private:
  static constexpr response_bound<ticks> nothing{};

  const run_options* options_;
  std::vector<std::optional<violation>> first_;
  bool is_over_ = false;
};

}  // namespace takt::inline TAKT_ABI::runtime
