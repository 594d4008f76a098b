// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/rules/accelerator/job_order.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/accelerator_device.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/timed_condition.hpp>

namespace takt::runtime {

/// The end of a launch, when its notice came.
struct launch_notice {
  kernel_id kernel = no_kernel;
  launch_end how = launch_end::complete;
  ticks time = 0;
};

/// Where the threads of a device leave their notices for the scheduler's thread, which is the only one to wait here.
class launch_inbox {
 public:
  /// Room for the notices, of which each kernel has at most one under way.
  void reserve(std::size_t kernels) { notices_.reserve(kernels); }

  void post(kernel_id k, launch_end how) {
    const std::lock_guard lock{mutex_};
    notices_.push_back({k, how, now()});
    changed_.notify_all();
  }
  /// Ends the present or the next wait.
  void wake() {
    const std::lock_guard lock{mutex_};
    woken_ = true;
    changed_.notify_all();
  }

  /// Waits for a notice, for `wake` or for the instant. Moves the notices to `out`; the instant up to which these are
  /// all: later ones carry a later time.
  [[nodiscard]] auto wait_until(ticks time, std::vector<launch_notice>& out) -> ticks {
    out.clear();
    std::unique_lock lock{mutex_};
    changed_.wait_until(lock, time, [this] { return woken_ || !notices_.empty(); });
    woken_ = false;
    notices_.swap(out);
    return now();
  }

 private:
  inheriting_mutex mutex_;
  timed_condition changed_;
  std::vector<launch_notice> notices_;
  bool woken_ = false;
};

}  // namespace takt::runtime
