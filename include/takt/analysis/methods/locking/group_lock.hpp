// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <takt/analysis/methods/locking/blocking_bound.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Bounds the waiting of a request for several first-in-first-out mutexes at once. It is the sections of all earlier
/// incomplete requests that share a mutex with it, or with one that counts already. Each of them holds all of its locks
/// and ends, once it is the first everywhere. So they end one after the other at the latest, and no two wait for each
/// other. Source: Ward and Anderson 2012, dynamic group locks.
template <ExactNumber Number>
[[nodiscard]] constexpr auto group_request_wait(std::span<const Number> earlier) -> blocking_bound<Number> {
  detail::blocking_sum<Number> sum;
  for (std::size_t i = 0; i < earlier.size(); ++i) { sum.add(earlier[i]); }
  return sum.total();
}

/// Bounds the wait when all that is known is the number of tasks with an incomplete request: N - 1 sections.
template <ExactNumber Number>
[[nodiscard]] constexpr auto group_request_worst_wait(std::int64_t requesters, const Number& longest)
    -> blocking_bound<Number> {
  if (requesters < 0) { return detail::refused<Number>(blocking_status::wrong_input); }
  return detail::sections(requesters == 0 ? 0 : requesters - 1, longest);
}

}  // namespace takt::inline TAKT_ABI::analysis
