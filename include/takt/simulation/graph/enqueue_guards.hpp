// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/rules/guarded_enqueue.hpp>
#include <takt/simulation/graph/graph_workload.hpp>

namespace takt::simulation {

/// The guards of the guarded tasks of a workload.
template <ExactNumber Number>
class enqueue_guards {
 public:
  /// Jobs can be ready at most so many ahead of the next one to enter.
  static constexpr std::size_t window = 256;
  using guard = guarded_enqueue<Number, window>;

  /// `used`: whether any task has one.
  void set_up(const graph_workload<Number>& work, bool used) {
    place_.assign(work.tasks.size(), 0);
    for (std::size_t t = 0; used && t < work.tasks.size(); ++t) {
      if (!work.tasks[t].guarded) { continue; }
      guards_.push_back(guard{work.tasks[t].period});
      place_[t] = guards_.size();
    }
  }

  [[nodiscard]] auto has(std::size_t task) const noexcept -> bool { return place_[task] != 0; }
  /// Pre: the task has one.
  [[nodiscard]] auto of(std::size_t task) noexcept -> guard& { return guards_[place_[task] - 1]; }

 private:
  std::vector<guard> guards_;
  std::vector<std::size_t> place_;  ///< by task, counted from 1; 0: none
};

}  // namespace takt::simulation
