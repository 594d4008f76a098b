// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/gel/gel_bounds.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/fixed_point.hpp>
#include <takt/systems/locked_gpus/analysis/inflated_set.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync {

/// Returns whether task i goes before task j under a scheduler of task-level priorities; never under another one. Pre:
/// `validate_gpusync` found nothing.
template <class Table>
[[nodiscard]] constexpr auto goes_first(const Table& table, const cpu_scheduler& scheduler, std::size_t i,
                                        std::size_t j) -> bool {
  typename Table::number a{};
  typename Table::number b{};
  if (!scheduler.task_level || !takt::detail::task_point(scheduler, table.tasks[i], a) ||
      !takt::detail::task_point(scheduler, table.tasks[j], b)) {
    return false;
  }
  return a != b ? a < b : i < j;
}

namespace detail {

/// Adds jobs * work to sum; returns false when it does not fit.
template <ExactNumber Number>
[[nodiscard]] constexpr auto add_jobs(Number& sum, const Number& jobs, const Number& work) -> bool {
  Number all{};
  return takt::detail::multiply_exactly(jobs, work, all) && add_exactly(sum, all, sum);
}

/// Computes the work of a task with a response bound in a window, with a job carried in as late as possible.
template <ExactNumber Number>
[[nodiscard]] constexpr auto carried_work(const independent_task<Number>& t, const Number& response,
                                          const Number& window, Number& out) -> bool {
  Number reach{};
  if (!add_exactly(window, Number(response - t.wcet), reach)) { return false; }
  const Number jobs = number_traits<Number>::floor_quotient(reach, t.period);
  const Number rest = reach - jobs * t.period;
  out = rest < t.wcet ? rest : t.wcet;
  return add_jobs(out, jobs, t.wcet);
}

}  // namespace detail

/// Returns responses of the tasks of a CPU cluster under preemptive fixed priorities, from their inflated forms. The
/// most important is first in `order`; those after the first that misses its deadline get nothing. On one CPU it is
/// exact for independent tasks (Joseph and Pandya 1986). On several it is in whole ticks only, by a window in which at
/// most the excess over `wcet` interferes. Every more important task has a job carried in (Bertogna and Cirinei 2007,
/// Theorem 6 of their response-time analysis). Deadlines are at most periods. Cost: n steps per iterate.
template <ExactNumber Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto fixed_priority_responses(const std::array<independent_task<Number>, MaxTasks>& tasks,
                                                      const inline_vector<std::size_t, MaxTasks>& order,
                                                      std::int32_t processors,
                                                      std::array<response_bound<Number>, MaxTasks>& out) -> gel_status {
  for (std::size_t p = 0; p < order.size(); ++p) { out[order[p]] = {}; }
  if constexpr (!number_traits<Number>::integral) {
    if (processors > 1) { return gel_status::invalid_model; }
  }
  for (std::size_t p = 0; p < order.size(); ++p) {
    const auto& t = tasks[order[p]];
    bool fits = true;
    const auto found = least_fixed_point(t.wcet, t.deadline, [&](const Number& x) {
      Number sum = processors == 1 ? t.wcet : Number(0);
      for (std::size_t h = 0; h < p && fits; ++h) {
        const auto& higher = tasks[order[h]];
        if (processors == 1) {
          fits = detail::add_jobs(sum, takt::detail::ceil_quotient(x, higher.period), higher.wcet);
          continue;
        }
        Number work{};
        fits = detail::carried_work(higher, out[order[h]].value, x, work);
        const Number most = x - t.wcet + Number(1);
        fits = fits && add_exactly(sum, work < most ? work : most, sum);
      }
      if (processors > 1) {
        sum = number_traits<Number>::floor_quotient(sum, Number(processors));
        fits = fits && add_exactly(sum, t.wcet, sum);
      }
      return takt::detail::ascent<Number>{fits ? sum : x, x};
    });
    if (!fits) { return gel_status::overflow; }
    if (!found.exists()) { return gel_status::cluster_overload; }
    out[order[p]] = {found.value, true};
  }
  return gel_status::bounded;
}

}  // namespace takt::inline TAKT_ABI::analysis::gpusync
