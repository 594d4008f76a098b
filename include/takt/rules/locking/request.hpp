// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/priority_point.hpp>

namespace takt::inline TAKT_ABI {

/// A client of a lock: a number below the protocol's capacity that has at most one incomplete request at a time.
using request_id = std::int32_t;
inline constexpr request_id no_request = -1;

/// One of the k interchangeable units (tokens, engines) behind a lock.
using replica_id = std::int32_t;
inline constexpr replica_id no_replica = -1;

/// The task of a job that does not say which.
inline constexpr std::int32_t unnamed_task = -1;

struct lock_request {
  priority_point priority{};         ///< the job's base priority; a request keeps it until it is complete
  ticks length = 0;                  ///< declared length of the critical section, 0 where no rule asks for it
  std::int32_t task = unnamed_task;  ///< for heuristics, which know tasks by number from job to job

  [[nodiscard]] friend constexpr auto operator==(const lock_request&, const lock_request&) noexcept -> bool = default;
};

}  // namespace takt::inline TAKT_ABI
