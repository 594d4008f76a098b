// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/gel/bounded_response.hpp>
#include <takt/analysis/methods/gel/compliant_point.hpp>
#include <takt/analysis/methods/gel/gel_bounds.hpp>
#include <takt/core/choice.hpp>

namespace takt::inline TAKT_ABI::analysis {
namespace detail {

/// Sequential tasks, each `copies[i]` times.
template <class Fraction, std::size_t MaxTasks>
struct sequential_demand {
  const task_rows<gel_task<Fraction>, MaxTasks>* table = nullptr;
  std::array<std::int64_t, MaxTasks> copies{};
  std::array<Fraction, MaxTasks> early{};
  std::array<load_sum<Fraction>, MaxTasks> load{};  ///< of one copy
  std::int32_t processors = 1;
  carried_jobs jobs{};
  delay_sign sign = delay_sign::any;

  /// Returns the sum of S_i, plus the greatest `jobs` of u_i x_i + C_i - S_i.
  [[nodiscard]] constexpr auto operator()(const Fraction& s) const -> compliant_value<Fraction> {
    const auto& tasks = table->tasks;
    std::array<Fraction, MaxTasks> gain{};
    std::array<load_sum<Fraction>, MaxTasks> slope{};
    std::array<bool, MaxTasks> taken{};
    compliant_value<Fraction> out{Fraction(0), {}};
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const auto delay = compliant_delay(s, tasks[i].wcet, processors, sign);
      gain[i] = share_of(delay.x, tasks[i].wcet, tasks[i].period) + tasks[i].wcet - early[i];
      if (delay.grows) { slope[i] = load[i]; }
      out.value = out.value + Fraction(copies[i]) * early[i];
    }
    for (std::int64_t round = 0; round < jobs.most;) {
      std::size_t best = tasks.size();
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (taken[i]) { continue; }
        const bool first = best == tasks.size();
        if (first || gain[best] < gain[i] || (gain[best] == gain[i] && slope[i].above(slope[best]))) { best = i; }
      }
      if (best == tasks.size() || (round >= jobs.least && !(Fraction(0) < gain[best]))) { break; }
      taken[best] = true;
      const std::int64_t room = jobs.most - round;
      const std::int64_t count = copies[best] < room ? copies[best] : room;
      out.value = out.value + Fraction(count) * gain[best];
      for (std::int64_t copy = 0; copy < count; ++copy) { out.slope.add(slope[best]); }
      round += count;
    }
    return out;
  }
};

/// Pre: no task alone is overloaded, `load` is that of all copies.
template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto solve_sequential(const task_rows<gel_task<Fraction>, MaxTasks>& table,
                                              const std::array<std::int64_t, MaxTasks>& copies,
                                              const load_sum<Fraction>& load, std::int32_t processors, delay_sign sign)
    -> gel_bounds<Fraction, MaxTasks> {
  using bounds = gel_bounds<Fraction, MaxTasks>;
  sequential_demand<Fraction, MaxTasks> demand{
      .table = &table, .copies = copies, .processors = processors, .jobs = carried_in(load, processors), .sign = sign};
  for (std::size_t i = 0; i < table.size(); ++i) {
    TAKT_EXPECTS(!(table.tasks[i].period < table.tasks[i].wcet));
    demand.early[i] = early_work(table.tasks[i]);
    demand.load[i].add(table.tasks[i].wcet, table.tasks[i].period);
  }
  bounds out{.status = gel_status::bounded};
  if (!least_compliant(processors, demand, out.s)) { return bounds::failed(gel_status::overflow); }
  for (const auto& t : table.tasks) {
    const auto delay = compliant_delay(out.s, t.wcet, processors, sign);
    if (!add_row(out, t, delay.x)) { return bounds::failed(gel_status::overflow); }
  }
  return out;
}

template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto solve_compliant_vector(const task_rows<gel_task<Fraction>, MaxTasks>& table,
                                                    std::int32_t processors, delay_sign sign)
    -> gel_bounds<Fraction, MaxTasks> {
  load_sum<Fraction> load;
  if (const auto status = long_run(table, processors, job_overlap::none, load); status != gel_status::bounded) {
    return gel_bounds<Fraction, MaxTasks>::failed(status);
  }
  std::array<std::int64_t, MaxTasks> once{};
  once.fill(1);
  return solve_sequential(table, once, load, processors, sign);
}

}  // namespace detail

/// Compliant-vector analysis of tasks with sequential jobs and any relative deadlines under preemptive GEL scheduling
/// on `processors` identical processors, exact and without a linear program. Let S_i = C_i max(0, 1 - Y_i / T_i) and
/// x_i = (s - C_i) / m. It finds the least s = sum S_i + sum of the ceil(U) - 1 greatest (u_i x_i + C_i - S_i).
/// Responses are Y_i + x_i + C_i. Bounded exactly if U <= m and every u_i <= 1. Whole ticks: the exact values rounded
/// up where 64-bit fractions hold them, and values a few ticks above elsewhere. Cost: a few Newton steps, each tasks *
/// processors. Source: Erickson 2014; Elliott 2015, equations 2.20-2.25.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto compliant_vector(const task_rows<gel_task<Number>, MaxTasks>& table,
                                              std::int32_t processors, gel_policy policy,
                                              point_shift shift = point_shift::if_negative,
                                              delay_sign sign = delay_sign::any) -> gel_bounds<Number, MaxTasks> {
  if (!is_known(sign)) { return gel_bounds<Number, MaxTasks>::unknown_choice(); }
  return detail::on_points(table, processors, policy, shift,
                           [&](const auto& t) { return detail::solve_compliant_vector(t, processors, sign); });
}

namespace detail {

/// Analyzes with x_i >= 0 and, unless told otherwise, the best shift, which is what graphs of sequential nodes use.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto sequential_response(const task_rows<gel_task<Number>, MaxTasks>& table,
                                                 std::int32_t processors, gel_policy policy,
                                                 point_shift shift = point_shift::to_zero)
    -> gel_bounds<Number, MaxTasks> {
  return compliant_vector(table, processors, policy, shift, delay_sign::not_negative);
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
