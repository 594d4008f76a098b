// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/core/wide_natural.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/share_allocation.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/rules/shares/job_progress.hpp>
#include <takt/rules/shares/share_policy.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Puts what is decided in force at once. Another type with these members lets it come later.
struct shares_at_once {
  share held{};

  [[nodiscard]] static constexpr auto is_late() noexcept -> bool { return false; }
  [[nodiscard]] constexpr auto in_force() const noexcept -> share { return held; }
  /// Returns when the share in force changes by itself.
  [[nodiscard]] static constexpr auto next_change() noexcept -> ticks { return no_event; }
  constexpr void stop() noexcept { held = no_share; }
  constexpr void decide(share decided, ticks /*now*/) noexcept { held = decided; }
  /// Returns whether something changed.
  static constexpr auto advance(ticks /*now*/) noexcept -> bool { return false; }
};

/// Another type is told what a server of shares does: what an application holds from now on, and each decision.
struct unobserved_shares {
  static constexpr void holds(std::size_t /*task*/, share /*held*/, ticks /*now*/) noexcept {}
  template <class Policy>
  static constexpr void decided(ticks /*now*/, const share_step& /*step*/, const Policy& /*policy*/) noexcept {}
};

}  // namespace detail

/// A GPU whose shares a policy sizes whenever a kernel starts or ends, at most one of each application; more of one
/// wait in the order of their arrival. The first value of a visit is its application, the point its absolute deadline.
/// A kernel takes as large a part of what its application takes as things are as its length is of its longest time: see
/// `SharePolicy`. The unit of a slice is the share in per cent.
///
/// `Progress` says how exactly it is counted what is done of a kernel: a `JobProgress`, or a type that has `clear` in
/// place of `start`. Pre: the table outlives the server, and so does the observer.
template <std::size_t Capacity, std::size_t MaxTasks, SharePolicy Policy, class Progress = fixed_progress,
          class Held = detail::shares_at_once, class Observer = detail::unobserved_shares>
class policy_server {
 public:
  constexpr policy_server() = default;
  constexpr policy_server(const application_set<MaxTasks>& applications, const Policy& policy, const Held& fresh = {},
                          Observer* observer = nullptr)
      : table_{&applications}, truth_{applications}, policy_{policy}, observer_{observer} {
    for (job& j : jobs_) { j.held = fresh; }
  }

  /// Pre: fewer than `Capacity` wait here.
  constexpr void arrive(const visit_request& v) noexcept {
    TAKT_EXPECTS(waiting_count_ < Capacity);
    waiting_[waiting_count_++] = v;
  }
  /// The policy has new information of its own: it is asked again. `decide` follows.
  constexpr void reconsider() noexcept { changed_ = true; }
  constexpr void decide(ticks now, const slice_sink& sink) {
    start_jobs(now);
    if (!changed_) { return; }
    changed_ = false;
    advance(now, sink);
    const share_step step = policy_.decide(now);
    for (std::size_t i = 0; i < MaxTasks; ++i) {
      if (jobs_[i].active) { jobs_[i].held.decide(policy_.held(i), now); }
    }
    if constexpr (requires { policy_.ready_at(); }) { ready_ = policy_.ready_at(); }
    put_in_force(now, sink);
    if (observer_ != nullptr) { observer_->decided(now, step, policy_); }
  }
  [[nodiscard]] constexpr auto next() const -> ticks {
    ticks least = no_event;
    const ticks begin = last_ < ready_ ? ready_ : last_;
    for (const job& j : jobs_) {
      if (!j.active) { continue; }
      const ticks change = j.held.next_change();
      least = change < least ? change : least;
      if (j.progress.finished()) { return last_; }
      ticks end = 0;
      if (j.whole == 0 || !checked_add(begin, j.progress.time_left(j.whole), end)) { continue; }
      least = end < least ? end : least;
    }
    return least;
  }
  constexpr auto fire(ticks now, const slice_sink& sink) -> client {
    advance(now, sink);
    for (std::size_t i = 0; i < MaxTasks; ++i) {
      if (!jobs_[i].active || !jobs_[i].progress.finished()) { continue; }
      policy_.complete(i);
      end_job(i, now, sink);
      return jobs_[i].who;
    }
    return no_client;
  }
  /// Tells each client that proceeds, and its share in per cent.
  constexpr void holders(const holder_sink& to) const {
    for (const job& j : jobs_) {
      if (j.active && j.held.in_force()) { to(j.who, j.held.in_force().percent()); }
    }
  }
  /// `who`, which is served, ends now whatever its length was. `decide` follows.
  constexpr void finish(client who, ticks now, const slice_sink& sink) {
    advance(now, sink);
    for (std::size_t i = 0; i < MaxTasks; ++i) {
      if (!jobs_[i].active || jobs_[i].who != who) { continue; }
      policy_.complete(i);
      return end_job(i, now, sink);
    }
  }
  constexpr void drop(client who, ticks now, const slice_sink& sink) {
    advance(now, sink);
    for (std::size_t i = 0; i < MaxTasks; ++i) {
      if (!jobs_[i].active || jobs_[i].who != who) { continue; }
      policy_.abort(i);
      end_job(i, now, sink);
      return;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < waiting_count_; ++i) {
      if (waiting_[i].who != who) { waiting_[kept++] = waiting_[i]; }
    }
    waiting_count_ = kept;
  }

 private:
  struct job {
    bool active = false;
    client who = no_client;
    ticks length = 0;
    ticks wcet = 1;
    ticks whole = 0;  ///< time of a whole job as things are; 0 while it does not proceed
    share told{};     ///< in force since `since`
    ticks since = 0;
    Held held{};
    Progress progress{};
  };

  constexpr void start_jobs(ticks now) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < waiting_count_; ++i) {
      const visit_request& v = waiting_[i];
      const auto application = static_cast<std::size_t>(v.view.at[0]);
      if (v.view.at[0] < 0 || application >= table_->size() || jobs_[application].active) {
        waiting_[kept++] = v;
        continue;
      }
      start_job(application, v, now);
    }
    waiting_count_ = kept;
  }
  /// Its time has begun when its deadline says so, but not later than it comes.
  constexpr void start_job(std::size_t i, const visit_request& v, ticks now) {
    const ticks deadline = v.point.point < 0 ? 0 : v.point.point;
    ticks release = deadline - table_->tasks[i].deadline;
    release = release < 0 ? 0 : now < release ? now : release;
    policy_.release(i, release, deadline);
    job& j = jobs_[i];
    j.active = true;
    j.who = v.who;
    j.length = v.length;
    j.wcet = v.wcet;
    if constexpr (requires { j.progress.clear(); }) {
      j.progress.clear();
    } else if constexpr (requires { policy_.reference_time(i); }) {
      j.progress = Progress::start(policy_.reference_time(i));
    } else {
      j.progress = Progress::start(table_->tasks[i].alone.at(full_share));
    }
    changed_ = true;
  }
  constexpr void end_job(std::size_t i, ticks now, const slice_sink& sink) {
    job& j = jobs_[i];
    j.held.stop();
    tell(i, now, sink);
    j.active = false;
    j.whole = 0;
    changed_ = true;
  }

  constexpr void advance(ticks now, const slice_sink& sink) {
    const ticks begin = last_ < ready_ ? ready_ : last_;
    bool comes_into_force = false;
    for (job& j : jobs_) {
      if (!j.active) { continue; }
      if (j.whole > 0 && begin < now) { j.progress.advance(now - begin, j.whole); }
      comes_into_force = j.held.advance(now) || comes_into_force;
    }
    last_ = now;
    if (comes_into_force) { put_in_force(now, sink); }
  }
  /// Puts the time of each whole kernel in force from now on. Where shares come late, the policy is told of them.
  constexpr void put_in_force(ticks now, const slice_sink& sink) {
    bool late = false;
    for (std::size_t i = 0; i < MaxTasks; ++i) {
      if (!jobs_[i].active) { continue; }
      tell(i, now, sink);
      jobs_[i].whole = whole_time(i);
      late = late || jobs_[i].held.is_late();
    }
    if constexpr (requires(share_allocation<MaxTasks> held) { policy_.in_force(held, now); }) {
      if (!late) { return; }
      share_allocation<MaxTasks> held;
      for (std::size_t i = 0; i < MaxTasks; ++i) {
        if (jobs_[i].active) { static_cast<void>(held.set(i, jobs_[i].held.in_force())); }
      }
      policy_.in_force(held, now);
    }
  }
  [[nodiscard]] constexpr auto whole_time(std::size_t i) const -> ticks {
    const job& j = jobs_[i];
    if (!j.held.in_force() || j.length >= until_notified) { return 0; }
    const ticks most = longest_time(i);
    if (most == unbounded_time) { return 0; }
    const ticks whole = detail::scaled_up(most, j.length, j.wcet);
    return whole < 1 ? 1 : whole;
  }
  [[nodiscard]] constexpr auto longest_time(std::size_t i) const -> ticks {
    if constexpr (requires { policy_.whole_time(i); }) {
      return policy_.whole_time(i);
    } else {
      inline_vector<co_runner, MaxTasks> load;  // Bound: one per application.
      for (std::uint32_t k = 0; k < MaxTasks; ++k) {
        if (k == i || !jobs_[k].active || !jobs_[k].held.in_force()) { continue; }
        load.unchecked_push_back({k, jobs_[k].held.in_force()});
      }
      return truth_.predict(i, jobs_[i].held.in_force(), {load.data(), load.size()});
    }
  }
  constexpr void tell(std::size_t i, ticks now, const slice_sink& sink) {
    job& j = jobs_[i];
    if (j.told == j.held.in_force()) { return; }
    if (j.told) { sink(j.who, j.told.percent(), j.since, now); }
    j.told = j.held.in_force();
    j.since = now;
    if (observer_ != nullptr) { observer_->holds(i, j.told, now); }
  }

  const application_set<MaxTasks>* table_ = &detail::no_applications<MaxTasks>;
  contention_predictor<MaxTasks> truth_{detail::no_applications<MaxTasks>};
  Policy policy_{};
  Observer* observer_ = nullptr;
  job jobs_[MaxTasks]{};
  visit_request waiting_[Capacity]{};
  std::size_t waiting_count_ = 0;
  ticks last_ = 0;
  ticks ready_ = 0;  ///< before it no kernel proceeds
  bool changed_ = false;
};

}  // namespace takt::inline TAKT_ABI
