// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <takt/rules/locking/request.hpp>

namespace takt {

/// In which order a mutex serves those who wait for it.
enum class service_order : std::uint8_t { first_come, priority };
[[nodiscard]] constexpr auto last_of(service_order) noexcept -> service_order { return service_order::priority; }

/// Whether a holder between two critical sections of one lock should let it go instead of fusing the two. `waiters` are
/// the effective priorities of those who wait for the lock. `holder` is the effective priority of the holder without
/// what it inherits through this very lock, or else no waiter would ever be more important than it. The holder of a
/// group asks each of its locks and lets all of them go when one says so.
/// Source: Elliott 2015, section 3.2.3.4, which leaves open what the holder is compared with.
[[nodiscard]] constexpr auto should_yield(service_order order, const priority_point& holder,
                                          std::span<const priority_point> waiters) noexcept -> bool {
  switch (order) {
    case service_order::first_come: return !waiters.empty();
    case service_order::priority:
      for (const priority_point& waiter : waiters) {
        if (waiter < holder) { return true; }
      }
      return false;
  }
  return false;
}

}  // namespace takt
