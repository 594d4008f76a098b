// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <utility>

#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::runtime {

/// The thread of an emulated unit and what it waits with: `condition` or `timed_condition`.
template <class Condition>
class unit_thread {
 public:
  unit_thread(const unit_thread&) = delete;
  auto operator=(const unit_thread&) -> unit_thread& = delete;

  [[nodiscard]] auto started() const noexcept -> bool { return thread_.started(); }
  [[nodiscard]] auto serve_at(int priority) const noexcept -> bool {
    return started() && schedule(thread_.native_handle(), priority) == 0;
  }

 protected:
  unit_thread() = default;
  ~unit_thread() = default;

  /// Pre: `serve` returns soon after the unit is `closing_`, which it reads with the lock held.
  template <class Serve>
  void start(Serve serve) {
    thread_ = thread{std::move(serve)};
  }
  /// To be called before anything goes that the thread uses.
  void stop() {
    {
      const std::lock_guard lock{mutex_};
      closing_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }

  inheriting_mutex mutex_;
  Condition changed_;
  bool closing_ = false;

 private:
  thread thread_;
};

}  // namespace takt::runtime
