// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/core/choice.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/priority_order.hpp>

namespace takt::analysis {

/// Positions of the tasks in a table, highest priority first.
template <std::size_t MaxTasks>
using rank_order = inline_vector<std::size_t, MaxTasks>;

/// The order in which fixed priorities rank kernels; equal keys keep the given order. `assigned` is deadline monotonic
/// where a task has no priority; an unknown order ranks nobody, and no test takes that. Cost: tasks^2 at most.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto rank(const accelerator_table<Number, MaxTasks>& table,
                                  priority_order wanted = priority_order::assigned) -> rank_order<MaxTasks> {
  const priority_order order = effective_order(table, wanted);
  const auto before = [&](std::size_t a, std::size_t b) {
    const auto& x = table.tasks[a];
    const auto& y = table.tasks[b];
    switch (order) {
      case priority_order::assigned: return x.priority < y.priority;
      case priority_order::deadline_monotonic: return x.deadline < y.deadline;
      case priority_order::rate_monotonic: return x.period < y.period;
    }
    return false;
  };
  rank_order<MaxTasks> out;
  for (std::size_t i = 0; is_known(wanted) && i < table.size(); ++i) {
    static_cast<void>(out.push_back(i));
    for (std::size_t at = i; at > 0 && before(i, out[at - 1]); --at) {
      out[at] = out[at - 1];
      out[at - 1] = i;
    }
  }
  return out;
}

/// The tasks in the order in which they stand.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto rank_as_given(std::size_t tasks) -> rank_order<MaxTasks> {
  rank_order<MaxTasks> out;
  for (std::size_t i = 0; i < tasks; ++i) { static_cast<void>(out.push_back(i)); }
  return out;
}

}  // namespace takt::analysis
