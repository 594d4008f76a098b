// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/model/shares/share_allocation.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/rules/shares/co_run_predictor.hpp>
#include <takt/rules/shares/job_progress.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Holds what a scheduler knows of an active job.
template <JobProgress Progress>
struct running_job {
  bool active = false;
  ticks start = 0;  ///< the first instant at which it can run
  ticks deadline = 0;
  ticks executed = 0;
  ticks lost = 0;                     ///< of the time since the last decision
  ticks whole_time = unbounded_time;  ///< predicted, at the share and the load in force
  share in_force{};
  Progress progress{};
  slowdown known{};  ///< of the last prediction for an operation
  bool has_known = false;
};

/// The active jobs of a set, at most one of each application, with the progress that predictions make them have.
template <std::size_t MaxTasks, JobProgress Progress>
class running_jobs {
 public:
  using load = inline_vector<co_runner, MaxTasks>;

  /// Pre: no job of the task is active.
  constexpr void start(std::size_t task, const running_job<Progress>& j) {
    TAKT_EXPECTS(task < MaxTasks && !jobs_[task].active);
    jobs_[task] = j;
    jobs_[task].active = true;
    ++count_;
  }
  /// Pre: a job of the task is active.
  constexpr void end(std::size_t task) noexcept {
    TAKT_EXPECTS(task < MaxTasks && jobs_[task].active);
    jobs_[task].active = false;
    jobs_[task].in_force = no_share;
    --count_;
  }

  /// Pre: task < MaxTasks; so for the one below.
  [[nodiscard]] constexpr auto operator[](std::size_t task) noexcept -> running_job<Progress>& {
    TAKT_EXPECTS(task < MaxTasks);
    return jobs_[task];
  }
  [[nodiscard]] constexpr auto operator[](std::size_t task) const noexcept -> const running_job<Progress>& {
    TAKT_EXPECTS(task < MaxTasks);
    return jobs_[task];
  }
  [[nodiscard]] constexpr auto count() const noexcept -> std::size_t { return count_; }

  /// Returns the instant up to which time has passed.
  [[nodiscard]] constexpr auto last() const noexcept -> ticks { return last_; }
  /// Lets time pass up to `now`.
  constexpr void advance(ticks now) {
    const ticks elapsed = last_ < now ? now - last_ : 0;
    for (std::size_t i = 0; i < MaxTasks; ++i) {
      running_job<Progress>& j = jobs_[i];
      if (!j.in_force) { continue; }
      const ticks run = j.lost < elapsed ? elapsed - j.lost : 0;
      if (!checked_add(j.executed, run, j.executed)) { j.executed = unbounded_time; }
      j.progress.advance(run, j.whole_time);
      j.lost = 0;
    }
    last_ = last_ < now ? now : last_;
  }

  /// From now on progress counts against times predicted for these shares. Returns the number of predictions.
  template <CoRunPredictor Predictor>
  constexpr auto put_in_force(const share_allocation<MaxTasks>& shares, const Predictor& predictor) -> std::uint32_t {
    std::array<share, MaxTasks> held{};
    for (std::size_t i = 0; i < MaxTasks; ++i) { held[i] = jobs_[i].active ? shares[i] : no_share; }
    std::uint32_t predictions = 0;
    for (std::size_t i = 0; i < MaxTasks; ++i) {
      jobs_[i].in_force = held[i];
      if (!held[i]) { continue; }
      const load others = load_on(i, held);
      jobs_[i].whole_time = usable_time(predictor.predict(i, held[i], {others.data(), others.size()}));
      ++predictions;
    }
    return predictions;
  }

  /// Returns the other active jobs that hold anything, if each held so much.
  [[nodiscard]] constexpr auto load_on(std::size_t task, const std::array<share, MaxTasks>& held) const -> load {
    load out;  // Bound: one per application.
    for (std::uint32_t k = 0; k < MaxTasks; ++k) {
      if (k != task && jobs_[k].active && held[k]) { out.unchecked_push_back({k, held[k]}); }
    }
    return out;
  }

 private:
  std::array<running_job<Progress>, MaxTasks> jobs_{};
  std::size_t count_ = 0;
  ticks last_ = 0;
};

}  // namespace takt::inline TAKT_ABI::detail
