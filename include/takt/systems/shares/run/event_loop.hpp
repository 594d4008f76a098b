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
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <takt/core/number.hpp>
#include <takt/runtime/descriptor.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Waits for files, for an instant of `now()` and for a wake-up call, for one thread.
class event_loop {
 public:
  static constexpr ticks never = std::numeric_limits<ticks>::max();
  /// Files have tags below it.
  static constexpr std::uint64_t own_tag = std::numeric_limits<std::uint64_t>::max();

  event_loop() noexcept
      : poll_{epoll_create1(EPOLL_CLOEXEC)},
        timer_{timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)},
        bell_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
        ready_{poll_ && timer_ && bell_ && add(timer_.get(), own_tag, EPOLLIN) && add(bell_.get(), own_tag, EPOLLIN)} {}

  /// Returns false when the system refused.
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

  /// Ends the wait, or the next one; from any thread.
  void ring() const noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(bell_.get(), &one, sizeof(one));
  }
  /// Suspends the calling thread until something is ready, the instant has come or a wake-up was called. Pre: nobody
  /// else waits.
  [[nodiscard]] auto wait(ticks until) noexcept -> std::span<const epoll_event> {
    const ticks at = std::max<ticks>(until, 1);
    itimerspec t{};
    if (until != never) {
      t.it_value = {static_cast<time_t>(at / 1'000'000'000), static_cast<long>(at % 1'000'000'000)};
    }
    (void)timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &t, nullptr);
    const int count = epoll_wait(poll_.get(), events_.data(), static_cast<int>(events_.size()), -1);
    std::uint64_t times = 0;
    for (const int own : {timer_.get(), bell_.get()}) {
      [[maybe_unused]] const ssize_t got = read(own, &times, sizeof(times));
    }
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
  descriptor bell_;
  std::array<epoll_event, 64> events_{};
  bool ready_ = false;
};

}  // namespace takt::inline TAKT_ABI::runtime
