// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <ctime>
#include <mutex>

#include <pthread.h>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/inheriting_mutex.hpp>

namespace takt::runtime {

/// A condition variable that also ends a wait at an instant of `now()`.
class timed_condition {
 public:
  timed_condition() noexcept {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&condition_, &attributes);
    pthread_condattr_destroy(&attributes);
  }
  timed_condition(const timed_condition&) = delete;
  auto operator=(const timed_condition&) -> timed_condition& = delete;
  ~timed_condition() { pthread_cond_destroy(&condition_); }

  template <class Predicate>
  void wait(std::unique_lock<inheriting_mutex>& lock, Predicate ready) {
    while (!ready()) { pthread_cond_wait(&condition_, lock.mutex()->native_handle()); }
  }
  /// Suspends the calling thread until `ready()`, which is asked with the lock held, or until `time` has come.
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

}  // namespace takt::runtime
