// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <takt/runtime/concepts.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::runtime {

/// A thread of the run, and the core of the platform that it belongs on.
struct placed_thread {
  pthread_t handle{};
  std::int32_t core = 0;
};

/// What a run asks of the operating system: each request is granted as a whole or not at all, leaves a sentence on what
/// came of it, and is taken back at the end of the scope.
template <Device D>
class privileges {
 public:
  /// `tasks` in priority order, highest first.
  privileges(std::vector<placed_thread> tasks, D& device, std::vector<std::string>& notes)
      : tasks_{std::move(tasks)}, device_{&device}, notes_{&notes}, self_{pthread_self()} {
    (void)pthread_getschedparam(self_, &own_policy_, &own_parameters_);
  }
  privileges(const privileges&) = delete;
  auto operator=(const privileges&) -> privileges& = delete;
  ~privileges() { give_back(); }

  /// SCHED_FIFO: the calling thread above the device's, those above the tasks in their order. So the caller, asleep
  /// until the run is over, can always end it. Refused where nothing keeps real-time threads from starving the rest of
  /// the machine.
  auto be_real_time() -> bool {
    if (!throttled()) {
      return refused(
          "scheduling: time-shared, because the kernel sets no limit to real-time threads "
          "(kernel.sched_rt_runtime_us)" +
          std::string{without_priorities});
    }
    const int highest = highest_task_priority();
    int error = schedule(self_, highest + 2);
    raised_ = error == 0;
    for (std::size_t i = 0; error == 0 && i < tasks_.size(); ++i) {
      error = schedule(tasks_[i].handle, task_priority(highest, i));
    }
    if (error != 0 || !device_->serve_at(highest + 1)) {
      lower();
      return refused("scheduling: time-shared, because SCHED_FIFO was refused" + reason(error) + without_priorities);
    }
    notes_->emplace_back("scheduling: SCHED_FIFO, priorities " + std::to_string(highest) + " down to " +
                         std::to_string(task_priority(highest, tasks_.size() - 1)));
    if (tasks_.size() > static_cast<std::size_t>(highest)) {
      notes_->emplace_back("scheduling: more tasks than priorities: the lowest share one");
    }
    return true;
  }

  /// Each task to one CPU of those that this process may use; cores of the platform beyond them wrap around.
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
    std::int32_t last_core = 0;
    for (const placed_thread& t : tasks_) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpus[static_cast<std::size_t>(t.core) % cpus.size()], &one);
      if (const int error = pthread_setaffinity_np(t.handle, sizeof one, &one); error != 0) {
        return refused("affinity: not pinned" + reason(error));
      }
      last_core = std::max(last_core, t.core);
    }
    notes_->emplace_back("affinity: each task on the CPU of its core");
    if (static_cast<std::size_t>(last_core) >= cpus.size()) {
      notes_->emplace_back("affinity: the platform has more cores than the " + std::to_string(cpus.size()) +
                           " CPUs of this process: some share one, which no analysis of the platform counts");
    }
    return true;
  }

  auto lock_memory() -> bool {
    locked_ = mlockall(MCL_CURRENT) == 0;
    if (!locked_) { return refused("memory: not locked" + reason(errno) + ": page faults may add to responses"); }
    notes_->emplace_back("memory: locked");
    return true;
  }

  void give_back() {
    lower();
    if (std::exchange(locked_, false)) { (void)munlockall(); }
  }

 private:
  static constexpr const char* without_priorities = ": task priorities hold for copies, not on the CPU";
  /// Below what Linux gives its interrupt threads, unless there are more tasks than that.
  static constexpr int usual_highest_priority = 40;

  [[nodiscard]] auto highest_task_priority() const -> int {
    const int room = sched_get_priority_max(SCHED_FIFO) - 3;
    const int wanted = static_cast<int>(std::min<std::size_t>(tasks_.size(), static_cast<std::size_t>(room)));
    return std::max(usual_highest_priority, wanted);
  }
  [[nodiscard]] static auto task_priority(int highest, std::size_t position) -> int {
    return std::max(1, highest - static_cast<int>(position));
  }
  [[nodiscard]] static auto throttled() -> bool {
    std::ifstream file{"/proc/sys/kernel/sched_rt_runtime_us"};
    long runtime = -1;
    return static_cast<bool>(file >> runtime) && runtime >= 0;
  }
  [[nodiscard]] static auto reason(int error) -> std::string {
    return error == 0 ? std::string{} : " (" + std::generic_category().message(error) + ")";
  }
  auto refused(const std::string& note) -> bool {
    notes_->push_back(note);
    return false;
  }

  void lower() {
    if (!std::exchange(raised_, false)) { return; }
    for (const placed_thread& t : tasks_) { (void)schedule(t.handle, 0); }
    (void)device_->serve_at(0);
    (void)pthread_setschedparam(self_, own_policy_, &own_parameters_);
  }

  std::vector<placed_thread> tasks_;
  D* device_;
  std::vector<std::string>* notes_;
  pthread_t self_;
  int own_policy_ = SCHED_OTHER;
  sched_param own_parameters_{};
  bool raised_ = false;
  bool locked_ = false;
};

}  // namespace takt::runtime
