// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/core/wide_natural.hpp>
#include <takt/model/shares/share_task.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/rules/shares/job_progress.hpp>
#include <takt/rules/shares/share_scheduler.hpp>

namespace takt {

namespace detail {
template <std::size_t MaxTasks>
inline constexpr share_table<MaxTasks> no_applications{};
}  // namespace detail

/// A GPU whose shares a `share_scheduler` sizes whenever a kernel starts or ends, at most one of each application; more
/// of one wait in the order of their arrival. The first value of a visit is its application, the point its absolute
/// deadline. A kernel takes as large a part of what its application takes with a share, beside the others with theirs,
/// as its length is of its longest time. The unit of a slice is the share in per cent.
///
/// What is done of a kernel is rounded down as `fixed_progress` does, which delays no end beyond a deadline that
/// `sufficient_shares` promises. Pre: `applications` outlives it.
template <std::size_t Capacity, std::size_t MaxTasks>
class share_server {
 public:
  constexpr share_server() : share_server(detail::no_applications<MaxTasks>, {}, {}) {}
  constexpr share_server(const share_table<MaxTasks>& applications, const share_rules& rules,
                         const share_triggers& triggers)
      : truth_{applications}, scheduler_{applications, truth_, rules, triggers} {}

  constexpr void arrive(const visit_request& v) noexcept { waiting_[waiting_count_++] = v; }
  constexpr void decide(ticks now, const slice_sink& sink) {
    start_jobs(now);
    if (!changed_) { return; }
    changed_ = false;
    advance(now);
    static_cast<void>(scheduler_.decide(now));
    for (std::size_t i = 0; i < MaxTasks; ++i) {
      if (jobs_[i].active && jobs_[i].held != scheduler_.held(i)) {
        tell(i, now, sink);
        jobs_[i].held = scheduler_.held(i);
        jobs_[i].since = now;
      }
    }
    for (std::size_t i = 0; i < MaxTasks; ++i) { jobs_[i].whole = whole_time(i); }
  }
  [[nodiscard]] constexpr auto next() const -> ticks {
    ticks least = no_event;
    for (const job& j : jobs_) {
      if (j.whole == 0) { continue; }
      const ticks end = last_ + (j.progress.finished() ? 0 : j.progress.time_left(j.whole));
      least = end < least ? end : least;
    }
    return least;
  }
  constexpr auto fire(ticks now, const slice_sink& sink) -> client {
    advance(now);
    for (std::size_t i = 0; i < MaxTasks; ++i) {
      if (!jobs_[i].active || !jobs_[i].progress.finished()) { continue; }
      tell(i, now, sink);
      const client who = jobs_[i].who;
      jobs_[i] = {};
      static_cast<void>(scheduler_.complete(i));
      changed_ = true;
      return who;
    }
    return no_client;
  }

 private:
  struct job {
    bool active = false;
    client who = no_client;
    ticks length = 0;
    ticks wcet = 1;
    ticks whole = 0;  ///< time of a whole job as things are; 0 while it does not proceed
    share held{};
    ticks since = 0;
    fixed_progress progress{};
  };

  constexpr void start_jobs(ticks now) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < waiting_count_; ++i) {
      const visit_request& v = waiting_[i];
      const auto application = static_cast<std::size_t>(v.view.at[0]);
      if (v.view.at[0] < 0 || application >= MaxTasks || jobs_[application].active) {
        waiting_[kept++] = v;
        continue;
      }
      const ticks deadline = v.point.point < 0 ? 0 : v.point.point;
      static_cast<void>(scheduler_.release(application, now < deadline ? now : deadline, deadline));
      jobs_[application] = {.active = true, .who = v.who, .length = v.length, .wcet = v.wcet};
      jobs_[application].progress = fixed_progress::start(scheduler_.reference_time(application));
      changed_ = true;
    }
    waiting_count_ = kept;
  }
  constexpr void advance(ticks now) {
    for (job& j : jobs_) {
      if (j.whole > 0 && last_ < now) { j.progress.advance(now - last_, j.whole); }
    }
    last_ = now;
  }
  [[nodiscard]] constexpr auto whole_time(std::size_t i) const -> ticks {
    const job& j = jobs_[i];
    if (!j.active || !j.held) { return 0; }
    inline_vector<co_runner, MaxTasks> load;
    for (std::uint32_t k = 0; k < MaxTasks; ++k) {
      if (k != i && jobs_[k].active && jobs_[k].held) { static_cast<void>(load.push_back({k, jobs_[k].held})); }
    }
    const ticks most = truth_.predict(i, j.held, {load.data(), load.size()});
    if (most == unbounded_time) { return 0; }
    const ticks whole = detail::scaled_up(most, j.length, j.wcet);
    return whole < 1 ? 1 : whole;
  }
  constexpr void tell(std::size_t i, ticks now, const slice_sink& sink) const {
    if (jobs_[i].held) { sink(jobs_[i].who, jobs_[i].held.percent(), jobs_[i].since, now); }
  }

  contention_predictor<MaxTasks> truth_;
  share_scheduler<MaxTasks, contention_predictor<MaxTasks>> scheduler_;
  job jobs_[MaxTasks]{};
  visit_request waiting_[Capacity]{};
  std::size_t waiting_count_ = 0;
  ticks last_ = 0;
  bool changed_ = false;
};

}  // namespace takt
