// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>

namespace takt::simulation {

/// Who goes first: a boosted job, then the smaller priority, then graph, number of the job and task.
template <ExactNumber Number>
struct job_urgency {
  bool boosted = false;
  fraction_of<Number> priority{};
  std::uint32_t graph = 0;
  std::int64_t job = 0;
  std::uint32_t task = 0;

  /// As if nobody was boosted.
  [[nodiscard]] auto outranks_unboosted(const job_urgency& b) const -> bool {
    if (priority < b.priority || b.priority < priority) { return priority < b.priority; }
    return std::tie(graph, job, task) < std::tie(b.graph, b.job, b.task);
  }
  [[nodiscard]] auto outranks(const job_urgency& b) const -> bool {
    return boosted != b.boosted ? boosted : outranks_unboosted(b);
  }
};

/// CPU time that a job asks for.
template <ExactNumber Number>
struct cpu_demand {
  job_urgency<Number> urgency{};
  std::size_t job = 0;  ///< the simulator's number of it
  Number remaining{};
};

/// Identical CPUs that run the most urgent jobs, preemptively or not.
template <ExactNumber Number>
class cpu_cluster {
 public:
  cpu_cluster(std::size_t cpus, bool preemptive) : cpus_(cpus), preemptive_{preemptive} {}
  /// Makes room for so many waiting jobs.
  void reserve(std::size_t jobs) { waiting_.reserve(jobs); }

  /// Pre: remaining > 0.
  void ask(const cpu_demand<Number>& d) {
    waiting_.push_back(d);
    std::ranges::push_heap(waiting_, less_urgent);
  }

  /// False when all CPUs are idle.
  [[nodiscard]] auto next_end(Number& out) const -> bool {
    bool any = false;
    for (const cpu& c : cpus_) {
      if (!c.busy || (any && !(c.end < out))) { continue; }
      out = c.end;
      any = true;
    }
    return any;
  }
  /// Calls `ended(job)` for what is done by now, CPU by CPU, and before it `left(cpu, job, since)`.
  template <class Left, class Ended>
  void complete_due(const Number& now, const Left& left, const Ended& ended) {
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
      cpu& c = cpus_[i];
      if (!c.busy || now < c.end) { continue; }
      c.busy = false;
      left(i, c.demand.job, c.since);
      ended(c.demand.job);
    }
  }
  /// Calls `left(cpu, job, since)` for each job that is preempted. False when an end does not fit.
  template <class Left>
  [[nodiscard]] auto dispatch(const Number& now, const Left& left) -> bool {
    for (std::size_t i = 0; i < cpus_.size() && !waiting_.empty(); ++i) {
      if (!cpus_[i].busy && !start(cpus_[i], now)) { return false; }
    }
    while (preemptive_ && !waiting_.empty()) {
      std::size_t worst = 0;
      for (std::size_t i = 1; i < cpus_.size(); ++i) {
        if (cpus_[worst].demand.urgency.outranks(cpus_[i].demand.urgency)) { worst = i; }
      }
      cpu& c = cpus_[worst];
      if (!waiting_.front().urgency.outranks(c.demand.urgency)) { return true; }
      left(worst, c.demand.job, c.since);
      cpu_demand<Number> preempted = c.demand;
      preempted.remaining = c.end - now;
      if (!start(c, now)) { return false; }
      ask(preempted);
    }
    return true;
  }

  /// Whether a boosted job keeps a more urgent one from a CPU.
  [[nodiscard]] auto is_inverted() const -> bool {
    for (const cpu& c : cpus_) {
      if (!c.busy || !c.demand.urgency.boosted) { continue; }
      for (const auto& w : waiting_) {
        if (!w.urgency.boosted && w.urgency.outranks_unboosted(c.demand.urgency)) { return true; }
      }
    }
    return false;
  }

 private:
  struct cpu {
    bool busy = false;
    cpu_demand<Number> demand{};
    Number since{};
    Number end{};
  };

  [[nodiscard]] static auto less_urgent(const cpu_demand<Number>& a, const cpu_demand<Number>& b) -> bool {
    return b.urgency.outranks(a.urgency);
  }

  [[nodiscard]] auto start(cpu& c, const Number& now) -> bool {
    std::ranges::pop_heap(waiting_, less_urgent);
    c.demand = waiting_.back();
    waiting_.pop_back();
    c.busy = true;
    c.since = now;
    return add_exactly(now, c.demand.remaining, c.end);
  }

  std::vector<cpu> cpus_;
  std::vector<cpu_demand<Number>> waiting_;  ///< a heap, the most urgent first
  bool preemptive_;
};

}  // namespace takt::simulation
