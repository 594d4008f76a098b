// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/model/priority_point.hpp>

namespace takt::inline TAKT_ABI {

/// A claim that waits for one unit.
struct waiting_claim {
  priority_point priority{};  ///< effective
  std::int64_t place = 0;     ///< in the order of arrival
};

/// Says in which order waiting claims get one unit, which is never idle while one waits. A user's own order is a
/// function of two claims; where it puts neither before the other, the earlier one goes first.
struct service_order {
  /// Tells whether a goes before b: a strict weak order that holds while both wait and their priorities stay.
  using comparison = auto (*)(const waiting_claim& a, const waiting_claim& b) noexcept -> bool;

  comparison before = nullptr;  ///< none: as they come

  static const service_order first_come;
  static const service_order priority;

  [[nodiscard]] constexpr auto goes_first(const waiting_claim& a, const waiting_claim& b) const noexcept -> bool {
    if (before != nullptr && before(a, b)) { return true; }
    if (before != nullptr && before(b, a)) { return false; }
    return a.place < b.place;
  }
  [[nodiscard]] constexpr auto is_by_arrival() const noexcept -> bool { return before == nullptr; }
  [[nodiscard]] constexpr auto is_by_priority() const noexcept -> bool;

  [[nodiscard]] friend constexpr auto operator==(const service_order&, const service_order&) noexcept -> bool = default;
};

namespace detail {

/// Puts the better effective priority first.
[[nodiscard]] constexpr auto better_priority_first(const waiting_claim& a, const waiting_claim& b) noexcept -> bool {
  return a.priority < b.priority;
}

}  // namespace detail

inline constexpr service_order service_order::first_come{};
inline constexpr service_order service_order::priority{detail::better_priority_first};

constexpr auto service_order::is_by_priority() const noexcept -> bool {
  return before == detail::better_priority_first;
}

}  // namespace takt::inline TAKT_ABI
