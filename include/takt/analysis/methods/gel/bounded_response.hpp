// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/analysis/methods/gel/gel_bounds.hpp>
#include <takt/core/choice.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Says how many jobs of one task may run at the same time.
enum class job_overlap : std::uint8_t {
  none,       ///< one
  as_given,   ///< `gel_task::parallelism`
  unlimited,  ///< any number: jobs of a task are as independent as those of different tasks
};
[[nodiscard]] constexpr auto last_of(job_overlap) noexcept -> job_overlap { return job_overlap::unlimited; }

namespace detail {

/// Says whether responses are bounded at all, and adds up the utilisations. Pre: wcet >= 0, period > 0.
template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto long_run(const task_rows<gel_task<Fraction>, MaxTasks>& table, std::int32_t processors,
                                      job_overlap overlap, load_sum<Fraction>& load) -> gel_status {
  bool unknown = false;
  for (const auto& t : table.tasks) {
    TAKT_EXPECTS(!(t.wcet < Fraction(0)) && Fraction(0) < t.period);
    load.add(t.wcet, t.period);
    switch (overlap) {
      case job_overlap::none:
        if (t.period < t.wcet) { return gel_status::task_overload; }
        break;
      case job_overlap::as_given: {
        if (t.parallelism == unrestricted_parallelism) { break; }
        load_sum<Fraction> own;
        own.add(t.wcet, t.period);
        const auto side = own.compare(t.parallelism);
        if (side == load_side::above) { return gel_status::task_overload; }
        unknown = unknown || side == load_side::unknown;
        break;
      }
      case job_overlap::unlimited: break;
    }
  }
  const auto side = load.compare(processors);
  if (side == load_side::above) { return gel_status::cluster_overload; }
  return unknown || side == load_side::unknown ? gel_status::overflow : gel_status::bounded;
}

/// Tests whether every job of every task ends within a bounded time of its release under each GEL policy on
/// `processors` identical processors, whatever the deadlines: U <= m, and of tasks whose jobs overlap at most P-fold,
/// u_i <= P_i. Necessary and sufficient. Source: Devi and Anderson 2008, Erickson 2014 for sequential jobs; Erickson
/// and Anderson 2011 for jobs that overlap freely.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto bounded_response(const task_rows<gel_task<Number>, MaxTasks>& table,
                                              std::int32_t processors, job_overlap overlap = job_overlap::none)
    -> gel_status {
  if (!is_known(overlap)) { return gel_status::invalid_model; }
  const auto answer = detail::on_points(
      table, processors, gel_policy::first_in_first_out, point_shift::if_negative, [&](const auto& t) {
        using fraction = std::remove_cvref_t<decltype(t.tasks[0].wcet)>;
        detail::load_sum<fraction> load;
        return gel_bounds<fraction, MaxTasks>::failed(detail::long_run(t, processors, overlap, load));
      });
  return answer.status;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
