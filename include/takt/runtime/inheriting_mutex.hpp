// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <ctime>
#include <mutex>

#include <pthread.h>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// A mutex whose holder runs at the priority of the thread that waits for it (PTHREAD_PRIO_INHERIT), where the system
/// has that. Otherwise a thread of middle priority could delay the holder, and with it the highest thread.
class inheriting_mutex {
 public:
  inheriting_mutex() noexcept {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    (void)pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    if (pthread_mutex_init(&mutex_, &attributes) != 0) { pthread_mutex_init(&mutex_, nullptr); }
    pthread_mutexattr_destroy(&attributes);
  }
  inheriting_mutex(const inheriting_mutex&) = delete;
  auto operator=(const inheriting_mutex&) -> inheriting_mutex& = delete;
  ~inheriting_mutex() { pthread_mutex_destroy(&mutex_); }

  void lock() noexcept { pthread_mutex_lock(&mutex_); }
  void unlock() noexcept { pthread_mutex_unlock(&mutex_); }
  [[nodiscard]] auto native_handle() noexcept -> pthread_mutex_t* { return &mutex_; }

 private:
  pthread_mutex_t mutex_{};
};

/// Is a condition variable for it, whose waits can also end at an instant of `now()`: `std::condition_variable` accepts
/// `std::mutex` alone.
class condition {
 public:
  condition() noexcept {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&condition_, &attributes);
    pthread_condattr_destroy(&attributes);
  }
  condition(const condition&) = delete;
  auto operator=(const condition&) -> condition& = delete;
  ~condition() { pthread_cond_destroy(&condition_); }

  /// Suspends the calling thread until `ready()`, which is asked with the lock held.
  template <class Predicate>
  void wait(std::unique_lock<inheriting_mutex>& lock, Predicate ready) {
    while (!ready()) { pthread_cond_wait(&condition_, lock.mutex()->native_handle()); }
  }
  /// Suspends it like `wait`, until `time` has come at most.
  template <class Predicate>
  void wait_until(std::unique_lock<inheriting_mutex>& lock, ticks time, Predicate ready) {
    while (!ready()) {
      const ticks present = now();
      if (present >= time) { return; }
      const ticks until = std::min(time, later(present, nap));
      const timespec t{static_cast<time_t>(until / 1'000'000'000), static_cast<long>(until % 1'000'000'000)};
      (void)pthread_cond_timedwait(&condition_, lock.mutex()->native_handle(), &t);
    }
  }
  void notify_all() noexcept { pthread_cond_broadcast(&condition_); }

 private:
  /// The longest sleep, since clocks do not take the last instant there is.
  static constexpr ticks nap = 1'000'000'000;

  pthread_cond_t condition_{};
};

}  // namespace takt::inline TAKT_ABI::runtime
