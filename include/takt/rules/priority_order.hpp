// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/core/value.hpp>
#include <takt/model/task_table.hpp>
#include <takt/rules/job_priority.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Returns whether points of a few tasks ignore what a task-level order must not read, and tie no two tasks.
template <class Order>
[[nodiscard]] consteval auto ranks_tasks() -> bool {
  constexpr bool given = requires { requires Order::takes_priorities; };
  constexpr ticks times[][2]{{10, 7}, {10, 10}, {23, 11}, {1'000, 900}};
  for (const auto& [period, deadline] : times) {
    const job_timing base{.wcet = 1, .period = period, .deadline = deadline, .task = 1, .priority = 2};
    priority_point want{};
    if (!Order{}.point(base, 0, want)) { return false; }
    const auto same = [&](const job_timing& t, ticks release) {
      priority_point p{};
      return Order{}.point(t, release, p) && p.point == want.point && p.tie == want.tie;
    };
    job_timing longer = base;
    longer.wcet = 5;
    job_timing raised = base;
    raised.priority = 1;
    job_timing other = base;
    other.task = 0;
    if (!same(base, 1) || !same(base, 12'345) || !same(longer, 0) || same(other, 0)) { return false; }
    if (!given && !same(raised, 0)) { return false; }
  }
  return true;
}

}  // namespace detail

/// An order in which all jobs of a task have one point, and two tasks never tie. The point depends on the period and
/// the relative deadline alone, or also on the given priority where `takes_priorities` is true. `task_level` claims
/// that; a few probes must not refute it.
///
/// Such an order ranks the tasks of a table. `key(task)` in place of the point ranks tables of any exact number.
template <class Order>
concept TaskLevelPriority = JobPriority<Order> && std::is_empty_v<Order> && std::is_default_constructible_v<Order> &&
                            requires { requires Order::task_level; } && detail::ranks_tasks<Order>();

namespace detail {

/// A task-level order of the priorities that tasks or a plan give. Where a task has none, `by_relative_deadline`
/// stands in for it.
template <class Order>
concept GivenPriority = TaskLevelPriority<Order> && requires { requires Order::takes_priorities; };

template <class Table>
[[nodiscard]] constexpr auto all_have_priority(const Table& table) noexcept -> bool {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.tasks[i].priority == no_priority) { return false; }
  }
  return true;
}

/// Calls `f` with the order that stands for `wanted` on this table.
template <class Table, TaskLevelPriority Order, class F>
constexpr auto with_effective_order(const Table& table, Order wanted, F f) {
  if constexpr (GivenPriority<Order>) {
    if (!all_have_priority(table)) { return f(by_relative_deadline{}); }
  }
  return f(wanted);
}

/// Returns whether task a goes before b in a task-level order; equal ones do not. An order without a `key` takes
/// whole times.
template <TaskLevelPriority Order, class Task>
  requires(
      requires(Order order, const Task& t) { order.key(t); } ||
      requires(const Task& t, ticks& time) { time = t.period; })
[[nodiscard]] constexpr auto ranks_before(Order order, const Task& a, const Task& b) -> bool {
  if constexpr (requires { order.key(a); }) {
    return order.key(a) < order.key(b);
  } else {
    const auto point = [order](const Task& t) {
      priority_point out{};
      if (!order.point({.period = t.period,
                        .deadline = by_relative_deadline::key(t),
                        .task = static_cast<std::int32_t>(t.id),
                        .priority = t.priority},
                       0, out)) {
        return lowest_priority;
      }
      return out;
    };
    return point(a) < point(b);
  }
}

}  // namespace detail

/// Sorts the tasks, highest priority first; equal keys keep the given order. Cost: n^2 steps at most.
template <class Table, TaskLevelPriority Order = by_given_priority>
constexpr void prioritize(Table& table, Order wanted = {}) {
  using record = typename decltype(table.tasks)::value_type;
  detail::with_effective_order(table, wanted, [&](auto order) {
    const auto before = [order](const record& a, const record& b) {
      return detail::ranks_before(order, a, b) || (!detail::ranks_before(order, b, a) && a.id < b.id);
    };
    for (std::size_t i = 1; i < table.size(); ++i) {
      const record moving = table.tasks[i];
      std::size_t j = i;
      for (; j > 0 && before(moving, table.tasks[j - 1]); --j) { table.tasks[j] = table.tasks[j - 1]; }
      table.tasks[j] = moving;
    }
  });
}

/// Returns the name of an order, if it has one.
template <class Order>
[[nodiscard]] constexpr auto name_of_order() noexcept -> std::string_view {
  if constexpr (requires { std::string_view{Order::name}; }) { return Order::name; }
  return "an order of its own";
}

/// Returns the name of the order that stands for `wanted` on this table.
template <class Table, TaskLevelPriority Order>
[[nodiscard]] constexpr auto name_of_order(const Table& table, Order wanted) noexcept -> std::string_view {
  return detail::with_effective_order(table, wanted, [](auto order) { return name_of_order<decltype(order)>(); });
}

}  // namespace takt::inline TAKT_ABI
