// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/methods/locking/blocking_bound.hpp>

namespace takt::inline TAKT_ABI::analysis {

// Waiting for one of k replicas. `users` counts the tasks that use the resource, each with one incomplete request at a
// time; `longest` is the longest critical section of any of them, its suspensions included; `processors` are those of
// the one cluster that shares the resource. All bounds count suspension-oblivious priority-inversion blocking: time in
// which the job is one of the `processors` best pending jobs and neither runs nor suspends inside a section of its own.

namespace detail {

/// Requests in the longest of several queues that share them evenly. Pre: replicas > 0.
[[nodiscard]] constexpr auto queue_length(std::int64_t requests, std::int64_t replicas) noexcept -> std::int64_t {
  TAKT_EXPECTS(replicas > 0);
  return ceil_divide(requests, replicas);
}

}  // namespace detail

/// Bounds waits under a k-FMLP whose queues are measured by the number of requests: floor((n - 1) / k) sections.
/// Source: Elliott 2015, equation 2.31.
template <ExactNumber Number>
[[nodiscard]] constexpr auto k_fmlp_by_count(std::int64_t users, std::int64_t replicas, const Number& longest)
    -> blocking_bound<Number> {
  if (users < 0 || replicas < 1) { return detail::refused<Number>(blocking_status::wrong_input); }
  return detail::sections(users == 0 ? 0 : (users - 1) / replicas, longest);
}

/// Bounds waits under a k-FMLP whose queues are measured by declared length, as seen by user i of `longest`: a k-th of
/// the others' longest sections. In ticks rounded down, for the shortest queue is not above the mean and a whole number
/// of ticks. Source: Elliott 2015, equation 2.32.
template <ExactNumber Number>
[[nodiscard]] constexpr auto k_fmlp_mean(std::span<const Number> longest, std::size_t i, std::int64_t replicas)
    -> blocking_bound<Number> {
  if (replicas < 1 || i >= longest.size()) { return detail::refused<Number>(blocking_status::wrong_input); }
  detail::blocking_sum<Number> sum;
  for (std::size_t j = 0; j < longest.size(); ++j) {
    if (j != i) { sum.add(longest[j]); }
  }
  auto out = sum.total();
  if (out.bounded()) { out.time = number_traits<Number>::divide_down(out.time, replicas); }
  return out;
}

/// Returns the lesser of both bounds: the queue that is shortest in time is not longer than the one that is shortest in
/// requests, so the count holds as well. The reverse is false. With queues measured by requests, short requests of two
/// tasks may follow each other on one replica while a third waits behind a long one on another.
template <ExactNumber Number>
[[nodiscard]] constexpr auto k_fmlp_by_time(std::span<const Number> longest, std::size_t i, std::int64_t replicas)
    -> blocking_bound<Number> {
  const auto mean = k_fmlp_mean(longest, i, replicas);
  if (mean.status == blocking_status::wrong_input) { return mean; }
  Number rival(0);
  for (std::size_t j = 0; j < longest.size(); ++j) {
    if (j != i && rival < longest[j]) { rival = longest[j]; }
  }
  return lesser(mean, k_fmlp_by_count(static_cast<std::int64_t>(longest.size()), replicas, rival));
}

/// Bounds waits in queues of at most `limit` requests that together hold a request of every user: limit - 1 sections,
/// whichever queue that is not full a request joins. Error: `queue_limit_too_small` below ceil(n / k).
/// Differs from Elliott 2015, section 3.2.3.2, where unlimited queues keep equation 2.31 under any advice: they do not.
template <ExactNumber Number>
[[nodiscard]] constexpr auto k_fmlp_with_limit(std::int64_t users, std::int64_t replicas, std::int64_t limit,
                                               const Number& longest) -> blocking_bound<Number> {
  if (users < 0 || replicas < 1 || limit < 1) { return detail::refused<Number>(blocking_status::wrong_input); }
  const std::int64_t least = users == 0 ? 1 : detail::queue_length(users, replicas);
  if (limit < least) { return detail::refused<Number>(blocking_status::queue_limit_too_small, least); }
  return detail::sections(limit - 1, longest);
}

/// R2DGLP with queues of at most `limit` requests: limit - 1 sections in a queue and `limit` as a donor, whatever
/// advice is followed. Error: `queue_limit_too_small` below ceil(m / k), where a request may find no donee. Source:
/// Ward, Elliott and Anderson 2012; Elliott 2015, equation 2.35, with the rules repaired as in docs/errata.md.
template <ExactNumber Number>
[[nodiscard]] constexpr auto r2dglp_with_limit(std::int64_t processors, std::int64_t replicas, std::int64_t limit,
                                               const Number& longest) -> blocking_bound<Number> {
  if (processors < 1 || replicas < 1 || limit < 1) { return detail::refused<Number>(blocking_status::wrong_input); }
  const std::int64_t least = detail::queue_length(processors, replicas);
  if (limit < least) { return detail::refused<Number>(blocking_status::queue_limit_too_small, least); }
  std::int64_t count = 0;
  if (!checked_add(limit, limit - 1, count)) { return detail::refused<Number>(blocking_status::overflow); }
  return detail::sections(count, longest);
}

/// R2DGLP with its own queue limit: 2 ceil(m / k) - 1 sections. With k = 1 the global OMLP: 2m - 1.
template <ExactNumber Number>
[[nodiscard]] constexpr auto r2dglp_wait(std::int64_t processors, std::int64_t replicas, const Number& longest)
    -> blocking_bound<Number> {
  if (processors < 1 || replicas < 1) { return detail::refused<Number>(blocking_status::wrong_input); }
  return r2dglp_with_limit(processors, replicas, detail::queue_length(processors, replicas), longest);
}

}  // namespace takt::inline TAKT_ABI::analysis
