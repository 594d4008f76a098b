// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include <takt/core/number.hpp>

namespace takt {

/// Where a job stands in the order of importance: the smaller point (a deadline, a period, a priority number) comes
/// first, equal points in the order of `tie`. Hosts keep `tie` unique, so that no two jobs are ever equal.
struct priority_point {
  std::int64_t point = 0;
  std::int32_t tie = 0;

  [[nodiscard]] friend constexpr auto operator<=>(const priority_point&, const priority_point&) noexcept = default;
};

/// Behind every job: the effective priority of somebody whom nothing drives.
inline constexpr priority_point lowest_priority{std::numeric_limits<std::int64_t>::max(),
                                                std::numeric_limits<std::int32_t>::max()};
/// Before every job: a boosted one.
inline constexpr priority_point boosted_priority{std::numeric_limits<std::int64_t>::min(),
                                                 std::numeric_limits<std::int32_t>::min()};

/// A client of a lock: a number below the protocol's capacity that has at most one incomplete request at a time.
using request_id = std::int32_t;
inline constexpr request_id no_request = -1;

/// One of the k interchangeable units (tokens, engines) behind a lock.
using replica_id = std::int32_t;
inline constexpr replica_id no_replica = -1;

struct lock_request {
  priority_point priority{};  ///< the job's base priority; a request keeps it until it is complete
  ticks length = 0;           ///< declared length of the critical section, 0 where no rule asks for it

  [[nodiscard]] friend constexpr auto operator==(const lock_request&, const lock_request&) noexcept -> bool = default;
};

}  // namespace takt
