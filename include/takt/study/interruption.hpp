// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::studies {

/// While it lives, the first SIGINT or SIGTERM only asks for a stop; one of either kind that comes later does what it
/// does by itself. What comes within a fifth of a second is the first one again: `timeout` sends to a process and to
/// its group. Pre: there is one at a time.
class interruption {
 public:
  interruption() noexcept : at_int_{std::signal(SIGINT, ask)}, at_term_{std::signal(SIGTERM, ask)} {
    TAKT_EXPECTS(at_int_ != &ask);
  }
  interruption(const interruption&) = delete;
  auto operator=(const interruption&) -> interruption& = delete;
  interruption(interruption&&) = delete;
  auto operator=(interruption&&) -> interruption& = delete;
  ~interruption() {
    (void)std::signal(SIGINT, at_int_);
    (void)std::signal(SIGTERM, at_term_);
    was_asked = false;
  }

  [[nodiscard]] static auto asked() noexcept -> const std::atomic<bool>& { return was_asked; }

 private:
  using handler = void (*)(int);
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

  static void ask(int signal) noexcept {
    const std::int64_t now = milliseconds();
    if (!was_asked) {
      asked_at = now;
      was_asked = true;
      return;
    }
    if (now - asked_at < 200) { return; }
    (void)std::signal(signal, SIG_DFL);
    (void)std::raise(signal);
  }
  static auto milliseconds() noexcept -> std::int64_t {
    timespec t{};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1000 + t.tv_nsec / 1'000'000;
  }

  inline static std::atomic<bool> was_asked{false};
  inline static std::atomic<std::int64_t> asked_at{0};
  handler at_int_;
  handler at_term_;
};

}  // namespace takt::inline TAKT_ABI::studies
