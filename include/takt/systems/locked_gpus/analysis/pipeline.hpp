// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/interrupts.hpp>
#include <takt/analysis/methods/locking/ck_omlp_blocking.hpp>
#include <takt/analysis/methods/locking/k_exclusion.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/model/overheads.hpp>
#include <takt/systems/locked_gpus/analysis/inflated_set.hpp>
#include <takt/systems/locked_gpus/analysis/request_charges.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync {

/// Describes a task whose jobs lock one of k replicas so many times, for at most so long.
template <class Number>
struct locking_task {
  Number wcet{};
  Number period{};
  Number deadline{};
  std::int64_t requests = 0;
  Number longest_section{};
};

namespace detail {

/// Bounds the waits of a set of locking tasks: blocking of all requests of task i together, from the inflated longest
/// section of each task, 0 for those without requests.
template <class B, class Number>
concept PipelineBlocking =
    requires(const B& b, std::span<const locking_task<Number>> tasks, std::span<const Number> sections, std::size_t i) {
      { B::holders } -> std::convertible_to<holder>;
      { b(tasks, sections, i) } -> std::same_as<blocking_bound<Number>>;
    };

template <class Number>
[[nodiscard]] constexpr auto users_of(std::span<const locking_task<Number>> tasks) noexcept -> std::int64_t {
  std::int64_t users = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) { users += tasks[i].requests > 0 ? 1 : 0; }
  return users;
}

}  // namespace detail

/// k-FMLP with queues measured by the number of requests.
struct k_fmlp_counted {
  static constexpr holder holders = holder::preemptable;
  std::int64_t replicas = 1;

  template <class Number>
  [[nodiscard]] constexpr auto operator()(std::span<const locking_task<Number>> tasks, std::span<const Number> sections,
                                          std::size_t i) const -> blocking_bound<Number> {
    return per_job(tasks[i].requests,
                   k_fmlp_by_count(detail::users_of(tasks), replicas, takt::analysis::detail::longest_of(sections)));
  }
};

/// k-FMLP with queues measured by time. In ticks rounded down, as `k_fmlp_mean` says.
struct k_fmlp_measured {
  static constexpr holder holders = holder::preemptable;
  std::int64_t replicas = 1;

  template <class Number>
  [[nodiscard]] constexpr auto operator()(std::span<const locking_task<Number>> tasks, std::span<const Number> sections,
                                          std::size_t i) const -> blocking_bound<Number> {
    return per_job(tasks[i].requests, k_fmlp_mean(sections, i, replicas));
  }
};

struct r2dglp_queued {
  static constexpr holder holders = holder::preemptable;
  std::int64_t processors = 1;
  std::int64_t replicas = 1;

  template <class Number>
  [[nodiscard]] constexpr auto operator()(std::span<const locking_task<Number>> tasks, std::span<const Number> sections,
                                          std::size_t i) const -> blocking_bound<Number> {
    return per_job(tasks[i].requests, r2dglp_wait(processors, replicas, takt::analysis::detail::longest_of(sections)));
  }
};

/// CK-OMLP: a loan once per job of every task, and the waits of its own requests.
struct ck_omlp_donating {
  static constexpr holder holders = holder::not_preemptable;
  std::int64_t processors = 1;
  std::int64_t replicas = 1;

  template <class Number>
  [[nodiscard]] constexpr auto operator()(std::span<const locking_task<Number>> tasks, std::span<const Number> sections,
                                          std::size_t i) const -> blocking_bound<Number> {
    if (detail::users_of(tasks) == 0) { return {}; }
    const omlp_resource<Number> used{processors, replicas, takt::analysis::detail::longest_of(sections),
                                     tasks[i].requests};
    return ck_omlp_job(std::span<const omlp_resource<Number>>(&used, 1));
  }
};

/// Holds the steps of Elliott 2015, section 2.1.9, each with what it found. Step 6 is any test of independent tasks.
template <class Number, std::size_t MaxTasks>
struct pipeline_bounds {
  inflation_status status = inflation_status::overflow;
  Number interrupt_delay{};                                 ///< equation 2.41
  inline_vector<Number, MaxTasks> sections;                 ///< step 1: longest sections, inflated
  inline_vector<Number, MaxTasks> blocking;                 ///< step 2, of a whole job
  inline_vector<Number, MaxTasks> executed;                 ///< steps 3 and 4: with waits and the cost of requests
  inline_vector<independent_task<Number>, MaxTasks> tasks;  ///< step 5
};

/// Turns tasks of one cluster into independent ones. Error: `no_period_left` also where a deadline is not above the
/// latency of the timer. Sections are delayed by the interrupts of their own cluster. The inflation of a waiting job
/// covers them if its cluster has interrupts at least as dense. So use the densest cluster's interrupts for all. Cost:
/// n^2. Source: Elliott 2015, equations 2.47 to 2.52.
template <ExactNumber Number, std::size_t MaxTasks, detail::PipelineBlocking<Number> Blocking>
[[nodiscard]] constexpr auto six_steps(const inline_vector<locking_task<Number>, MaxTasks>& tasks,
                                       const Blocking& blocking, const gpusync_overheads<Number>& o,
                                       interrupt_handling where = interrupt_handling::shared)
    -> pipeline_bounds<Number, MaxTasks> {
  pipeline_bounds<Number, MaxTasks> out;
  const auto section = detail::section_charge(o, Blocking::holders);
  const auto request = detail::request_charge(o, Blocking::holders);
  interrupt_load<Number> interrupts(o);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    interrupts.add_release(tasks[i].period);
    analysis::detail::blocking_sum<Number> length;
    if (tasks[i].requests > 0) {
      length.add(tasks[i].longest_section);
      length.add(1, section);
    }
    if (!length.bounded()) { return out; }
    // Bound: one per task, at most MaxTasks; so below.
    out.sections.unchecked_push_back(length.total().time);
  }
  if (!interrupts.fits()) { return out; }
  if (!interrupts.leaves_time()) {
    out.status = inflation_status::no_time_left;
    return out;
  }
  if (!interrupts.delay(out.interrupt_delay)) { return out; }
  const std::span<const locking_task<Number>> all(tasks.data(), tasks.size());
  const std::span<const Number> sections(out.sections.data(), out.sections.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const blocking_bound<Number> waits = blocking(all, sections, i);
    analysis::detail::blocking_sum<Number> work;
    work.add(tasks[i].wcet);
    work.add(1, waits);
    work.add(tasks[i].requests, request);
    if (!work.bounded()) { return out; }
    out.blocking.unchecked_push_back(waits.time);
    out.executed.unchecked_push_back(work.total().time);
    independent_task<Number> t{};
    const auto status = independent(interrupts, o, out.executed.back(), tasks[i].requests, where, tasks[i].period,
                                    tasks[i].deadline, t);
    const bool in_time = status != inflation_status::inflated || Number(0) < t.deadline;
    out.tasks.unchecked_push_back(t);
    if (status != inflation_status::inflated || !in_time) {
      out.status = in_time ? status : inflation_status::no_period_left;
      return out;
    }
  }
  out.status = inflation_status::inflated;
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis::gpusync
