// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/priority_point.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/shares/share_policy.hpp>

namespace takt::inline TAKT_ABI {

struct one_at_a_time_options {
  bool preemptive = false;
  /// Gives the time to save a job that is preempted, and as much to restore it, per unit of memory that its application
  /// has; the GPU is idle meanwhile. A preemption by snapshots as in the work that Yao et al. 2022, section 6.4 compare
  /// with costs more than 300 us per MB, which is 76.8 ms per unit of 256 MB.
  ticks save_per_memory_unit = 0;
};

/// One job on the whole GPU, the others wait: `by_arrival`, `by_given_priority`, `by_absolute_deadline` or an order of
/// one's own, which sees ranks of applications as `task` and `priority`. Jobs of equal points go by their releases,
/// then by rank; one whose point does not fit goes last.
template <std::size_t MaxTasks, JobPriority Order = by_arrival>
class one_at_a_time {
 public:
  constexpr explicit one_at_a_time(const application_set<MaxTasks>& table = detail::no_applications<MaxTasks>,
                                   const one_at_a_time_options& options = {}, const Order& order = {}) noexcept
      : table_{&table}, options_{options}, order_{order} {
    jobs_.fill(job{});
  }

  [[nodiscard]] constexpr auto error() const noexcept -> model_error {
    const bool negative = options_.save_per_memory_unit < 0;
    return negative ? model_error{.fault = model_fault::negative_time} : model_error{};
  }
  constexpr void release(std::size_t task, ticks release, ticks deadline) noexcept {
    job j{.release = release, .rank = rank_of(task), .active = true};
    const job_timing timing{.wcet = whole_time(task),
                            .period = table_->tasks[task].period,
                            .deadline = deadline - release,
                            .task = j.rank,
                            .priority = j.rank};
    if (!order_.point(timing, release, j.point)) { j.point = lowest_priority; }
    jobs_[task] = j;
  }
  constexpr void complete(std::size_t task) noexcept {
    jobs_[task] = job{};
    if (running_ == task) { running_ = none; }
  }
  constexpr void abort(std::size_t task) noexcept { complete(task); }

  constexpr auto decide(ticks now) noexcept -> share_step {
    if (running_ != none && !options_.preemptive) { return {}; }
    const std::size_t first = first_job();
    if (first == running_) { return {}; }
    ticks switching = 0;
    if (running_ != none) {
      switching = cost_of(running_);
      jobs_[running_].saved = true;
    }
    running_ = first;
    if (first != none && std::exchange(jobs_[first].saved, false)) {
      if (!checked_add(switching, cost_of(first), switching)) { switching = too_long; }
    }
    const ticks begin = ready_ < now ? now : ready_;
    if (!checked_add(begin, switching, ready_)) { ready_ = too_long; }
    return {};
  }

  [[nodiscard]] constexpr auto held(std::size_t task) const noexcept -> share {
    return running_ == task ? full_share : no_share;
  }
  [[nodiscard]] constexpr auto whole_time(std::size_t task) const noexcept -> ticks {
    return table_->tasks[task].alone.at(full_share);
  }
  [[nodiscard]] constexpr auto ready_at() const noexcept -> ticks { return ready_; }

 private:
  struct job {
    priority_point point{};
    ticks release = 0;
    std::int32_t rank = 0;
    bool active = false;
    bool saved = false;
  };
  static constexpr std::size_t none = MaxTasks;
  static constexpr ticks too_long = detail::longest_share_period;

  [[nodiscard]] constexpr auto cost_of(std::size_t task) const noexcept -> ticks {
    ticks cost = 0;
    const bool fits = checked_multiply<ticks>(options_.save_per_memory_unit, table_->tasks[task].memory.count(), cost);
    return fits && cost < too_long ? cost : too_long;
  }
  /// Returns the rank by priority; 0 is the highest.
  [[nodiscard]] constexpr auto rank_of(std::size_t task) const noexcept -> std::int32_t {
    std::int32_t above = 0;
    for (const share_task& other : table_->tasks) { above += other.priority > table_->tasks[task].priority ? 1 : 0; }
    return above;
  }
  [[nodiscard]] constexpr auto precedes(const job& a, const job& b) const noexcept -> bool {
    if (a.point != b.point) { return a.point < b.point; }
    return a.release != b.release ? a.release < b.release : a.rank < b.rank;
  }
  [[nodiscard]] constexpr auto first_job() const noexcept -> std::size_t {
    std::size_t first = none;
    for (std::size_t i = 0; i < table_->size(); ++i) {
      if (jobs_[i].active && (first == none || precedes(jobs_[i], jobs_[first]))) { first = i; }
    }
    return first;
  }

  const application_set<MaxTasks>* table_;
  one_at_a_time_options options_;
  Order order_;
  std::array<job, MaxTasks> jobs_{};
  std::size_t running_ = none;
  ticks ready_ = 0;
};

}  // namespace takt::inline TAKT_ABI
