// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/simulation/graph/graph_trace.hpp>

namespace takt::simulation {

/// At `time` a job reaches its nominal release, or the guard of its task may open.
template <ExactNumber Number>
struct graph_appointment {
  Number time{};
  graph_job_name who{};
  bool of_guard = false;
};

/// Appointments by time; those of one time in no particular order.
template <ExactNumber Number>
class graph_agenda {
 public:
  void reserve(std::size_t count) { heap_.reserve(count); }
  void make(const graph_appointment<Number>& a) {
    heap_.push_back(a);
    std::ranges::push_heap(heap_, later);
  }

  /// False when there is none.
  [[nodiscard]] auto next(Number& out) const -> bool {
    if (heap_.empty()) { return false; }
    out = heap_.front().time;
    return true;
  }
  /// Takes one that is due out. False when there is none.
  [[nodiscard]] auto take_due(const Number& now, graph_appointment<Number>& out) -> bool {
    if (heap_.empty() || now < heap_.front().time) { return false; }
    std::ranges::pop_heap(heap_, later);
    out = heap_.back();
    heap_.pop_back();
    return true;
  }

 private:
  [[nodiscard]] static auto later(const graph_appointment<Number>& a, const graph_appointment<Number>& b) -> bool {
    return b.time < a.time;
  }

  std::vector<graph_appointment<Number>> heap_;
};

}  // namespace takt::simulation
