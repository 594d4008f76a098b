// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/shares/contention.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/model/shares/wcet_row.hpp>

namespace takt {

/// An application that runs on a share of a GPU (Yao et al. 2022, Eq. 8). Each job is GPU work from its start to its
/// end.
struct share_task {
  std::string_view name;
  ticks period = 0;
  ticks deadline = 0;
  std::int32_t priority = 0;  ///< the greater goes first, and weighs as much when what is left of the GPU is handed out
  wcet_row alone{};
  share request{};  ///< what predictions for a job that holds nothing assume; 0: see `reference_share`
  memory_units memory{};
};

/// The share that predictions for a new or suspended job start from: what was asked for, else the least with which the
/// job alone meets its deadline, else all.
[[nodiscard]] constexpr auto reference_share(const share_task& t) noexcept -> share {
  return t.request ? t.request : share::bounded(t.alone.least_share(t.deadline));
}

/// The applications of one GPU, in the given order, and how they slow one another down.
template <std::size_t MaxTasks>
struct share_table {
  using number = ticks;
  static constexpr std::size_t max_tasks = MaxTasks;

  inline_vector<share_task, MaxTasks> tasks;
  contention_table<MaxTasks> contention;

  /// False when full.
  constexpr auto add(const share_task& t) -> bool { return tasks.push_back(t); }
  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return tasks.size(); }

  /// A table stands wherever a typed set does.
  template <std::same_as<ticks> N = ticks>
  [[nodiscard]] constexpr auto table() const noexcept -> const share_table& {
    return *this;
  }
};

/// Beyond it, an instant and a few deadlines after it need not fit 64 bits.
inline constexpr ticks longest_share_period = std::numeric_limits<ticks>::max() / 8;

/// What is wrong with an application by itself.
[[nodiscard]] constexpr auto application_fault(const share_task& t) noexcept -> model_fault {
  if (t.period <= 0) { return model_fault::period_not_positive; }
  if (t.deadline <= 0) { return model_fault::deadline_not_positive; }
  if (t.period < t.deadline) { return model_fault::deadline_exceeds_period; }
  if (t.priority < 0) { return model_fault::negative_priority; }
  if (t.alone.at(full_share) <= 0) { return model_fault::kernel_time_not_positive; }
  if (longest_share_period < t.period) { return model_fault::time_overflow; }
  return model_fault::none;
}

namespace detail {

template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto first_fault(const share_table<MaxTasks>& table) -> model_error {
  if (table.size() == 0) { return {.fault = model_fault::no_task}; }
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    const share_task& t = table.tasks[i];
    if (const auto fault = application_fault(t); fault != model_fault::none) { return {.fault = fault, .task = i}; }
    for (std::size_t other = 0; other < i; ++other) {
      if (table.tasks[other].name == t.name) { return {.fault = model_fault::duplicate_name, .task = i}; }
      if (table.tasks[other].priority == t.priority) { return {.fault = model_fault::duplicate_priority, .task = i}; }
    }
  }
  return {};
}

}  // namespace detail

/// The first thing that is wrong with a set. Cost: tasks^2 name comparisons.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto validate(const share_table<MaxTasks>& table) -> model_error {
  return located(detail::first_fault(table), table.tasks);
}

}  // namespace takt
