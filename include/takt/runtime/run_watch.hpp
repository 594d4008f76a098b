// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/task_progress.hpp>

namespace takt::runtime {

/// What a run has seen of its tasks so far, for any thread to read while it goes on: neither waits for the other. Every
/// number is true by itself; those of a row may be of different instants. What is beyond its rows is not kept.
class run_watch {
 public:
  explicit run_watch(std::size_t tasks) : rows_(tasks) {}

  [[nodiscard]] auto size() const noexcept -> std::size_t { return rows_.size(); }
  /// Pre: task < size().
  [[nodiscard]] auto row(std::size_t task) const noexcept -> task_progress {
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

}  // namespace takt::runtime
