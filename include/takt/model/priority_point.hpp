// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Says where a job stands in the order of importance: the smaller point (a deadline, a period, a priority number)
/// comes first, equal points in the order of `tie`. Hosts keep `tie` unique, so that no two jobs are ever equal.
struct priority_point {
  std::int64_t point = 0;
  std::int64_t tie = 0;

  // Not `= default`, of which compilers make calls.
  [[nodiscard]] friend constexpr auto operator<=>(const priority_point& a, const priority_point& b) noexcept {
    return a.point != b.point ? a.point <=> b.point : a.tie <=> b.tie;
  }
  // By its own name for nvcc 13, which does not define it otherwise.
  [[nodiscard]] friend constexpr auto operator==(const priority_point&, const priority_point&) noexcept
      -> bool = default;
};

/// Comes behind every job: the effective priority of a node without any other priority.
inline constexpr priority_point lowest_priority{std::numeric_limits<std::int64_t>::max(),
                                                std::numeric_limits<std::int64_t>::max()};
/// Comes before every job: the priority of a boosted job.
inline constexpr priority_point boosted_priority{std::numeric_limits<std::int64_t>::min(),
                                                 std::numeric_limits<std::int64_t>::min()};

}  // namespace takt::inline TAKT_ABI
