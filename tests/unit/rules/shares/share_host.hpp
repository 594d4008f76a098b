// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <takt/core/inline_vector.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/rules/shares/share_scheduler.hpp>

namespace takt_tests {

using takt::share;
using takt::ticks;

struct app {
  ticks whole_gpu_time;
  ticks period;
  ticks deadline;
  std::int32_t priority;
  std::int32_t fixed_per_mille = 0;
};

/// Applications named a, b, c, ...
template <std::size_t N>
[[nodiscard]] constexpr auto applications(const std::array<app, N>& apps) -> takt::application_set<N> {
  constexpr std::string_view names = "abcdefghijklmnop";
  takt::application_set<N> table;
  for (std::size_t i = 0; i < N; ++i) {
    static_cast<void>(table.add({.name = names.substr(i, 1),
                                 .period = apps[i].period,
                                 .deadline = apps[i].deadline,
                                 .priority = apps[i].priority,
                                 .alone = takt::wcet_row::scaling(apps[i].whole_gpu_time, apps[i].fixed_per_mille)}));
  }
  return table;
}

struct release_at {
  std::size_t task;
  ticks at;
};

struct seen_operation {
  ticks at = 0;
  std::string cause;
  takt::decision_kind kind{};
  bool schedulable = false;
  std::vector<int> shares;
  std::vector<int> needs;  ///< in priority order, as far as the operation came

  friend auto operator==(const seen_operation&, const seen_operation&) -> bool = default;
};

struct seen_job {
  std::size_t task = 0;
  ticks release = 0;
  ticks finish = -1;  ///< -1: dropped or still active
  bool missed = false;
};

struct seen_run {
  std::vector<seen_operation> operations;
  std::vector<seen_job> jobs;  ///< in the order of their ends, then those still active
  std::uint32_t predictions = 0;

  [[nodiscard]] auto misses() const -> int {
    int count = 0;
    for (const auto& j : jobs) { count += j.missed ? 1 : 0; }
    return count;
  }
  [[nodiscard]] auto finish(std::size_t task, ticks release) const -> ticks {
    for (const auto& j : jobs) {
      if (j.task == task && j.release == release) { return j.finish; }
    }
    return -2;
  }
  [[nodiscard]] auto refused() const -> int {
    int count = 0;
    for (const auto& o : operations) { count += o.schedulable ? 0 : 1; }
    return count;
  }
};

/// Runs applications whose true times are those of their contention, under a scheduler that predicts as it likes. At
/// one instant: completions, misses (the job is dropped), releases, one decision. Releases must be sorted by time; one
/// whose application still has a job is an error of the test.
template <std::size_t N, class Predictor>
[[nodiscard]] auto run_shares(const takt::application_set<N>& table, const Predictor& predictor,
                              const std::vector<release_at>& releases, ticks horizon, const takt::share_rules& rules,
                              const takt::share_triggers& triggers = takt::every_change) -> seen_run {
  struct true_job {
    bool active = false;
    ticks release = 0;
    ticks whole = takt::unbounded_time;
    takt::fixed_progress progress;
  };
  takt::share_scheduler<N, Predictor> scheduler(table, predictor, rules, triggers);
  const takt::contention_predictor<N> truth(table);
  std::array<true_job, N> jobs{};
  seen_run out;
  std::size_t next_release = 0;
  ticks now = 0;
  const auto end = [&](std::size_t i, ticks finish, bool missed) {
    out.jobs.push_back({i, jobs[i].release, finish, missed});
    jobs[i].active = false;
  };
  for (;;) {
    ticks next = next_release < releases.size() ? releases[next_release].at : horizon;
    for (std::size_t i = 0; i < N; ++i) {
      if (!jobs[i].active) { continue; }
      const ticks deadline = jobs[i].release + table.tasks[i].deadline;
      next = deadline < next ? deadline : next;
      if (scheduler.held(i)) {
        const ticks left = jobs[i].progress.time_left(jobs[i].whole);
        next = now + (left < 1 ? 1 : left) < next ? now + (left < 1 ? 1 : left) : next;
      }
    }
    next = next < horizon ? next : horizon;
    std::string cause;
    for (std::size_t i = 0; i < N; ++i) {
      if (!jobs[i].active) { continue; }
      if (scheduler.held(i)) { jobs[i].progress.advance(next - now, jobs[i].whole); }
    }
    now = next;
    for (std::size_t i = 0; i < N; ++i) {
      if (jobs[i].active && jobs[i].progress.finished()) {
        end(i, now, false);
        static_cast<void>(scheduler.complete(i));
        cause += cause.ends_with('C') ? "" : "C";
      }
    }
    for (std::size_t i = 0; i < N; ++i) {
      if (jobs[i].active && jobs[i].release + table.tasks[i].deadline <= now) {
        end(i, -1, true);
        static_cast<void>(scheduler.abort(i));
        cause += cause.ends_with('M') ? "" : "M";
      }
    }
    if (now >= horizon) { break; }
    for (; next_release < releases.size() && releases[next_release].at == now; ++next_release) {
      const std::size_t i = releases[next_release].task;
      if (!scheduler.release(i, now)) { throw "a release while a job is active"; }
      jobs[i] = {true, now, takt::unbounded_time, takt::fixed_progress::start(scheduler.reference_time(i))};
      cause = cause.starts_with('R') ? cause : "R" + cause;
    }
    const auto& d = scheduler.decide(now);
    out.predictions += d.predictions;
    if (d.kind != takt::decision_kind::nothing && d.kind != takt::decision_kind::idle) {
      seen_operation o{now, cause, d.kind, d.schedulable, {}, {}};
      for (std::size_t i = 0; i < N; ++i) { o.shares.push_back(d.shares[i].percent()); }
      for (const auto& e : d.examined) { o.needs.push_back(e.need); }
      out.operations.push_back(o);
    }
    for (std::size_t i = 0; i < N; ++i) {
      if (!jobs[i].active || !d.shares[i]) { continue; }
      takt::inline_vector<takt::co_runner, N> load;
      for (std::uint32_t k = 0; k < N; ++k) {
        if (k != i && d.shares[k]) { load.unchecked_push_back({k, d.shares[k]}); }
      }
      jobs[i].whole = truth.predict(i, d.shares[i], {load.data(), load.size()});
    }
  }
  for (std::size_t i = 0; i < N; ++i) {
    if (jobs[i].active) { end(i, -1, false); }
  }
  return out;
}

template <std::size_t N>
[[nodiscard]] auto run_shares(const takt::application_set<N>& table, const std::vector<release_at>& releases,
                              ticks horizon, const takt::share_rules& rules,
                              const takt::share_triggers& triggers = takt::every_change) -> seen_run {
  return run_shares(table, takt::contention_predictor<N>(table), releases, horizon, rules, triggers);
}

}  // namespace takt_tests
