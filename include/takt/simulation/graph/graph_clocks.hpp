// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/simulation/graph/graph_workload.hpp>

namespace takt::simulation {

/// The invocations that release the clocked tasks of a workload.
template <ExactNumber Number>
class graph_clocks {
 public:
  /// `releases`: by clock, ascending; outlives this.
  graph_clocks(const graph_workload<Number>& work, const std::vector<std::vector<Number>>& releases)
      : releases_{&releases}, released_(releases.size(), 0), tasks_(releases.size()) {
    for (std::size_t t = 0; t < work.tasks.size(); ++t) {
      if (work.tasks[t].clock != no_clock) { tasks_[static_cast<std::size_t>(work.tasks[t].clock)].push_back(t); }
    }
  }

  /// False when all invocations have been released.
  [[nodiscard]] auto next(Number& out) const -> bool {
    bool any = false;
    for (std::size_t c = 0; c < released_.size(); ++c) {
      const auto& times = (*releases_)[c];
      if (released_[c] == times.size() || (any && !(times[released_[c]] < out))) { continue; }
      out = times[released_[c]];
      any = true;
    }
    return any;
  }
  /// Calls `released(task, number, time)` for each job whose invocation is due.
  template <class Released>
  void release_due(const Number& now, const Released& released) {
    for (std::size_t c = 0; c < released_.size(); ++c) {
      const auto& times = (*releases_)[c];
      for (std::size_t& j = released_[c]; j < times.size() && !(now < times[j]); ++j) {
        for (const std::size_t t : tasks_[c]) { released(t, j, times[j]); }
      }
    }
  }

 private:
  const std::vector<std::vector<Number>>* releases_;
  std::vector<std::size_t> released_;            ///< invocations, by clock
  std::vector<std::vector<std::size_t>> tasks_;  ///< by clock
};

}  // namespace takt::simulation
