// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/core/to_index.hpp>
#include <takt/host/job_state.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/observation.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI::host {

using resource_id = std::int32_t;

/// Time for which a job is pending but neither runs nor suspends itself although its priority would let it run. As long
/// as it is among the c best pending jobs of its cluster that is s-oblivious blocking, split by why it does not run.
/// S-aware blocking lasts while fewer than c better jobs are pending without waiting and without suspending themselves.
/// Source: Elliott 2015, section 2.1.6.3.
struct priority_inversion {
  ticks waiting = 0;  ///< with an unsatisfied request
  ticks donating = 0;
  ticks ready = 0;  ///< less important jobs run instead
  ticks aware = 0;

  [[nodiscard]] constexpr auto oblivious() const noexcept -> ticks { return waiting + donating + ready; }
  [[nodiscard]] friend constexpr auto operator==(const priority_inversion&, const priority_inversion&) noexcept
      -> bool = default;
};

struct job_outcome {
  ticks release = no_instant;
  ticks finish = no_instant;
  priority_inversion inversion{};
};

/// A request of a job for one resource; of a group one per resource, in the order of the group.
struct request_outcome {
  std::size_t job = 0;  ///< position among all jobs
  resource_id resource = 0;
  ticks issued = no_instant;
  ticks satisfied = no_instant;
  ticks released = no_instant;
  ticks blocked = 0;  ///< s-oblivious blocking while it was the first unsatisfied request of its job
  replica_id replica = no_replica;
};

struct lock_result {
  model_error error{};
  ticks end = 0;  ///< the last instant at which anything happened
  std::vector<job_outcome> jobs{};
  std::vector<request_outcome> requests{};  ///< in the order of issue
};

/// Jobs of one task among all jobs.
struct task_jobs {
  std::size_t first_job = 0;
  std::size_t job_count = 0;
};

/// Holds what a pending job does for an interval of time.
struct pending_job {
  std::uint32_t task = 0;
  priority_point base{};
  job_state state = job_state::ready;
};

/// Charges the jobs of a cluster with `processors` for an interval of time in which nothing changes. `pending`: best
/// base priority first. `inversion_of(task)` is charged; `blocked(task)` hears of requests. Cost: a step per pending
/// job.
template <class InversionOf, class Blocked>
constexpr void charge(std::span<const pending_job> pending, std::int32_t processors, ticks length,
                      const InversionOf& inversion_of, const Blocked& blocked) {
  std::int32_t better = 0;
  std::int32_t better_and_able = 0;  // neither waiting nor suspended
  for (const pending_job& j : pending) {
    const bool scheduled = j.state == job_state::scheduled || j.state == job_state::spinning;
    const bool waits = j.state == job_state::waiting;
    const bool suspended = j.state == job_state::suspended;
    if (!scheduled && !suspended && better_and_able < processors) {
      priority_inversion& i = inversion_of(j.task);
      i.aware += length;
      if (better < processors && waits) {
        i.waiting += length;
        blocked(j.task);
      } else if (better < processors) {
        (j.state == job_state::donor ? i.donating : i.ready) += length;
      }
    }
    ++better;
    better_and_able += waits || suspended ? 0 : 1;
  }
}

/// Hears of jobs and of requests for locks in a run of the engine, and measures how long jobs are blocked. Its clients
/// are tasks, whose jobs do not overlap. Cost: per instant a pass over tasks.
class lock_log {
 public:
  /// `tasks`: the jobs of each and its cluster.
  lock_log(std::vector<task_jobs> tasks, std::vector<std::int32_t> clusters, std::int32_t processors)
      : tasks_{std::move(tasks)},
        clusters_{std::move(clusters)},
        processors_{processors},
        current_(tasks_.size()),
        waiting_(tasks_.size()),
        held_(tasks_.size()),
        states_(tasks_.size()) {
    std::size_t jobs = 0;
    for (const task_jobs& t : tasks_) { jobs += t.job_count; }
    seen_.jobs.resize(jobs);
    for (const std::int32_t c : clusters_) { pending_.resize(std::max(pending_.size(), to_index(c) + 1)); }
    for (auto& line : pending_) { line.reserve(tasks_.size()); }
    for (std::vector<std::vector<std::size_t>>* of : {&waiting_, &held_}) {
      for (auto& requests : *of) { requests.reserve(usual_depth); }
    }
  }

  [[nodiscard]] auto now() const noexcept -> ticks { return seen_.end; }
  [[nodiscard]] auto seen() noexcept -> lock_result& { return seen_; }
  [[nodiscard]] auto tasks() const noexcept -> const std::vector<task_jobs>& { return tasks_; }
  /// Position among all jobs of the one of a task that is pending, or was.
  [[nodiscard]] auto job_of(std::size_t task) const noexcept -> std::size_t { return current_[task]; }

  template <class Run>
  void passes(const Run& run, ticks now) {
    const ticks length = now - seen_.end;
    seen_.end = now;
    if (length == 0) { return; }
    run.states(there_, states_);
    for (std::vector<pending_job>& cluster : pending_) {
      for (pending_job& j : cluster) { j.state = states_[j.task]; }
      charge(
          std::span<const pending_job>{cluster}, processors_, length,
          [this](std::uint32_t t) -> priority_inversion& { return seen_.jobs[current_[t]].inversion; },
          [this, length](std::uint32_t t) { seen_.requests[waiting_[t].front()].blocked += length; });
    }
  }
  void released(std::uint32_t task, std::uint64_t job, ticks release, const priority_point& base) {
    current_[task] = tasks_[task].first_job + static_cast<std::size_t>(job);
    seen_.jobs[current_[task]].release = release;
    there_.push_back(task);
    put_in_line(task, base);
  }
  /// Jobs that are there have the base priorities `base_of(task)` from now on.
  template <class BaseOf>
  void ranked(const BaseOf& base_of) {
    for (std::vector<pending_job>& line : pending_) {
      for (pending_job& j : line) { j.base = base_of(j.task); }
      std::ranges::sort(line, {}, [](const pending_job& j) { return std::pair{j.base, j.task}; });
    }
  }
  void completed(std::uint32_t task, ticks now) {
    seen_.jobs[current_[task]].finish = now;
    std::erase(there_, task);
    std::erase_if(line_of(task), [task](const auto& j) { return j.task == task; });
  }

  void asked(std::size_t task, resource_id r) {
    waiting_[task].push_back(seen_.requests.size());
    seen_.requests.push_back({.job = current_[task], .resource = r, .issued = now()});
  }
  void granted(std::size_t task, resource_id r, replica_id replica) {
    const std::size_t q = take(waiting_[task], r);
    held_[task].push_back(q);
    seen_.requests[q].satisfied = now();
    seen_.requests[q].replica = replica;
  }
  void given_back(std::size_t task, resource_id r) { seen_.requests[take(held_[task], r)].released = now(); }
  [[nodiscard]] auto waits(std::size_t task) const -> bool { return !waiting_[task].empty(); }
  [[nodiscard]] auto holds(std::size_t task) const -> bool { return !held_[task].empty(); }
  /// Returns what a job took last of all that it holds. Pre: it holds something.
  [[nodiscard]] auto latest(std::size_t task) const -> const request_outcome& {
    TAKT_EXPECTS(!held_[task].empty());
    return seen_.requests[held_[task].back()];
  }

 private:
  static constexpr std::size_t usual_depth = 4;  ///< of requests in one another

  [[nodiscard]] auto line_of(std::uint32_t task) -> std::vector<pending_job>& {
    return pending_[to_index(clusters_[task])];
  }
  void put_in_line(std::uint32_t task, const priority_point& base) {
    std::vector<pending_job>& line = line_of(task);
    const auto at = std::ranges::find_if(
        line, [&](const pending_job& j) { return base < j.base || (base == j.base && task < j.task); });
    line.insert(at, {.task = task, .base = base});
  }
  /// Pre: a request of the resource is among them.
  [[nodiscard]] auto take(std::vector<std::size_t>& from, resource_id r) -> std::size_t {
    const auto at = std::ranges::find(from, r, [this](std::size_t q) { return seen_.requests[q].resource; });
    TAKT_EXPECTS(at != from.end());
    const std::size_t q = *at;
    from.erase(at);
    return q;
  }

  std::vector<task_jobs> tasks_;
  std::vector<std::int32_t> clusters_;
  std::int32_t processors_;
  lock_result seen_;
  std::vector<std::size_t> current_;
  std::vector<std::vector<std::size_t>> waiting_;  ///< per task, requests in the order of issue
  std::vector<std::vector<std::size_t>> held_;     ///< the same in the order of the grants
  std::vector<std::uint32_t> there_;               ///< tasks whose jobs are
  std::vector<job_state> states_;                  ///< of these
  std::vector<std::vector<pending_job>> pending_;  ///< per cluster, best base priority first
};

}  // namespace takt::inline TAKT_ABI::host
