// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/job_count.hpp>
#include <takt/analysis/methods/locking/blocking_bound.hpp>
#include <takt/core/fixed_point.hpp>

namespace takt::inline TAKT_ABI::analysis {

// A mutex granted in fixed-priority order, whose sections progress by themselves: an engine works through them, or they
// run boosted. Waiting is wall-clock time. Source: Lakshmanan, de Niz and Rajkumar 2009, after Rajkumar 1990.

/// A task of higher priority that uses the mutex.
template <class Number>
struct mutex_rival {
  Number period{};
  Number reach{};    ///< how long after its release a job may still hold the mutex: its response bound or its deadline
  Number per_job{};  ///< all sections of one job
};

/// Returns how long the best of all waiters waits: one section that has begun.
template <ExactNumber Number>
[[nodiscard]] constexpr auto best_waiter(std::span<const Number> longest_of_others) -> blocking_bound<Number> {
  return detail::sections(1, detail::longest_of(longest_of_others));
}

namespace detail {

/// Adds up all sections that higher tasks can begin in a window. A section asked for at the very end of it counts: the
/// lock compares all requests of an instant.
template <ExactNumber Number>
[[nodiscard]] constexpr auto higher_sections(std::span<const mutex_rival<Number>> higher, const Number& window)
    -> blocking_bound<Number> {
  detail::blocking_sum<Number> sum;
  if (window < Number(0)) { sum.fail(blocking_status::wrong_input); }
  for (std::size_t i = 0; i < higher.size() && sum.bounded(); ++i) {
    const auto& h = higher[i];
    if (!(Number(0) < h.period) || h.reach < Number(0) || h.per_job < Number(0)) {
      sum.fail(blocking_status::wrong_input);
      break;
    }
    Number reached{};
    Number work{};
    if (!detail::add(window, h.reach, reached) ||
        !detail::multiply(jobs_released(h.period, reached), h.per_job, work)) {
      sum.fail(blocking_status::overflow);
      break;
    }
    sum.add(work);
  }
  return sum.total();
}

}  // namespace detail

/// Returns the waiting of one request: the least W = longest lower section + what higher tasks begin within W.
/// Error: `above_limit` when there is none up to `limit`. Cost: one step per job of a higher task within W.
template <ExactNumber Number>
[[nodiscard]] constexpr auto request_driven_wait(const Number& longest_lower,
                                                 std::span<const mutex_rival<Number>> higher, const Number& limit)
    -> blocking_bound<Number> {
  if (longest_lower < Number(0)) { return detail::refused<Number>(blocking_status::wrong_input); }
  auto broken = blocking_status::bounded;
  const auto found = least_fixed_point(longest_lower, limit, [&](const Number& x) {
    detail::blocking_sum<Number> sum;
    sum.add(longest_lower);
    sum.add(1, detail::higher_sections(higher, x));
    broken = sum.total().status;
    return takt::detail::ascent<Number>{sum.bounded() ? sum.total().time : x, x};
  });
  if (broken != blocking_status::bounded) { return detail::refused<Number>(broken); }
  if (!found.exists()) { return detail::refused<Number>(blocking_status::above_limit); }
  return {found.value, blocking_status::bounded, 0};
}

namespace detail {

/// Returns the waiting of all requests of a job together, within its response `window`.
template <ExactNumber Number>
[[nodiscard]] constexpr auto job_driven_wait(std::int64_t requests, const Number& longest_lower,
                                             std::span<const mutex_rival<Number>> higher, const Number& window)
    -> blocking_bound<Number> {
  detail::blocking_sum<Number> sum;
  sum.add(requests, longest_lower);
  if (requests > 0) { sum.add(1, higher_sections(higher, window)); }
  return sum.total();
}

}  // namespace detail

/// Returns the lesser of both ways to count; `window` is the response of the job, or a bound on it.
template <ExactNumber Number>
[[nodiscard]] constexpr auto priority_mutex_wait(std::int64_t requests, const Number& longest_lower,
                                                 std::span<const mutex_rival<Number>> higher, const Number& window)
    -> blocking_bound<Number> {
  return lesser(per_job(requests, request_driven_wait(longest_lower, higher, window)),
                detail::job_driven_wait(requests, longest_lower, higher, window));
}

}  // namespace takt::inline TAKT_ABI::analysis
