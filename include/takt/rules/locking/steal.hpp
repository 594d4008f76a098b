// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/rules/locking/advice.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/locking/request_queues.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Returns the request that gets replica x, which no request of its own queue wants: the one that waits elsewhere and
/// was issued first, unless advised otherwise. Advice that names no waiting request is counted in `rejected`.
template <class Protocol, class Heuristic, std::size_t Requests>
[[nodiscard]] constexpr auto request_to_steal(const Protocol& p, Heuristic& heuristic,
                                              const request_queues<1, Requests>& arrivals, replica_id x,
                                              std::int64_t& rejected) noexcept -> request_id {
  const steal_advice advised = heuristic.steal(p, x);
  if (advised.leave_idle) { return no_request; }
  if (advised.request != no_request) {
    if (advised.request >= 0 && advised.request < p.capacity() && p.waits(advised.request)) { return advised.request; }
    ++rejected;
  }
  request_id r = arrivals.head(0);
  while (r != no_request && !p.waits(r)) { r = arrivals.next(r); }
  return r;
}

}  // namespace takt::inline TAKT_ABI::detail
