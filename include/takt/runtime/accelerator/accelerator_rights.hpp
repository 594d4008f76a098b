// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <takt/runtime/accelerator/concepts.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::runtime {

/// What a run on an accelerator asks of the operating system: each request leaves a sentence on what came of it, and is
/// taken back at the end of the scope.
template <AcceleratorDevice D>
class accelerator_rights {
 public:
  accelerator_rights(pthread_t scheduler, D& device, std::vector<std::string>& notes)
      : scheduler_{scheduler}, device_{&device}, notes_{&notes}, self_{pthread_self()} {
    (void)pthread_getschedparam(self_, &own_policy_, &own_parameters_);
  }
  accelerator_rights(const accelerator_rights&) = delete;
  auto operator=(const accelerator_rights&) -> accelerator_rights& = delete;
  ~accelerator_rights() { give_back(); }

  /// SCHED_FIFO: the calling thread above the scheduler's, that above the device's, whose blocks may compute and must
  /// not keep a decision from being made. So the caller, asleep until the run is over, can always end it. Refused where
  /// nothing keeps real-time threads from starving the rest of the machine.
  auto be_real_time() -> bool {
    std::ifstream limit{"/proc/sys/kernel/sched_rt_runtime_us"};
    if (long runtime = -1; !(limit >> runtime) || runtime < 0) {
      return refused(
          "scheduling: time-shared, because the kernel sets no limit to real-time threads "
          "(kernel.sched_rt_runtime_us)");
    }
    raised_ = true;
    const bool granted = schedule(self_, device_priority + 2) == 0 && schedule(scheduler_, device_priority + 1) == 0 &&
                         device_->serve_at(device_priority);
    if (!granted) {
      lower();
      return refused("scheduling: time-shared, because SCHED_FIFO was refused");
    }
    notes_->emplace_back("scheduling: SCHED_FIFO, the scheduler at " + std::to_string(device_priority + 1) +
                         " above the device");
    return true;
  }
  auto lock_memory() -> bool {
    locked_ = mlockall(MCL_CURRENT) == 0;
    if (!locked_) { return refused("memory: not locked: page faults may add to responses"); }
    notes_->emplace_back("memory: locked");
    return true;
  }
  void give_back() {
    lower();
    if (std::exchange(locked_, false)) { (void)munlockall(); }
  }

 private:
  /// Below what Linux gives its interrupt threads.
  static constexpr std::int32_t device_priority = 40;

  auto refused(const char* note) -> bool {
    notes_->emplace_back(note);
    return false;
  }
  void lower() {
    if (!std::exchange(raised_, false)) { return; }
    (void)schedule(scheduler_, 0);
    (void)device_->serve_at(0);
    (void)pthread_setschedparam(self_, own_policy_, &own_parameters_);
  }

  pthread_t scheduler_;
  D* device_;
  std::vector<std::string>* notes_;
  pthread_t self_;
  int own_policy_ = SCHED_OTHER;
  sched_param own_parameters_{};
  bool raised_ = false;
  bool locked_ = false;
};

}  // namespace takt::runtime
