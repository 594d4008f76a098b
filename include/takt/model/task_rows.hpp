// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Says whether a record is all that there is to know of a task. nvcc needs a variable where the member may be missing.
template <class Task>
inline constexpr bool rows_form_task_set = false;
template <class Task>
  requires requires { Task::forms_task_set; }
inline constexpr bool rows_form_task_set<Task> = Task::forms_task_set;

}  // namespace detail

/// Tasks in the given order, each of which is one record. A record says what its times are by `number`.
template <class Task, std::size_t MaxTasks>
struct task_rows {
  using task_type = Task;
  using number = typename Task::number;
  static constexpr std::size_t max_tasks = MaxTasks;

  inline_vector<Task, MaxTasks> tasks;

  /// Where a record has an `id`, it becomes its position. False when full.
  constexpr auto add(Task t) -> bool {
    if constexpr (requires { t.id; }) { t.id = static_cast<std::uint32_t>(tasks.size()); }
    return tasks.try_push_back(t);
  }
  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return tasks.size(); }

  /// Rows stand wherever a typed task set does if a record is all that there is to know of a task.
  template <std::same_as<number> N = number>
    requires detail::rows_form_task_set<Task>
  [[nodiscard]] constexpr auto table() const -> const task_rows& {
    return *this;
  }
};

/// Anything that flattens: a typed set, or a table that was read from a file.
template <class T>
concept TaskSet = requires(const T& t) { t.template table<ticks>(); };

namespace detail {

/// Anything that flattens into rows of such records.
template <class T, class Task>
concept RowsOf = requires(const T& t) {
  requires std::same_as<typename std::remove_cvref_t<decltype(t.template table<typename Task::number>())>::task_type,
                        Task>;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
