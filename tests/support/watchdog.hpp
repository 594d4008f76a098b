// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <takt/core/number.hpp>

namespace takt_tests {

/// Ends the program when a test hangs, which would otherwise say nothing.
class watchdog {
 public:
  explicit watchdog(takt::ticks length)
      : thread_{[this, length] {
          std::unique_lock lock{mutex_};
          if (!over_.wait_for(lock, std::chrono::nanoseconds{length}, [this] { return done_; })) {
            std::fputs("takt: a test hangs\n", stderr);
            std::abort();
          }
        }} {}
  watchdog(const watchdog&) = delete;
  auto operator=(const watchdog&) -> watchdog& = delete;
  ~watchdog() {
    {
      const std::lock_guard lock{mutex_};
      done_ = true;
      over_.notify_all();
    }
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace takt_tests
