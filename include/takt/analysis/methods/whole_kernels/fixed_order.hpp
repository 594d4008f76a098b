// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/core/inline_vector.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/priority_order.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Positions of the tasks in a table, highest priority first.
template <std::size_t MaxTasks>
using rank_order = inline_vector<std::size_t, MaxTasks>;

/// Returns the order in which fixed priorities rank kernels; equal keys keep the given order. Cost: tasks^2 at most.
template <class Number, std::size_t MaxTasks, TaskLevelPriority Order = by_given_priority>
[[nodiscard]] constexpr auto rank(const task_rows<accelerator_task<Number>, MaxTasks>& table, Order wanted = {})
    -> rank_order<MaxTasks> {
  return takt::detail::with_effective_order(table, wanted, [&table](auto order) {
    const auto before = [&](std::size_t a, std::size_t b) {
      return takt::detail::ranks_before(order, table.tasks[a], table.tasks[b]);
    };
    rank_order<MaxTasks> out;
    for (std::size_t i = 0; i < table.size(); ++i) {
      // Bound: one per task, as in the table.
      out.unchecked_push_back(i);
      for (std::size_t at = i; at > 0 && before(i, out[at - 1]); --at) {
        out[at] = out[at - 1];
        out[at - 1] = i;
      }
    }
    return out;
  });
}

/// Returns the tasks in the order in which they stand. Pre: tasks <= MaxTasks.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto rank_as_given(std::size_t tasks) -> rank_order<MaxTasks> {
  TAKT_EXPECTS(tasks <= MaxTasks);
  rank_order<MaxTasks> out;
  for (std::size_t i = 0; i < tasks; ++i) { out.unchecked_push_back(i); }
  return out;
}

namespace detail {

/// Tells whether an order names tasks of a table of its size, none of them twice.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto names_each_once(const rank_order<MaxTasks>& order) -> bool {
  bool named[MaxTasks]{};
  for (const std::size_t i : order) {
    if (i >= order.size() || named[i]) { return false; }
    named[i] = true;
  }
  return true;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
