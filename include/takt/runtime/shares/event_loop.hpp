// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <takt/core/number.hpp>
#include <takt/runtime/shares/descriptor.hpp>

namespace takt::runtime {

/// Waits for files and for an instant of `now()`, for one thread.
class event_loop {
 public:
  static constexpr ticks never = std::numeric_limits<ticks>::max();
  static constexpr std::uint64_t timer_tag = std::numeric_limits<std::uint64_t>::max();

  event_loop() noexcept
      : poll_{epoll_create1(EPOLL_CLOEXEC)},
        timer_{timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)},
        ready_{poll_ && timer_ && add(timer_.get(), timer_tag, EPOLLIN)} {}

  /// False when the system refused.
  [[nodiscard]] explicit operator bool() const noexcept { return ready_; }
  [[nodiscard]] auto add(int file, std::uint64_t tag, std::uint32_t what) const noexcept -> bool {
    return control(EPOLL_CTL_ADD, file, tag, what);
  }
  [[nodiscard]] auto change(int file, std::uint64_t tag, std::uint32_t what) const noexcept -> bool {
    return control(EPOLL_CTL_MOD, file, tag, what);
  }
  void remove(int file) const noexcept {
    if (file >= 0) { (void)epoll_ctl(poll_.get(), EPOLL_CTL_DEL, file, nullptr); }
  }

  /// Suspends the calling thread until something is ready or the instant has come. Pre: nobody else waits.
  [[nodiscard]] auto wait(ticks until) noexcept -> std::span<const epoll_event> {
    const ticks at = std::max<ticks>(until, 1);
    itimerspec t{};
    if (until != never) {
      t.it_value = {static_cast<time_t>(at / 1'000'000'000), static_cast<long>(at % 1'000'000'000)};
    }
    (void)timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &t, nullptr);
    const int count = epoll_wait(poll_.get(), events_.data(), static_cast<int>(events_.size()), -1);
    std::uint64_t expirations = 0;
    [[maybe_unused]] const ssize_t got = read(timer_.get(), &expirations, sizeof(expirations));
    return std::span{events_}.first(count > 0 ? static_cast<std::size_t>(count) : 0);
  }

 private:
  [[nodiscard]] auto control(int operation, int file, std::uint64_t tag, std::uint32_t what) const noexcept -> bool {
    epoll_event e{};
    e.events = what;
    e.data.u64 = tag;
    return epoll_ctl(poll_.get(), operation, file, &e) == 0;
  }

  descriptor poll_;
  descriptor timer_;
  std::array<epoll_event, 64> events_{};
  bool ready_ = false;
};

}  // namespace takt::runtime
