// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <takt/runtime/locked_memory.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Describes a thread of a run: its SCHED_FIFO priority, and the processors of the platform that it belongs on.
struct run_thread {
  pthread_t handle{};
  int priority = 1;
  std::int32_t core = 0;
  std::int32_t cores = 1;  ///< 0: it is at home on none
};

/// Is below what Linux gives its interrupt threads.
inline constexpr int usual_priority = 40;

/// Holds what a run asks of the operating system. Each request is granted as a whole or not at all, leaves a sentence
/// on what came of it, and is taken back at the end of the scope.
class rights {
 public:
  rights(std::vector<run_thread> threads, std::vector<std::string>& notes)
      : threads_{std::move(threads)}, notes_{&notes}, self_{pthread_self()} {
    (void)pthread_getschedparam(self_, &own_policy_, &own_parameters_);
  }
  rights(const rights&) = delete;
  auto operator=(const rights&) -> rights& = delete;
  ~rights() { give_back(); }

  /// SCHED_FIFO: the calling thread at `own`, above all others, so that it can always end the run; the threads at their
  /// priorities; `others(true)` whatever else there is, and `others(false)`, at the end of the scope at the latest,
  /// takes that back. Refused where nothing keeps real-time threads from starving the rest of the machine. `granted` is
  /// the sentence then, `without` what it means if not.
  auto be_real_time(int own, const std::string& granted, const std::string& without,
                    std::function<bool(bool above)> others = {}) -> bool {
    if (!throttled()) {
      return refused(
          "scheduling: time-shared, because the kernel sets no limit to real-time threads "
          "(kernel.sched_rt_runtime_us)" +
          without);
    }
    raised_ = true;
    others_ = std::move(others);
    int error = raise(self_, own);
    for (std::size_t i = 0; error == 0 && i < threads_.size(); ++i) {
      error = raise(threads_[i].handle, threads_[i].priority);
    }
    if (error != 0 || (others_ && !others_(true))) {
      lower();
      return refused("scheduling: time-shared, because SCHED_FIFO was refused" + reason(error) + without);
    }
    notes_->push_back("scheduling: SCHED_FIFO, " + granted);
    return true;
  }

  /// Each thread to as many CPUs of those that this process may use as it has processors; what is beyond them wraps
  /// around.
  auto pin() -> bool {
    cpu_set_t usable;
    CPU_ZERO(&usable);
    if (sched_getaffinity(0, sizeof usable, &usable) != 0) {
      return refused("affinity: not pinned, because the usable CPUs are unknown" + reason(errno));
    }
    std::vector<std::size_t> cpus;
    for (std::size_t c = 0; c < CPU_SETSIZE; ++c) {
      if (CPU_ISSET(c, &usable)) { cpus.push_back(c); }
    }
    std::int32_t used = 0;
    for (const run_thread& t : threads_) {
      if (t.cores == 0) { continue; }
      cpu_set_t own;
      CPU_ZERO(&own);
      for (std::int32_t c = t.core; c < t.core + t.cores; ++c) {
        CPU_SET(cpus[static_cast<std::size_t>(c) % cpus.size()], &own);
      }
      if (const int error = pthread_setaffinity_np(t.handle, sizeof own, &own); error != 0) {
        return refused("affinity: not pinned" + reason(error));
      }
      used = std::max(used, t.core + t.cores);
    }
    notes_->emplace_back("affinity: each thread on the CPUs of its cores");
    if (static_cast<std::size_t>(used) > cpus.size()) {
      notes_->push_back("affinity: the platform has more cores than the " + std::to_string(cpus.size()) +
                        " CPUs of this process: some share one, which no analysis of the platform counts");
    }
    return true;
  }

  auto lock_memory() -> bool {
    locked_ = detail::lock_used_memory();
    if (!locked_) { return refused("memory: not locked" + reason(errno) + ": page faults may add to responses"); }
    notes_->emplace_back("memory: locked");
    return true;
  }

  void give_back() {
    lower();
    if (std::exchange(locked_, false)) { (void)munlockall(); }
  }

 private:
  [[nodiscard]] static auto throttled() -> bool {
    std::ifstream file{"/proc/sys/kernel/sched_rt_runtime_us"};
    long runtime = -1;
    return static_cast<bool>(file >> runtime) && runtime >= 0;
  }
  [[nodiscard]] static auto reason(int error) -> std::string {
    return error == 0 ? std::string{} : " (" + std::generic_category().message(error) + ")";
  }
  /// Sets a priority; 0 is the ordinary class, which no run asks for here.
  [[nodiscard]] static auto raise(pthread_t thread, int priority) -> int {
    return priority < 1 ? EINVAL : schedule(thread, priority);
  }
  auto refused(const std::string& note) -> bool {
    notes_->push_back(note);
    return false;
  }
  void lower() {
    if (!std::exchange(raised_, false)) { return; }
    for (const run_thread& t : threads_) { (void)schedule(t.handle, 0); }
    if (others_) { (void)std::exchange(others_, {})(false); }
    (void)pthread_setschedparam(self_, own_policy_, &own_parameters_);
  }

  std::vector<run_thread> threads_;
  std::function<bool(bool)> others_;
  std::vector<std::string>* notes_;
  pthread_t self_;
  int own_policy_ = SCHED_OTHER;
  sched_param own_parameters_{};
  bool raised_ = false;
  bool locked_ = false;
};

}  // namespace takt::inline TAKT_ABI::runtime
