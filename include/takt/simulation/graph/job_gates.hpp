// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/simulation/graph/graph_workload.hpp>

namespace takt::simulation {

/// Counts what each job of a workload still waits for. It is ready once its invocation, the jobs or tokens before it
/// and, without a clock, the job before it are there; it starts once it is also due, it is its turn among the jobs of
/// its task, and nothing feeds back. A job is known by its position among all jobs.
class job_gates {
 public:
  /// More jobs than this are refused.
  static constexpr std::size_t max_jobs = std::size_t{1} << 24U;

  /// False when the workload has no run: a task that nothing releases, tokens that multiply without end, counts that
  /// are not positive, names out of range. Pre: clocks of tasks are below `invocations.size()`.
  template <ExactNumber Number>
  [[nodiscard]] auto set_up(const graph_workload<Number>& w, const std::vector<std::size_t>& invocations) -> bool {
    const std::size_t n = w.tasks.size();
    edges_ = w.dependencies;
    tasks_.assign(n, task_gate{});
    for (std::size_t i = 0; i < n; ++i) { tasks_[i].parallelism = w.tasks[i].parallelism; }
    if (!link(n) || !count_jobs(w, invocations)) { return false; }
    waits_.assign(first_.back(), 0);
    holds_.assign(first_.back(), 1);
    for (std::size_t t = 0; t < n; ++t) {
      const bool clocked = w.tasks[t].clock != no_clock;
      const std::int64_t p = w.tasks[t].parallelism;
      for (std::size_t j = 0; j < jobs(t); ++j) {
        waits_[job(t, j)] = clocked || j > 0 ? 1 : 0;
        if (p != unrestricted_parallelism && j >= static_cast<std::size_t>(p)) { ++holds_[job(t, j)]; }
      }
    }
    for (std::size_t e = 0; e < edges_.size(); ++e) { add_waits(e); }
    return true;
  }

  [[nodiscard]] auto jobs() const noexcept -> std::size_t { return first_.back(); }
  [[nodiscard]] auto jobs(std::size_t task) const noexcept -> std::size_t { return first_[task + 1] - first_[task]; }
  [[nodiscard]] auto job(std::size_t task, std::size_t number) const noexcept -> std::size_t {
    return first_[task] + number;
  }

  /// Whether a job waits for nothing.
  [[nodiscard]] auto is_ready(std::size_t task, std::size_t number) const noexcept -> bool {
    return waits_[job(task, number)] == 0;
  }
  /// One thing less to wait for. True when the job is ready. Jobs that do not exist never are.
  [[nodiscard]] auto open(std::size_t task, std::size_t number) noexcept -> bool {
    return number < jobs(task) && --waits_[job(task, number)] == 0;
  }
  /// One thing less that holds the job back. True when it starts.
  [[nodiscard]] auto let(std::size_t task, std::size_t number) noexcept -> bool {
    return number < jobs(task) && --holds_[job(task, number)] == 0;
  }
  /// Calls `ready(task, number)` and `start(task, number)` for each job that the end of one makes so.
  template <class Ready, class Start>
  void complete(std::size_t task, std::size_t number, const Ready& ready, const Start& start) {
    task_gate& t = tasks_[task];
    const auto pass = [&](const graph_dependency& e, std::size_t next) {
      if (e.feedback) {
        if (let(e.to, next)) { start(e.to, next); }
      } else if (open(e.to, next)) {
        ready(e.to, next);
      }
    };
    for (std::size_t i = out_first_[task]; i < out_first_[task + 1]; ++i) {
      const graph_dependency& e = edges_[out_[i]];
      if (e.produce == 0) {
        pass(e, number + static_cast<std::size_t>(e.lag));
        continue;
      }
      edge_state& s = states_[out_[i]];
      s.tokens += e.produce;
      for (; s.next < jobs(e.to) && needed(e, s.next) <= s.tokens; ++s.next) { pass(e, s.next); }
    }
    ++t.completed;
    if (t.parallelism == unrestricted_parallelism) { return; }
    const std::size_t admitted = t.completed + static_cast<std::size_t>(t.parallelism) - 1;
    if (let(task, admitted)) { start(task, admitted); }
  }

 private:
  struct task_gate {
    std::int64_t parallelism = unrestricted_parallelism;
    std::size_t completed = 0;
  };
  struct edge_state {
    std::int64_t tokens = 0;
    std::size_t next = 0;  ///< job that waits for the next tokens
  };

  /// Tokens that must have been there for a job to start. Those at the start count.
  [[nodiscard]] static auto needed(const graph_dependency& e, std::size_t number) -> std::int64_t {
    return e.threshold + static_cast<std::int64_t>(number) * e.consume;
  }
  [[nodiscard]] auto link(std::size_t n) -> bool {
    out_first_.assign(n + 1, 0);
    for (const auto& e : edges_) {
      const bool rated = e.produce == 0 || (e.produce > 0 && e.consume > 0 && e.threshold >= e.consume);
      if (e.from >= n || e.to >= n || e.lag < 0 || !rated) { return false; }
      ++out_first_[e.from + 1];
    }
    for (std::size_t i = 0; i < n; ++i) { out_first_[i + 1] += out_first_[i]; }
    out_.assign(edges_.size(), 0);
    std::vector<std::size_t> at = out_first_;
    for (std::size_t e = 0; e < edges_.size(); ++e) { out_[at[edges_[e].from]++] = e; }
    states_.assign(edges_.size(), edge_state{});
    for (std::size_t e = 0; e < edges_.size(); ++e) { states_[e].tokens = edges_[e].lag; }
    return true;
  }

  /// Jobs that an edge lets its consumer have, of so many of its producer.
  [[nodiscard]] static auto supplied(const graph_dependency& e, std::size_t produced) -> std::size_t {
    if (e.produce == 0) { return produced + static_cast<std::size_t>(e.lag); }
    const std::int64_t tokens = e.lag + e.produce * static_cast<std::int64_t>(produced);
    return tokens < e.threshold ? 0 : static_cast<std::size_t>((tokens - e.threshold) / e.consume) + 1;
  }
  template <ExactNumber Number>
  [[nodiscard]] auto count_jobs(const graph_workload<Number>& w, const std::vector<std::size_t>& invocations) -> bool {
    const std::size_t n = w.tasks.size();
    std::vector<std::size_t> counts(n, 0);
    std::vector<std::size_t> in(n, 0);
    for (const auto& e : edges_) { ++in[e.to]; }
    for (std::size_t t = 0; t < n; ++t) {
      if (w.tasks[t].clock == no_clock && in[t] == 0) { return false; }
      if (w.tasks[t].clock != no_clock) { counts[t] = invocations[static_cast<std::size_t>(w.tasks[t].clock)]; }
    }
    std::vector<std::size_t> next(n);
    for (bool changed = true; changed;) {
      changed = false;
      std::size_t total = 0;
      next.assign(n, max_jobs + 1);
      for (const auto& e : edges_) { next[e.to] = std::min(next[e.to], supplied(e, counts[e.from])); }
      for (std::size_t t = 0; t < n; ++t) {
        if (w.tasks[t].clock == no_clock && next[t] > counts[t]) {
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
  void add_waits(std::size_t which) {
    const graph_dependency& e = edges_[which];
    edge_state& s = states_[which];
    auto& waits = e.feedback ? holds_ : waits_;
    while (e.produce > 0 && s.next < jobs(e.to) && needed(e, s.next) <= s.tokens) { ++s.next; }
    for (std::size_t j = e.produce > 0 ? s.next : static_cast<std::size_t>(e.lag); j < jobs(e.to); ++j) {
      ++waits[job(e.to, j)];
    }
  }

  std::vector<graph_dependency> edges_;
  std::vector<edge_state> states_;      ///< by edge
  std::vector<std::size_t> out_first_;  ///< by task, in `out_`
  std::vector<std::size_t> out_;        ///< edges by the task that they leave
  std::vector<std::size_t> first_;      ///< job of each task
  std::vector<std::int32_t> holds_;     ///< by job
  std::vector<std::int32_t> waits_;     ///< by job
  std::vector<task_gate> tasks_;
};

}  // namespace takt::simulation
