// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/core/wide_natural.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/shares/share_allocation.hpp>
#include <takt/model/shares/share_task.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/simulation/lengths.hpp>
#include <takt/simulation/shares/actuator.hpp>
#include <takt/simulation/shares/history_progress.hpp>
#include <takt/simulation/shares/options.hpp>
#include <takt/simulation/shares/policy.hpp>
#include <takt/simulation/shares/releases.hpp>
#include <takt/simulation/shares/result.hpp>

namespace takt::simulation {

/// What a recorder with `record(const share_operation<Policy>&)` hears after each operation: who took it and when.
template <class Policy>
struct share_operation {
  ticks time = 0;
  bool missed = false;  ///< a deadline passed at this instant, also where that is no event for the policy
  const Policy& policy;
};

/// Virtual time over a policy that hands out shares of one GPU. Whether a job is done is decided exactly.
///
/// Order within one instant: progress; completions; misses; releases; then at most one decision, on everything that
/// happened. A job that is complete at its deadline is in time.
template <std::size_t MaxTasks, SharePolicy Policy, ShareReleases Releases, TraceRecorder Recorder>
class share_simulator {
 public:
  using table_type = share_table<MaxTasks>;
  using result_type = share_observation<MaxTasks>;

  /// Pre: the table is without fault, horizon and delay are not negative. What is passed by reference outlives it.
  share_simulator(const table_type& table, Policy& policy, const Releases& releases, const share_options& options,
                  Recorder& recorder)
      : table_{&table},
        policy_{&policy},
        releases_{&releases},
        recorder_{&recorder},
        options_{options},
        truth_{table},
        work_{options.execution, options.seed} {
    states_.reserve(table.size());
    for (std::size_t i = 0; i < table.size(); ++i) {
      states_.emplace_back(options);
      states_[i].seen.name = table.tasks[i].name;
      states_[i].comes = releases.release(i, 0, states_[i].next);
    }
  }

  auto run() -> result_type {
    for (ticks next = 0; next_instant(next);) {
      advance(std::min(next, options_.horizon));
      complete_jobs();
      note_misses();
      if ((missed_ && stops_run(options_.at_miss)) || now_ >= options_.horizon) { break; }
      release_jobs();
      decide();
    }
    return result();
  }

 private:
  struct state {
    explicit state(const share_options& options) : progress{usual_history}, held{options} {}

    history_progress progress;
    share_actuator held;
    ticks next = 0;  ///< release of the job after the last released one
    bool comes = false;
    bool active = false;
    bool late = false;
    ticks release = 0;  ///< this and what follows: of the active job
    ticks deadline = 0;
    ticks work = 0;   ///< millionths of the longest times that it takes
    ticks whole = 0;  ///< time of a whole job as things are; 0 when it does not proceed
    share traced{};   ///< held since `traced_from`
    ticks traced_from = 0;
    observed_task<ticks> seen{};
    share_activity activity{};
  };
  static constexpr ticks all_work = 1'000'000;
  static constexpr std::size_t usual_history = 64;
  static constexpr ticks never = share_actuator::no_change;

  [[nodiscard]] auto next_instant(ticks& out) const -> bool {
    ticks first = never;
    for (const state& s : states_) {
      if (s.comes) { first = std::min(first, s.next); }
      first = std::min(first, s.held.next_change());
      if (!s.active) { continue; }
      if (!s.late && s.deadline > now_) { first = std::min(first, s.deadline); }
      if (s.whole == 0) { continue; }
      ticks end = 0;
      if (checked_add(std::max(now_, ready_), std::max<ticks>(1, s.progress.time_left(s.whole)), end)) {
        first = std::min(first, end);
      }
    }
    out = first;
    return first != never;
  }

  void advance(ticks to) {
    const ticks executed = to - std::max(now_, ready_);
    bool comes_into_force = false;
    for (state& s : states_) {
      if (s.active && s.whole > 0 && executed > 0) { s.progress.advance(executed, s.whole); }
      comes_into_force = s.held.advance(to) || comes_into_force;
    }
    now_ = to;
    missed_now_ = false;
    if (comes_into_force) { put_in_force(); }
  }

  void complete_jobs() {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      state& s = states_[i];
      if (!s.active || !s.progress.finished()) { continue; }
      policy_->complete(i);
      note_completion(s.seen, now_ - s.release);
      if (s.deadline < now_) { count_miss(i); }
      note(mark_kind::completion, i, now_);
      end_job(i);
    }
  }
  void note_misses() {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const state& s = states_[i];
      if (!s.active || now_ < s.deadline || s.late) { continue; }
      count_miss(i);
      if (!aborts_job(options_.at_miss)) { continue; }
      policy_->abort(i);
      end_job(i);
    }
  }
  void count_miss(std::size_t i) {
    state& s = states_[i];
    if (s.late) { return; }
    s.late = missed_ = missed_now_ = true;
    note_miss(s.seen, s.deadline);
    note(mark_kind::miss, i, s.deadline);
  }
  void end_job(std::size_t i) {
    state& s = states_[i];
    s.held.stop();
    trace_share(i);
    s.active = false;
    s.whole = 0;
    changed_ = true;
  }

  void release_jobs() {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      state& s = states_[i];
      while (s.comes && s.next <= now_) {
        recorder_->record(mark{mark_kind::release, static_cast<std::uint32_t>(i), s.seen.released, s.next});
        ++s.seen.released;
        s.comes = releases_->release(i, static_cast<std::int64_t>(s.seen.released), s.next);
      }
      if (!s.active && s.activity.started < s.seen.released) { start_job(i); }
    }
  }
  void start_job(std::size_t i) {
    state& s = states_[i];
    if (!releases_->release(i, static_cast<std::int64_t>(s.activity.started), s.release) ||
        !checked_add(s.release, table_->tasks[i].deadline, s.deadline)) {
      s.deadline = never;
    }
    ++s.activity.started;
    s.active = true;
    s.work = work_.draw({0, all_work});
    s.late = false;
    s.progress.clear();
    note(mark_kind::deadline, i, s.deadline);
    policy_->release(i, s.release, s.deadline);
    changed_ = true;
  }

  void decide() {
    if (!changed_) { return; }
    changed_ = false;
    const share_step step = policy_->decide(now_);
    effort_.operations += step.operated ? 1 : 0;
    effort_.skipped += step.skipped ? 1 : 0;
    effort_.refilled += step.refilled ? 1 : 0;
    effort_.refusals += step.operated && !step.schedulable ? 1 : 0;
    effort_.predictions += step.predictions;
    effort_.predictor_calls += step.predictor_calls;
    effort_.share_changes += step.share_changes;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      state& s = states_[i];
      if (!s.active) { continue; }
      s.activity.operations += step.operated ? 1 : 0;
      s.activity.predictions += step.predictions;
      s.held.decide(policy_->held(i), now_);
    }
    if constexpr (requires { policy_->ready_at(); }) { ready_ = policy_->ready_at(); }
    put_in_force();
    if constexpr (requires(share_operation<Policy> o) { recorder_->record(o); }) {
      if (step.operated) { recorder_->record(share_operation<Policy>{now_, missed_now_, *policy_}); }
    }
  }

  /// What a whole job of each application takes from now on. Where shares come late, the policy hears of them.
  void put_in_force() {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      state& s = states_[i];
      if (!s.active) { continue; }
      trace_share(i);
      const ticks most = s.held.in_force() ? longest_time(i) : unbounded_time;
      s.whole = most == unbounded_time ? 0 : std::max<ticks>(takt::detail::scaled_up(most, s.work, all_work), 1);
    }
    if constexpr (requires(share_allocation<MaxTasks> held) { policy_->in_force(held, now_); }) {
      if (options_.actuation_delay == 0) { return; }
      share_allocation<MaxTasks> held;
      for (std::size_t i = 0; i < states_.size(); ++i) {
        if (states_[i].active) { static_cast<void>(held.set(i, states_[i].held.in_force())); }
      }
      policy_->in_force(held, now_);
    }
  }
  [[nodiscard]] auto longest_time(std::size_t i) const -> ticks {
    if constexpr (requires { policy_->whole_time(i); }) {
      return policy_->whole_time(i);
    } else {
      inline_vector<co_runner, MaxTasks> load;
      for (std::size_t k = 0; k < states_.size(); ++k) {
        if (k == i || !states_[k].active || !states_[k].held.in_force()) { continue; }
        static_cast<void>(load.push_back({static_cast<std::uint32_t>(k), states_[k].held.in_force()}));
      }
      return truth_.predict(i, states_[i].held.in_force(), {load.begin(), load.size()});
    }
  }

  void note(mark_kind what, std::size_t i, ticks time) {
    recorder_->record(mark{what, static_cast<std::uint32_t>(i), states_[i].activity.started - 1, time});
  }
  /// A slice per stretch of time with one share, which is its `segment`; the track is the application's own.
  void trace_share(std::size_t i) {
    state& s = states_[i];
    if (s.traced == s.held.in_force()) { return; }
    if (s.traced && s.traced_from < now_) {
      recorder_->record(slice{.task = static_cast<std::uint32_t>(i),
                              .segment = static_cast<std::uint32_t>(s.traced.percent()),
                              .job = s.activity.started - 1,
                              .where = {.where = stage::kernel, .index = static_cast<std::int32_t>(i)},
                              .start = s.traced_from,
                              .end = now_});
    }
    s.traced = s.held.in_force();
    s.traced_from = now_;
  }

  auto result() -> result_type {
    note_misses();  // of jobs that started after their deadlines at the last instant of all
    result_type out;
    out.end = now_;
    out.effort = effort_;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      states_[i].held.stop();
      trace_share(i);
      states_[i].seen.unfinished = states_[i].seen.released - states_[i].seen.completed;
      static_cast<void>(out.tasks.push_back(states_[i].seen));
      static_cast<void>(out.activities.push_back(states_[i].activity));
    }
    return out;
  }

  const table_type* table_;
  Policy* policy_;
  const Releases* releases_;
  Recorder* recorder_;
  share_options options_;
  contention_predictor<MaxTasks> truth_;
  lengths work_;
  std::vector<state> states_;
  share_effort effort_{};
  ticks now_ = 0;
  ticks ready_ = 0;  ///< before it no job proceeds
  bool changed_ = false;
  bool missed_ = false;
  bool missed_now_ = false;
};

}  // namespace takt::simulation
