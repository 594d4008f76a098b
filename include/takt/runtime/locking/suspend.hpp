// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stop_token>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/locking/futex.hpp>
#include <takt/runtime/locking/thread_record.hpp>

namespace takt::runtime::detail {

[[noreturn]] inline void terminate(const char* sentence) noexcept {
  (void)std::fputs(sentence, stderr);
  (void)std::fputc('\n', stderr);
  std::abort();
}

/// Where an error cannot be reported any more: in destructors and at the end of a thread.
template <class Call>
void or_terminate(Call call) noexcept {
  try {
    call();
  } catch (const std::exception& e) { terminate(e.what()); }
}

[[nodiscard]] inline auto is_granted(const lock_claim& c) noexcept -> bool {
  return c.turn.load(std::memory_order_acquire) == static_cast<std::uint32_t>(turn::granted);
}

/// Suspends the calling thread until its claim is granted, the deadline has passed or a stop was requested. False: not
/// granted so far; what counts is another look within a turn.
[[nodiscard]] inline auto suspend(lock_claim& c, ticks deadline, const std::stop_token& stop) -> bool {
  constexpr auto waiting = static_cast<std::uint32_t>(turn::waiting);
  const std::stop_callback on_stop{stop, [&c] {
                                     auto expected = waiting;
                                     (void)c.turn.compare_exchange_strong(expected,
                                                                          static_cast<std::uint32_t>(turn::stopped));
                                     futex_wake(&c.turn);
                                   }};
  while (c.turn.load(std::memory_order_acquire) == waiting &&
         (c.spins ? now() < deadline : futex_wait(c.turn, waiting, deadline))) {}
  return is_granted(c);
}

}  // namespace takt::runtime::detail
