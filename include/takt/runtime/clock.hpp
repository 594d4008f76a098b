// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <ctime>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

[[nodiscard]] inline auto read_clock(clockid_t clock) noexcept -> ticks {
  timespec t{};
  (void)clock_gettime(clock, &t);
  return ticks{t.tv_sec} * 1'000'000'000 + ticks{t.tv_nsec};
}

}  // namespace detail

/// Returns the wall time that never jumps: CLOCK_MONOTONIC.
[[nodiscard]] inline auto now() noexcept -> ticks { return detail::read_clock(CLOCK_MONOTONIC); }

/// Returns the CPU time that the calling thread has consumed.
[[nodiscard]] inline auto thread_time() noexcept -> ticks { return detail::read_clock(CLOCK_THREAD_CPUTIME_ID); }

[[nodiscard]] inline auto clock_resolution() noexcept -> ticks {
  timespec t{};
  (void)clock_getres(CLOCK_MONOTONIC, &t);
  return ticks{t.tv_sec} * 1'000'000'000 + ticks{t.tv_nsec};
}

/// Returns `time + span`, or the last instant there is.
[[nodiscard]] constexpr auto later(ticks time, ticks span) noexcept -> ticks {
  return (duration{time} + duration{span}).count();
}

/// Suspends the calling thread; returns at once when the time has passed.
inline void sleep_until(ticks time) noexcept {
  const timespec t{static_cast<time_t>(time / 1'000'000'000), static_cast<long>(time % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {}
}

/// Consumes CPU time. Time in which other threads have the core does not count. Ends early once the wall clock reaches
/// `give_up`, so that no length in a file can hold a core longer than the run lasts.
inline void burn(ticks amount, ticks give_up) noexcept {
  const ticks target = later(thread_time(), amount);
  while (thread_time() < target && now() < give_up) {}
}

}  // namespace takt::inline TAKT_ABI::runtime
