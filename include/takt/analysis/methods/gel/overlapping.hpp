// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/gel/bounded_response.hpp>
#include <takt/analysis/methods/gel/compliant_point.hpp>
#include <takt/analysis/methods/gel/gel_bounds.hpp>

namespace takt::inline TAKT_ABI::analysis {
namespace detail {

/// Returns how long a job waits and runs after its priority point. Then `backlog` is left of work with its point or an
/// earlier one. The job runs alone to its end, or Graham's bound holds.
template <class Fraction>
[[nodiscard]] constexpr auto drained(const Fraction& backlog, const Fraction& wcet, std::int32_t processors)
    -> Fraction {
  if (!(wcet < backlog)) { return backlog; }
  return wcet + number_traits<Fraction>::divide_up(Fraction(backlog - wcet), processors);
}

/// Rows of a set whose backlog at every priority point is at most `backlog`.
template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto drained_rows(const task_rows<gel_task<Fraction>, MaxTasks>& table, const Fraction& backlog,
                                          std::int32_t processors) -> gel_bounds<Fraction, MaxTasks> {
  gel_bounds<Fraction, MaxTasks> out{.status = gel_status::bounded};
  for (const auto& t : table.tasks) {
    if (!add_row(out, t, Fraction(drained(backlog, t.wcet, processors) - t.wcet))) {
      return gel_bounds<Fraction, MaxTasks>::failed(gel_status::overflow);
    }
  }
  return out;
}

template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto all_early_work(const task_rows<gel_task<Fraction>, MaxTasks>& table) -> Fraction {
  Fraction sum(0);
  for (const auto& t : table.tasks) { sum = sum + early_work(t); }
  return sum;
}

/// Returns the `jobs` longest jobs, of task i at most `copies[i]`.
template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto longest_jobs(const task_rows<gel_task<Fraction>, MaxTasks>& table,
                                          const std::array<std::int64_t, MaxTasks>& copies, std::int64_t jobs)
    -> Fraction {
  std::array<bool, MaxTasks> taken{};
  Fraction sum(0);
  while (jobs > 0) {
    std::size_t best = table.size();
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (!taken[i] && (best == table.size() || table.tasks[best].wcet < table.tasks[i].wcet)) { best = i; }
    }
    if (best == table.size()) { break; }
    taken[best] = true;
    const std::int64_t count = copies[best] < jobs ? copies[best] : jobs;
    sum = sum + Fraction(count) * table.tasks[best].wcet;
    jobs -= count;
  }
  return sum;
}

template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto solve_overlapping(const task_rows<gel_task<Fraction>, MaxTasks>& table,
                                               std::int32_t processors, bool refine) -> gel_bounds<Fraction, MaxTasks> {
  using bounds = gel_bounds<Fraction, MaxTasks>;
  load_sum<Fraction> load;
  if (const auto status = long_run(table, processors, job_overlap::unlimited, load); status != gel_status::bounded) {
    return bounds::failed(status);
  }
  const std::int64_t jobs = carried_in(load, processors).most;
  const Fraction early = all_early_work(table);
  std::array<std::int64_t, MaxTasks> copies{};
  copies.fill(jobs);
  bounds out = drained_rows(table, Fraction(longest_jobs(table, copies, jobs) + early), processors);
  while (refine && out.bounded()) {
    bool fewer = false;
    for (std::size_t i = 0; i < table.size(); ++i) {
      const Fraction& response = out.tasks[i].response;
      std::int64_t count = 0;
      for (Fraction covered(0); count < copies[i] && covered < response; ++count) {
        covered = covered + table.tasks[i].period;
      }
      fewer = fewer || count < copies[i];
      copies[i] = count;
    }
    if (!fewer) { break; }
    out = drained_rows(table, Fraction(longest_jobs(table, copies, jobs) + early), processors);
  }
  return out;
}

template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto solve_non_preemptive(const task_rows<gel_task<Fraction>, MaxTasks>& table,
                                                  std::int32_t processors) -> gel_bounds<Fraction, MaxTasks> {
  load_sum<Fraction> load;
  if (const auto status = long_run(table, processors, job_overlap::unlimited, load); status != gel_status::bounded) {
    return gel_bounds<Fraction, MaxTasks>::failed(status);
  }
  std::array<std::int64_t, MaxTasks> copies{};
  copies.fill(processors);
  const Fraction backlog = longest_jobs(table, copies, processors) + all_early_work(table);
  return drained_rows(table, backlog, processors);
}

}  // namespace detail

/// Returns the response bounds of tasks whose jobs may overlap freely, utilisations above 1 included, under preemptive
/// GEL scheduling. Bounded exactly if U <= m. Let jobs = ceil(U) - 1 and S_i = C_i max(0, 1 - Y_i / T_i). The backlog
/// at a job's priority point is at most W = jobs max C + sum S_i. For take the last instant before it with fewer than
/// ceil(U) processors on jobs of that point or an earlier one: all such jobs run then. The rest is Graham's argument.
/// Holds also when jobs start before their nominal release, as long as their points stay.
/// takt's own; Erickson and Anderson 2011 treat the same question with other constants.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto overlapping_response(const task_rows<gel_task<Number>, MaxTasks>& table,
                                                  std::int32_t processors, gel_policy policy,
                                                  point_shift shift = point_shift::to_zero)
    -> gel_bounds<Number, MaxTasks> {
  return detail::on_points(table, processors, policy, shift,
                           [&](const auto& t) { return detail::solve_overlapping(t, processors, false); });
}

/// Bounds responses where at most ceil(R_i / T_i) jobs of a task are in progress, repeated until that changes nothing.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto overlapping_response_refined(const task_rows<gel_task<Number>, MaxTasks>& table,
                                                          std::int32_t processors, gel_policy policy,
                                                          point_shift shift = point_shift::to_zero)
    -> gel_bounds<Number, MaxTasks> {
  return detail::on_points(table, processors, policy, shift,
                           [&](const auto& t) { return detail::solve_overlapping(t, processors, true); });
}

/// Returns the bound of `overlapping_response` for non-preemptive GEL scheduling. Take the last instant at which no job
/// of that point or an earlier one waits and some processor runs none. The m processors then hold at most m max C.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto non_preemptive_response(const task_rows<gel_task<Number>, MaxTasks>& table,
                                                     std::int32_t processors, gel_policy policy,
                                                     point_shift shift = point_shift::to_zero)
    -> gel_bounds<Number, MaxTasks> {
  return detail::on_points(table, processors, policy, shift,
                           [&](const auto& t) { return detail::solve_non_preemptive(t, processors); });
}

}  // namespace takt::inline TAKT_ABI::analysis
