// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Says which relative priority points a GEL scheduler gives its tasks: a sum of what is known of a task, each so many
/// times. A job's point is its nominal release plus that of its task; the least point runs first. Adding one number to
/// all points of a cluster changes nothing. Points that are no such sum are given one by one.
///
/// A policy of one's own: `gel_policy{.deadline = 1, .wcet = -1}` runs the job with the least slack at its release.
struct gel_policy {
  std::int32_t deadline = 0;
  std::int32_t period = 0;
  std::int32_t wcet = 0;
  std::int32_t other_processors = 0;  ///< (m - 1) / m wcet on m processors
  std::int32_t point = 0;             ///< `gel_task::point`

  static const gel_policy earliest_deadline;
  static const gel_policy fair_lateness;  ///< deadline - (m - 1) / m wcet (Erickson 2014)
  static const gel_policy first_in_first_out;
  static const gel_policy given_points;

  [[nodiscard]] friend constexpr auto operator==(const gel_policy&, const gel_policy&) noexcept -> bool = default;
};

inline constexpr gel_policy gel_policy::earliest_deadline{.deadline = 1};
inline constexpr gel_policy gel_policy::fair_lateness{.deadline = 1, .other_processors = -1};
inline constexpr gel_policy gel_policy::first_in_first_out{};
inline constexpr gel_policy gel_policy::given_points{.point = 1};

}  // namespace takt::inline TAKT_ABI
