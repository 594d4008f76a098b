// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/locking/thread_record.hpp>

namespace takt::runtime {

inline constexpr std::int64_t priority_of_thread = std::numeric_limits<std::int64_t>::max();

/// What a thread says of itself when it asks for a lock.
struct lock_call {
  /// The smaller comes first; by default minus the real-time priority that the thread had when it first used a lock.
  std::int64_t priority = priority_of_thread;
  duration length{};                 ///< declared length of the critical section, 0 where no rule asks for it
  std::int32_t task = unnamed_task;  ///< which task the job belongs to, for heuristics
  bool spins = false;                ///< waits busily; under SCHED_FIFO only where the holder has another core
};

namespace detail {

/// Pre: the calling thread has a claim.
[[nodiscard]] inline auto point_of(const lock_call& call) noexcept -> std::int64_t {
  return call.priority != priority_of_thread ? call.priority : -std::int64_t{this_thread.priority};
}

/// The instant of `now()` at which a time of any clock comes, or a little later; 0 for all before that.
template <class Clock, class Duration>
[[nodiscard]] auto deadline_at(const std::chrono::time_point<Clock, Duration>& t) -> ticks {
  const auto left = std::chrono::ceil<std::chrono::nanoseconds>(t - Clock::now());
  return std::max<ticks>(0, later(now(), left.count()));
}

}  // namespace detail

}  // namespace takt::runtime
