// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_fault.hpp>
#include <takt/model/priority_point.hpp>
#include <takt/simulation/graph/graph_workload.hpp>
#include <takt/simulation/graph/job_gates.hpp>

namespace takt::simulation {

/// How urgent jobs are: by nominal release plus the point of the task, in the greatest part of a tick in which all
/// points are whole, then by graph, number and task.
class job_points {
 public:
  static constexpr ticks largest = ticks{1} << 60;

  [[nodiscard]] auto set_up(const graph_workload<ticks>& work, const job_gates& gates) -> model_fault {
    const auto& tasks = work.tasks;
    std::size_t next = 0;
    for (std::size_t t = 0, end = 0; t < tasks.size(); t = end) {
      std::size_t most = 0;
      for (end = t; end < tasks.size() && tasks[end].graph == tasks[t].graph; ++end) {
        most = std::max(most, gates.jobs(end));
      }
      for (std::size_t i = t; i < end; ++i) { ranks_.push_back({next + i - t, end - t}); }
      next += most * (end - t);
      if (next > std::numeric_limits<std::int32_t>::max()) { return model_fault::too_many_jobs; }
    }
    for (const auto& t : tasks) {
      if (!is_number(t.priority_point) || !common_multiple(parts_, t.priority_point.denominator(), parts_)) {
        return model_fault::time_overflow;
      }
    }
    for (const auto& t : tasks) {
      const ticks factor = parts_ / t.priority_point.denominator();
      if (!checked_multiply(t.priority_point.numerator(), factor, points_.emplace_back())) {
        return model_fault::time_overflow;
      }
    }
    return model_fault::none;
  }
  /// False where it does not fit.
  [[nodiscard]] auto point(std::size_t task, ticks nominal, ticks& out) const -> bool {
    return checked_multiply(nominal, parts_, out) && checked_add(out, points_[task], out) && -largest < out &&
           out < largest;
  }
  [[nodiscard]] auto rank(std::size_t task, std::size_t number) const -> std::int32_t {
    return static_cast<std::int32_t>(ranks_[task].first + number * ranks_[task].tasks);
  }

 private:
  struct rank_of_task {
    std::size_t first = 0;
    std::size_t tasks = 1;  ///< of the graph
  };
  std::vector<rank_of_task> ranks_;  ///< by task
  std::vector<ticks> points_;        ///< by task
  ticks parts_ = 1;                  ///< of a tick
};

}  // namespace takt::simulation
