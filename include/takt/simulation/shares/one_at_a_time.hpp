// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <takt/core/checked.hpp>
#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/model/shares/share_task.hpp>
#include <takt/simulation/shares/policy.hpp>

namespace takt::simulation {

/// Who goes first; equal ones by priority, then by position.
enum class job_choice : std::uint8_t { earliest_release, highest_priority, earliest_deadline };
[[nodiscard]] constexpr auto last_of(job_choice) noexcept -> job_choice { return job_choice::earliest_deadline; }

struct one_at_a_time_options {
  job_choice choice = job_choice::earliest_release;
  bool preemptive = false;
  /// What it takes to save a job that is preempted, and as much to restore it, per unit of memory that its application
  /// has; the GPU is idle meanwhile. A preemption by snapshots as in the work that Yao et al. 2022, section 6.4 compare
  /// with costs more than 300 us per MB, which is 76.8 ms per unit of 256 MB.
  ticks save_per_memory_unit = 0;
};

/// One job on the whole GPU, the others wait: first come first served, fixed priorities or EDF.
template <std::size_t MaxTasks>
class one_at_a_time {
 public:
  constexpr one_at_a_time(const share_table<MaxTasks>& table, const one_at_a_time_options& options) noexcept
      : table_{&table}, options_{options} {
    jobs_.fill(job{});
  }

  [[nodiscard]] constexpr auto error() const noexcept -> model_error {
    if (!is_known(options_.choice)) { return {.fault = model_fault::choice_out_of_range}; }
    const bool negative = options_.save_per_memory_unit < 0;
    return negative ? model_error{.fault = model_fault::negative_time} : model_error{};
  }
  constexpr void release(std::size_t task, ticks release, ticks deadline) noexcept {
    jobs_[task] = {.release = release, .deadline = deadline, .active = true};
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
    ticks release = 0;
    ticks deadline = 0;
    bool active = false;
    bool saved = false;
  };
  static constexpr std::size_t none = MaxTasks;
  static constexpr ticks too_long = longest_share_period;

  [[nodiscard]] constexpr auto cost_of(std::size_t task) const noexcept -> ticks {
    ticks cost = 0;
    const bool fits = checked_multiply<ticks>(options_.save_per_memory_unit, table_->tasks[task].memory.count(), cost);
    return fits && cost < too_long ? cost : too_long;
  }
  [[nodiscard]] constexpr auto key(std::size_t task) const noexcept -> ticks {
    switch (options_.choice) {
      case job_choice::earliest_release: return jobs_[task].release;
      case job_choice::earliest_deadline: return jobs_[task].deadline;
      case job_choice::highest_priority: break;
    }
    return 0;
  }
  [[nodiscard]] constexpr auto precedes(std::size_t a, std::size_t b) const noexcept -> bool {
    if (key(a) != key(b)) { return key(a) < key(b); }
    return table_->tasks[a].priority > table_->tasks[b].priority;
  }
  [[nodiscard]] constexpr auto first_job() const noexcept -> std::size_t {
    std::size_t first = none;
    for (std::size_t i = 0; i < table_->size(); ++i) {
      if (jobs_[i].active && (first == none || precedes(i, first))) { first = i; }
    }
    return first;
  }

  const share_table<MaxTasks>* table_;
  one_at_a_time_options options_;
  std::array<job, MaxTasks> jobs_{};
  std::size_t running_ = none;
  ticks ready_ = 0;
};

}  // namespace takt::simulation
