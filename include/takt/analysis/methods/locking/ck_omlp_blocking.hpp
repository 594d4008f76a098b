// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/methods/locking/blocking_bound.hpp>
#include <takt/analysis/methods/locking/k_exclusion.hpp>

namespace takt::inline TAKT_ABI::analysis {

// The clustered k-exclusion OMLP: at most one incomplete request per processor, because a job issues one only while it
// is among the best pending jobs of its cluster and is donated priority when it drops out. `processors` are those of
// all clusters that share the resource. With k = 1 the C-OMLP.
// Source: Brandenburg and Anderson 2013; Elliott 2015, equations 2.36 to 2.40.

/// Returns the waiting of one request: ceil(m / k) - 1 sections.
template <ExactNumber Number>
[[nodiscard]] constexpr auto ck_omlp_direct(std::int64_t processors, std::int64_t replicas, const Number& longest)
    -> blocking_bound<Number> {
  if (processors < 1 || replicas < 1) { return detail::refused<Number>(blocking_status::wrong_input); }
  return detail::sections(detail::queue_length(processors, replicas) - 1, longest);
}

/// Bounds how long a job, with requests or without, lends its priority after its release: ceil(m / k) sections.
template <ExactNumber Number>
[[nodiscard]] constexpr auto ck_omlp_indirect(std::int64_t processors, std::int64_t replicas, const Number& longest)
    -> blocking_bound<Number> {
  if (processors < 1 || replicas < 1) { return detail::refused<Number>(blocking_status::wrong_input); }
  return detail::sections(detail::queue_length(processors, replicas), longest);
}

template <class Number>
struct omlp_waits {
  blocking_bound<Number> direct;    ///< per request
  blocking_bound<Number> indirect;  ///< per job
};

/// Bounds waits with k queues of at most `limit` requests instead of one, which a GPU allocator needs for its choice.
/// Error, in both: `queue_limit_too_small` below ceil(m / k), as requests would have to wait outside of them.
template <ExactNumber Number>
[[nodiscard]] constexpr auto ck_omlp_with_limit(std::int64_t processors, std::int64_t replicas, std::int64_t limit,
                                                const Number& longest) -> omlp_waits<Number> {
  blocking_bound<Number> refused{};
  if (processors < 1 || replicas < 1 || limit < 1) {
    refused = detail::refused<Number>(blocking_status::wrong_input);
  } else if (const auto least = detail::queue_length(processors, replicas); limit < least) {
    refused = detail::refused<Number>(blocking_status::queue_limit_too_small, least);
  }
  if (!refused.bounded()) { return {refused, refused}; }
  return {detail::sections(limit - 1, longest), detail::sections(limit, longest)};
}

/// A resource that is used in a cluster, and how often the job in question requests it.
template <class Number>
struct omlp_resource {
  std::int64_t processors = 1;
  std::int64_t replicas = 1;
  Number longest{};
  std::int64_t requests = 0;
};

/// Bounds the blocking of a job: once the longest loan to any resource used in its cluster, and each request's waiting.
template <ExactNumber Number>
[[nodiscard]] constexpr auto ck_omlp_job(std::span<const omlp_resource<Number>> used) -> blocking_bound<Number> {
  detail::blocking_sum<Number> sum;
  Number loan(0);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const auto& r = used[i];
    const auto indirect = ck_omlp_indirect(r.processors, r.replicas, r.longest);
    if (!indirect.bounded()) { sum.fail(indirect.status); }
    if (loan < indirect.time) { loan = indirect.time; }
    sum.add(r.requests, ck_omlp_direct(r.processors, r.replicas, r.longest));
  }
  sum.add(loan);
  return sum.total();
}

}  // namespace takt::inline TAKT_ABI::analysis
