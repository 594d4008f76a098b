// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/model/task_table.hpp>

namespace takt {

enum class priority_order : std::uint8_t {
  assigned,            ///< the tasks' own priorities when each has one, else deadline monotonic
  deadline_monotonic,  ///< shorter relative deadline first
  rate_monotonic,      ///< shorter period first
};
[[nodiscard]] constexpr auto last_of(priority_order) noexcept -> priority_order {
  return priority_order::rate_monotonic;
}

namespace detail {

template <class Table>
[[nodiscard]] constexpr auto all_have_priority(const Table& table) noexcept -> bool {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.tasks[i].priority == no_priority) { return false; }
  }
  return true;
}

}  // namespace detail

/// The order that `assigned` stands for on this table.
template <class Table>
[[nodiscard]] constexpr auto effective_order(const Table& table, priority_order order) noexcept -> priority_order {
  switch (order) {
    case priority_order::assigned:
      return detail::all_have_priority(table) ? priority_order::assigned : priority_order::deadline_monotonic;
    case priority_order::deadline_monotonic:
    case priority_order::rate_monotonic: break;
  }
  return order;
}

/// Sorts the tasks, highest priority first; equal keys keep the given order. Pre: the order is known.
/// Cost: n^2 steps at most.
template <class Table>
constexpr void prioritize(Table& table, priority_order wanted = priority_order::assigned) {
  using record = typename decltype(table.tasks)::value_type;
  const priority_order order = effective_order(table, wanted);
  const auto before = [order](const record& a, const record& b) {
    const auto least = [&](const auto& x, const auto& y) { return x != y ? x < y : a.id < b.id; };
    switch (order) {
      case priority_order::assigned: return least(a.priority, b.priority);
      case priority_order::deadline_monotonic: return least(a.deadline, b.deadline);
      case priority_order::rate_monotonic: return least(a.period, b.period);
    }
    return false;
  };
  for (std::size_t i = 1; i < table.size(); ++i) {
    const record moving = table.tasks[i];
    std::size_t j = i;
    for (; j > 0 && before(moving, table.tasks[j - 1]); --j) { table.tasks[j] = table.tasks[j - 1]; }
    table.tasks[j] = moving;
  }
}

[[nodiscard]] constexpr auto name_of(priority_order order) noexcept -> std::string_view {
  switch (order) {
    case priority_order::assigned: return "as given";
    case priority_order::deadline_monotonic: return "deadline monotonic";
    case priority_order::rate_monotonic: return "rate monotonic";
  }
  return "";
}

}  // namespace takt
