// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/inline_vector.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::simulation {

/// Processors that share their pending jobs: one processor of its own per job partitions, all of them in one cluster is
/// global scheduling. A job moves freely among the processors of its cluster and never leaves it.
template <std::size_t MaxTasks>
class cluster {
 public:
  using task_id = request_id;

  explicit cluster(std::int32_t processors) : occupants_(static_cast<std::size_t>(processors), no_request) {}

  [[nodiscard]] auto processors() const noexcept -> std::int32_t {
    return static_cast<std::int32_t>(occupants_.size());
  }

  /// `before(a, b)`: base priority of tasks with a pending job.
  template <class Before>
  void add(task_id t, Before before) {
    pending_.push_back(t);
    std::size_t i = pending_.size() - 1;
    for (; i > 0 && before(t, pending_[i - 1]); --i) { pending_[i] = pending_[i - 1]; }
    pending_[i] = t;
  }
  void remove(task_id t) {
    std::size_t i = 0;
    while (pending_[i] != t) { ++i; }
    for (; i + 1 < pending_.size(); ++i) { pending_[i] = pending_[i + 1]; }
    pending_.pop_back();
  }
  /// Tasks with a pending job, best base priority first.
  [[nodiscard]] auto pending() const noexcept -> std::span<const task_id> { return {pending_.data(), pending_.size()}; }

  /// Chooses the ready jobs that are to run. `before(a, b)`: effective priority.
  template <class Ready, class Before>
  void choose(Ready ready, Before before) {
    chosen_.clear();
    for (const task_id t : pending_) {
      if (!ready(t)) { continue; }
      const bool full = chosen_.size() == occupants_.size();
      if (full && !before(t, chosen_.back())) { continue; }
      if (full) { chosen_.pop_back(); }
      chosen_.push_back(t);
      for (std::size_t i = chosen_.size() - 1; i > 0 && before(chosen_[i], chosen_[i - 1]); --i) {
        std::swap(chosen_[i], chosen_[i - 1]);
      }
    }
  }
  [[nodiscard]] auto chosen() const noexcept -> std::span<const task_id> { return {chosen_.data(), chosen_.size()}; }

  /// The processor that t gets: the one it ran on last if that is free, else the first free one.
  auto occupy(task_id t, std::int32_t last) -> std::int32_t {
    const auto free = [this](std::int32_t p) { return occupants_[static_cast<std::size_t>(p)] == no_request; };
    std::int32_t p = last;
    if (p < 0 || p >= processors() || !free(p)) {
      p = static_cast<std::int32_t>(std::ranges::find(occupants_, no_request) - occupants_.begin());
    }
    occupants_[static_cast<std::size_t>(p)] = t;
    return p;
  }
  void vacate(std::int32_t processor) { occupants_[static_cast<std::size_t>(processor)] = no_request; }

 private:
  inline_vector<task_id, MaxTasks> pending_;
  inline_vector<task_id, MaxTasks> chosen_;
  std::vector<task_id> occupants_;
};

}  // namespace takt::simulation
