// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include <takt/runtime/inheriting_mutex.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Lets one thread wait, suspended, for a signal. A signal is kept until it is waited for, and wakes one wait.
class event {
 public:
  void signal() noexcept {
    const std::lock_guard lock{mutex_};
    signalled_ = true;
    changed_.notify_all();
  }
  void wait() noexcept {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return signalled_; });
    signalled_ = false;
  }

 private:
  inheriting_mutex mutex_;
  condition changed_;
  bool signalled_ = false;
};

}  // namespace takt::inline TAKT_ABI::runtime
