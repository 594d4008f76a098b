// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csignal>

namespace takt::inline v0::studies {

/// While it lives, the first SIGINT or SIGTERM only asks for a stop; a second one, of either kind, does what it does by
/// itself. Pre: there is one at a time.
class interruption {
 public:
  interruption() noexcept : at_int_{std::signal(SIGINT, ask)}, at_term_{std::signal(SIGTERM, ask)} {}
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

  static void ask(int /*signal*/) noexcept {
    was_asked = true;
    (void)std::signal(SIGINT, SIG_DFL);
    (void)std::signal(SIGTERM, SIG_DFL);
  }

  inline static std::atomic<bool> was_asked{false};
  handler at_int_;
  handler at_term_;
};

}  // namespace takt::inline v0::studies
