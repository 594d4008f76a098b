// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>

#include <takt/core/number.hpp>
#include <takt/runtime/inheriting_mutex.hpp>

namespace takt::runtime {

namespace detail {

/// Time for all threads to reach their first release.
inline constexpr ticks lead_time = 5'000'000;

}  // namespace detail

/// The instants between which a run takes place.
struct run_window {
  ticks start = 0;
  ticks stop = 0;
};

/// Where all threads of a run wait until it is known when it begins, or that it does not.
class start_line {
 public:
  void open(const run_window& window) {
    const std::lock_guard lock{mutex_};
    window_ = window;
    decided_ = true;
    changed_.notify_all();
  }
  void call_off() {
    const std::lock_guard lock{mutex_};
    decided_ = true;
    changed_.notify_all();
  }
  /// Nothing when the run was called off.
  [[nodiscard]] auto wait() -> std::optional<run_window> {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return decided_; });
    return window_;
  }

 private:
  inheriting_mutex mutex_;
  condition changed_;
  bool decided_ = false;
  std::optional<run_window> window_;
};

}  // namespace takt::runtime
