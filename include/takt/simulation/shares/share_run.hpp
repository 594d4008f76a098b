// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/miss_action.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/rules/shares/share_policy.hpp>
#include <takt/simulation/lengths.hpp>
#include <takt/simulation/shares/options.hpp>
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

/// A run of applications on the engine: says when jobs come and how long they take, hears what the server of shares
/// does, and tells a recorder of all that in the order in which it happens.
template <std::size_t MaxTasks, SharePolicy Policy, ShareReleases Releases, TraceRecorder Recorder>
class share_run {
 public:
  /// How long a whole job is for the engine. So fine that the shortest job takes one tick with any share.
  static constexpr ticks whole_job = ticks{1'000'000} << 38;

  /// Pre: all that is passed by reference outlives it.
  share_run(const application_set<MaxTasks>& table, const Policy& policy, const Releases& releases,
            const share_options& options, Recorder& recorder)
      : table_{&table},
        policy_{&policy},
        releases_{&releases},
        recorder_{&recorder},
        options_{options},
        work_{options.execution, options.seed},
        states_(table.size()) {
    for (std::size_t i = 0; i < table.size(); ++i) { look_ahead(i); }
  }

  // What the engine asks.

  auto gap(std::uint32_t task, std::uint64_t job, ticks /*period*/) -> ticks {
    ticks& asked = states_[task].asked;
    const ticks before = asked;
    const bool comes = releases_->release(task, static_cast<std::int64_t>(job), asked) && asked < options_.horizon;
    if (!comes) { asked = no_event; }
    return asked - before;
  }
  static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) noexcept -> ticks { return 0; }
  auto length(const visit_record& v, std::uint64_t /*job*/) -> ticks {
    state& s = states_[v.task];
    tell_releases(v.task + 1);
    static_cast<void>(releases_->release(v.task, static_cast<std::int64_t>(s.activity.started), s.release));
    ++s.activity.started;
    s.active = true;
    const ticks part = work_.draw({0, 1'000'000});
    note(mark_kind::deadline, v.task, s.release + table_->tasks[v.task].deadline);
    return part == 0 ? 1 : part * (whole_job / 1'000'000);
  }
  void completed(std::uint32_t task, std::uint64_t /*job*/, ticks now) {
    note(mark_kind::completion, task, now);
    states_[task].active = false;
  }
  [[nodiscard]] static auto minds_misses() noexcept -> bool { return true; }
  auto missed(std::uint32_t task, std::uint64_t /*job*/, ticks deadline) -> miss_action {
    missed_now_ = true;
    stopped_ = stopped_ || stops_run(options_.at_miss);
    note(mark_kind::miss, task, deadline);
    if (aborts_job(options_.at_miss)) { states_[task].active = false; }
    return options_.at_miss;
  }

  // What the server tells.

  /// A slice per stretch of time with one share, which is its `segment`; the track is the application's own.
  void holds(std::size_t i, share held, ticks now) {
    state& s = states_[i];
    if (s.held && s.held_from < now) {
      recorder_->record(slice{.task = static_cast<std::uint32_t>(i),
                              .segment = static_cast<std::uint32_t>(s.held.percent()),
                              .job = s.activity.started - 1,
                              .where = {.where = stage::kernel, .index = static_cast<std::int32_t>(i)},
                              .start = s.held_from,
                              .end = now});
    }
    s.held = held;
    s.held_from = now;
  }
  template <class Any>
  void decided(ticks now, const share_step& step, const Any& /*policy*/) {
    effort_.operations += step.operated ? 1 : 0;
    effort_.skipped += step.skipped ? 1 : 0;
    effort_.refilled += step.refilled ? 1 : 0;
    effort_.refusals += step.operated && !step.schedulable ? 1 : 0;
    effort_.predictions += step.predictions;
    effort_.predictor_calls += step.predictor_calls;
    effort_.share_changes += step.share_changes;
    for (state& s : states_) {
      if (!s.active) { continue; }
      s.activity.operations += step.operated ? 1 : 0;
      s.activity.predictions += step.predictions;
    }
    if constexpr (requires(share_operation<Policy> o) { recorder_->record(o); }) {
      if (!step.operated) { return; }
      tell_releases(states_.size());
      recorder_->record(share_operation<Policy>{now, missed_now_, *policy_});
    }
  }

  /// Lets the engine go through the run. Returns its end.
  template <class Engine>
  auto drive(Engine& engine) -> ticks {
    engine.begin(unheard_);
    while (!stopped_) {
      const ticks next = std::min<ticks>(engine.next_instant(), next_release());
      if (next == no_event) { break; }
      now_ = std::min(next, options_.horizon);
      missed_now_ = false;
      if (now_ == options_.horizon) { break; }
      engine.step(now_);
      if (!stopped_) { tell_releases(states_.size()); }
    }
    engine.end_jobs(now_);
    for (std::size_t i = 0; i < states_.size(); ++i) { holds(i, no_share, now_); }
    return now_;
  }
  template <class Seen>
  [[nodiscard]] auto result(const Seen& seen) const -> share_observation<MaxTasks> {
    share_observation<MaxTasks> out;
    out.end = now_;
    out.effort = effort_;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      auto t = seen.tasks[i];
      t.first_visit = t.visit_count = 0;
      t.released = states_[i].released;
      t.unfinished = t.released - t.completed;
      static_cast<void>(out.tasks.push_back(t));
      static_cast<void>(out.activities.push_back(states_[i].activity));
    }
    return out;
  }

 private:
  struct state {
    ticks asked = 0;        ///< release of the last job that the engine asked for
    ticks next = no_event;  ///< release of the job after the last one that was told of
    ticks release = 0;      ///< of the active job
    share held{};           ///< since `held_from`
    ticks held_from = 0;
    std::uint64_t released = 0;
    bool active = false;
    share_activity activity{};
  };

  void look_ahead(std::size_t i) {
    state& s = states_[i];
    if (!releases_->release(i, static_cast<std::int64_t>(s.released), s.next)) { s.next = no_event; }
  }
  [[nodiscard]] auto next_release() const -> ticks {
    ticks first = no_event;
    for (const state& s : states_) { first = std::min(first, s.next); }
    return first;
  }
  /// Also of jobs that wait for the one before, of the first applications. Until now.
  void tell_releases(std::size_t applications) {
    for (std::size_t i = 0; i < applications; ++i) {
      state& s = states_[i];
      for (; s.next <= now_; look_ahead(i)) {
        recorder_->record(mark{mark_kind::release, static_cast<std::uint32_t>(i), s.released, s.next});
        ++s.released;
      }
    }
  }
  void note(mark_kind what, std::size_t i, ticks time) {
    recorder_->record(mark{what, static_cast<std::uint32_t>(i), states_[i].activity.started - 1, time});
  }

  const application_set<MaxTasks>* table_;
  const Policy* policy_;
  const Releases* releases_;
  Recorder* recorder_;
  share_options options_;
  lengths work_;
  std::vector<state> states_;
  slice_sink unheard_{};
  share_effort effort_{};
  ticks now_ = 0;
  bool missed_now_ = false;
  bool stopped_ = false;
};

}  // namespace takt::simulation
