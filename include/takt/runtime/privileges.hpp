// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <sched.h>

#include <takt/runtime/concepts.hpp>
#include <takt/runtime/rights.hpp>

namespace takt::runtime {

/// The rights of tasks that have fixed priorities and share a device.
template <Device D>
class privileges {
 public:
  /// `tasks` in priority order, highest first. Their own priorities are not read.
  privileges(std::vector<run_thread> tasks, D& device, std::vector<std::string>& notes)
      : highest_{highest_of(tasks.size())},
        lowest_{priority_of(highest_, tasks.size() - 1)},
        share_{tasks.size() > static_cast<std::size_t>(highest_)},
        device_{&device},
        notes_{&notes},
        rights_{in_order(std::move(tasks), highest_), notes} {}
  privileges(const privileges&) = delete;
  auto operator=(const privileges&) -> privileges& = delete;
  ~privileges() { give_back(); }

  /// The calling thread above the device's, those above the tasks in their order.
  auto be_real_time() -> bool {
    raised_ = rights_.be_real_time(highest_ + 2,
                                   "priorities " + std::to_string(highest_) + " down to " + std::to_string(lowest_),
                                   ": task priorities hold for copies, not on the CPU",
                                   [this](bool above) { return device_->serve_at(above ? highest_ + 1 : 0); });
    if (raised_ && share_) { notes_->emplace_back("scheduling: more tasks than priorities: the lowest share one"); }
    return raised_;
  }
  auto pin() -> bool { return rights_.pin(); }
  auto lock_memory() -> bool { return rights_.lock_memory(); }
  void give_back() {
    rights_.give_back();
    if (std::exchange(raised_, false)) { (void)device_->serve_at(0); }
  }

 private:
  /// Below what Linux gives its interrupt threads, unless there are more tasks than that.
  static constexpr int usual_highest = 40;

  [[nodiscard]] static auto highest_of(std::size_t tasks) -> int {
    const int room = sched_get_priority_max(SCHED_FIFO) - 3;
    return std::max(usual_highest, static_cast<int>(std::min(tasks, static_cast<std::size_t>(room))));
  }
  [[nodiscard]] static auto priority_of(int highest, std::size_t position) -> int {
    return std::max(1, highest - static_cast<int>(position));
  }
  [[nodiscard]] static auto in_order(std::vector<run_thread> tasks, int highest) -> std::vector<run_thread> {
    for (std::size_t i = 0; i < tasks.size(); ++i) { tasks[i].priority = priority_of(highest, i); }
    return tasks;
  }

  int highest_;
  int lowest_;
  bool share_;
  D* device_;
  std::vector<std::string>* notes_;
  rights rights_;
  bool raised_ = false;
};

}  // namespace takt::runtime
