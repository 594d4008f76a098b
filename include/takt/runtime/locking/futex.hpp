// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <limits>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI::runtime::detail {

using futex_word = std::atomic<std::uint32_t>;
static_assert(sizeof(futex_word) == sizeof(std::uint32_t) && futex_word::is_always_lock_free);

inline constexpr ticks no_deadline = std::numeric_limits<ticks>::max();

/// Says who waits at a word: threads of this process, or of all that share its memory.
inline constexpr int own_process = FUTEX_PRIVATE_FLAG;
inline constexpr int all_processes = 0;

/// Suspends the calling thread while the word has this value, at most until `now()` reaches the deadline; may return
/// early. False: the deadline has passed. No cancellation point.
[[nodiscard]] inline auto futex_wait(futex_word& word, std::uint32_t value, ticks deadline,
                                     int scope = own_process) noexcept -> bool {
  const timespec t{static_cast<time_t>(deadline / 1'000'000'000), static_cast<long>(deadline % 1'000'000'000)};
  return syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | scope, value, deadline == no_deadline ? nullptr : &t, nullptr,
                 FUTEX_BITSET_MATCH_ANY) == 0 ||
         errno != ETIMEDOUT;
}

/// Wakes a waiter. The word need not exist any more: at worst another thread wakes up early.
inline void futex_wake(const futex_word* word, int scope = own_process) noexcept {
  (void)syscall(SYS_futex, word, FUTEX_WAKE | scope, 1, nullptr, nullptr, 0);
}

}  // namespace takt::inline TAKT_ABI::runtime::detail
