// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/model/service_order.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI {

/// Returns whether a holder between two critical sections of one lock should let it go instead of fusing the two.
/// `waiters` are the effective priorities of those who wait for the lock. `holder` is the effective priority of the
/// holder without what it inherits through this very lock, or else no waiter would ever be more important than it. It
/// would ask last, and keeps the lock where the order does not tell the two apart. The holder of a
/// group asks each of its locks and lets all of them go when one says so.
/// Source: Elliott 2015, section 3.2.3.4, which leaves open what the holder is compared with.
[[nodiscard]] constexpr auto should_yield(const service_order& order, const priority_point& holder,
                                          std::span<const priority_point> waiters) noexcept -> bool {
  const waiting_claim asks_again{holder, static_cast<std::int64_t>(waiters.size())};
  for (std::size_t i = 0; i < waiters.size(); ++i) {
    const waiting_claim waits{waiters[i], static_cast<std::int64_t>(i)};
    if (order.is_by_arrival() || order.before(waits, asks_again)) { return true; }
  }
  return false;
}

}  // namespace takt::inline TAKT_ABI
