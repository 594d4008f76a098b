// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_fault.hpp>
#include <takt/model/priority_point.hpp>
#include <takt/rules/graph/token_counter.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Holds what the jobs of a workload wait for. A job is ready once its invocation, the jobs or tokens before it and,
/// without a clock, the job before it are there. It may start once it is its turn in its task, and nothing feeds back.
/// A job is known by its position among all jobs.
class job_gates {
 public:
  /// More jobs than this are refused.
  static constexpr std::size_t max_jobs = std::size_t{1} << 24U;

  /// Returns false when the workload has no run: a task that nothing releases, tokens that multiply without end, counts
  /// that are not positive, names out of range. Pre: clocks of tasks are below `invocations.size()`; it outlives this.
  [[nodiscard]] auto set_up(const graph_workload<ticks>& w, const std::vector<std::vector<ticks>>& invocations)
      -> bool {
    TAKT_EXPECTS(std::ranges::all_of(w.tasks, [&](const auto& t) {
      return t.clock == no_clock || (0 <= t.clock && static_cast<std::size_t>(t.clock) < invocations.size());
    }));
    work_ = &w;
    tasks_.assign(w.tasks.size(), task_state{});
    next_.assign(w.dependencies.size(), 0);
    for (std::size_t i = 0; i < w.dependencies.size(); ++i) {
      const auto& e = w.dependencies[i];
      const bool rated = e.produce == 0 || (e.produce > 0 && e.consume > 0 && e.threshold >= e.consume);
      if (e.from >= tasks_.size() || e.to >= tasks_.size() || e.lag < 0 || !rated) { return false; }
      tasks_[e.from].out.push_back(i);
      tasks_[e.to].in.push_back(i);
    }
    if (!count_jobs(invocations)) { return false; }
    ended_.assign(first_.back(), false);
    return true;
  }

  [[nodiscard]] auto jobs() const noexcept -> std::size_t { return first_.back(); }
  [[nodiscard]] auto jobs(std::size_t task) const noexcept -> std::size_t { return first_[task + 1] - first_[task]; }
  [[nodiscard]] auto job(std::size_t task, std::size_t number) const noexcept -> std::size_t {
    return first_[task] + number;
  }

  /// Returns whether a job is ready that was not ready before. Pre: it exists.
  [[nodiscard]] auto is_ready(std::size_t task, std::size_t number) const -> bool {
    TAKT_EXPECTS(number < jobs(task));
    const std::size_t come = tasks_[task].come;
    return (work_->tasks[task].clock == no_clock ? number == come : number < come) && passes(task, number, false);
  }
  /// Pre: it is ready.
  [[nodiscard]] auto may_start(std::size_t task, std::size_t number) const -> bool {
    TAKT_EXPECTS(number < jobs(task));
    const std::int64_t p = work_->tasks[task].parallelism;
    const bool in_turn = p == unrestricted_parallelism || number < tasks_[task].ended + static_cast<std::size_t>(p);
    return in_turn && passes(task, number, true);
  }
  /// Counts one more invocation of a task, or one more job without a clock that was ready.
  void come(std::size_t task) noexcept { ++tasks_[task].come; }
  /// Calls `wake(task, number)` for each job that may have waited for the end of this one.
  template <class F>
  void complete(std::uint32_t task, std::size_t number, const F& wake) {
    task_state& t = tasks_[task];
    ended_[job(task, number)] = true;
    ++t.ended;
    for (const std::size_t i : t.out) {
      const graph_dependency& e = work_->dependencies[i];
      if (e.produce == 0) { wake(e.to, number + static_cast<std::size_t>(e.lag)); }
      for (std::size_t& n = next_[i]; e.produce > 0 && n < jobs(e.to) && passes(e, n); ++n) { wake(e.to, n); }
    }
    const std::int64_t p = work_->tasks[task].parallelism;
    if (p != unrestricted_parallelism) { wake(task, t.ended + static_cast<std::size_t>(p) - 1); }
  }

 private:
  struct task_state {
    std::size_t come = 0;
    std::size_t ended = 0;
    std::vector<std::size_t> in{};  ///< edges
    std::vector<std::size_t> out{};
  };

  [[nodiscard]] auto passes(const graph_dependency& e, std::size_t number) const -> bool {
    if (e.produce == 0) {
      const auto lag = static_cast<std::size_t>(e.lag);
      return number < lag || (number - lag < jobs(e.from) && ended_[job(e.from, number - lag)]);
    }
    const token_edge tokens{e.from, e.to, e.produce, e.consume, e.threshold, e.lag};
    return jobs_needed(tokens, static_cast<std::int64_t>(number) + 1) <=
           static_cast<std::int64_t>(tasks_[e.from].ended);
  }
  [[nodiscard]] auto passes(std::size_t task, std::size_t number, bool feedback) const -> bool {
    return std::ranges::all_of(tasks_[task].in, [&](std::size_t i) {
      const graph_dependency& e = work_->dependencies[i];
      return e.feedback != feedback || passes(e, number);
    });
  }

  /// Returns how many jobs an edge lets its consumer have, after so many jobs of its producer.
  [[nodiscard]] static auto supplied(const graph_dependency& e, std::size_t produced) -> std::size_t {
    if (e.produce == 0) { return produced + static_cast<std::size_t>(e.lag); }
    const std::int64_t tokens = e.lag + e.produce * static_cast<std::int64_t>(produced);
    return tokens < e.threshold ? 0 : static_cast<std::size_t>((tokens - e.threshold) / e.consume) + 1;
  }
  [[nodiscard]] auto count_jobs(const std::vector<std::vector<ticks>>& invocations) -> bool {
    const std::size_t n = tasks_.size();
    std::vector<std::size_t> counts(n, 0);
    for (std::size_t t = 0; t < n; ++t) {
      const std::int32_t clock = work_->tasks[t].clock;
      if (clock == no_clock && tasks_[t].in.empty()) { return false; }
      if (clock != no_clock) { counts[t] = invocations[static_cast<std::size_t>(clock)].size(); }
    }
    std::vector<std::size_t> next(n);
    for (bool changed = true; changed;) {
      changed = false;
      std::size_t total = 0;
      next.assign(n, max_jobs + 1);
      for (const auto& e : work_->dependencies) { next[e.to] = std::min(next[e.to], supplied(e, counts[e.from])); }
      for (std::size_t t = 0; t < n; ++t) {
        if (work_->tasks[t].clock == no_clock && next[t] > counts[t]) {
          counts[t] = next[t];
          changed = true;
        }
        total += counts[t];
      }
      if (total > max_jobs) { return false; }
    }
    first_.assign(n + 1, 0);
    for (std::size_t t = 0; t < n; ++t) { first_[t + 1] = first_[t] + counts[t]; }
    return true;
  }

  const graph_workload<ticks>* work_ = nullptr;
  std::vector<task_state> tasks_;
  std::vector<std::size_t> next_;   ///< by edge of tokens: the first job that waits for more
  std::vector<std::size_t> first_;  ///< job of each task
  std::vector<bool> ended_;         ///< by job
};

/// Says how urgent jobs are: by nominal release plus the point of the task, then by graph, number and task. Times count
/// in the greatest part of a tick in which all points are whole.
class graph_job_points {
 public:
  static constexpr ticks largest = ticks{1} << 60;

  [[nodiscard]] auto set_up(const graph_workload<ticks>& work, const job_gates& gates) -> model_fault {
    const auto& tasks = work.tasks;
    std::size_t next = 0;
    for (std::size_t t = 0, end = 0; t < tasks.size(); t = end) {
      std::size_t most = 0;
      for (end = t; end < tasks.size() && tasks[end].graph == tasks[t].graph; ++end) {
        most = std::max(most, gates.jobs(end));
      }
      for (std::size_t i = t; i < end; ++i) { ranks_.push_back({next + i - t, end - t}); }
      next += most * (end - t);
      if (next > std::numeric_limits<std::int32_t>::max()) { return model_fault::too_many_jobs; }
    }
    for (const auto& t : tasks) {
      if (!is_number(t.priority_point) || !common_multiple(parts_, t.priority_point.denominator(), parts_)) {
        return model_fault::time_overflow;
      }
    }
    for (const auto& t : tasks) {
      const ticks factor = parts_ / t.priority_point.denominator();
      if (!checked_multiply(t.priority_point.numerator(), factor, points_.emplace_back())) {
        return model_fault::time_overflow;
      }
    }
    return model_fault::none;
  }
  /// Returns false where it does not fit.
  [[nodiscard]] auto point(std::size_t task, ticks nominal, ticks& out) const -> bool {
    return checked_multiply(nominal, parts_, out) && checked_add(out, points_[task], out) && -largest < out &&
           out < largest;
  }
  [[nodiscard]] auto rank(std::size_t task, std::size_t number) const -> std::int32_t {
    return static_cast<std::int32_t>(ranks_[task].first + number * ranks_[task].tasks);
  }

 private:
  struct rank_of_task {
    std::size_t first = 0;
    std::size_t tasks = 1;  ///< of the graph
  };
  std::vector<rank_of_task> ranks_;  ///< by task
  std::vector<ticks> points_;        ///< by task
  ticks parts_ = 1;                  ///< of a tick
};

}  // namespace takt::inline TAKT_ABI::simulation
