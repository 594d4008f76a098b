// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/exact.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/task_rows.hpp>

namespace takt::inline TAKT_ABI {

/// Any number of jobs of one task may run at the same time.
inline constexpr std::int64_t unrestricted_parallelism = 0;

/// A sporadic task of a cluster of identical processors under a global scheduler that runs the jobs with the least
/// release + relative priority point (G-EDF-like, GEL).
template <ExactNumber Number>
struct gel_task {
  using number = Number;

  std::string_view name{};
  Number wcet{};
  Number period{};
  Number deadline{};             ///< relative; any sign, and it may lie beyond the period
  Number point{};                ///< relative priority point; read by policies that name it, as `given_points`
  std::int64_t parallelism = 1;  ///< jobs of the task that may run at the same time
};

/// Returns the first fault of a set on a cluster of so many processors. An empty set has none.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto validate(const task_rows<gel_task<Number>, MaxTasks>& table, std::int32_t processors)
    -> model_error {
  if (processors < 1) { return {.fault = model_fault::no_processor}; }
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    if (!is_number(t.wcet) || !is_number(t.period) || !is_number(t.deadline) || !is_number(t.point)) {
      return {model_fault::time_overflow, i};
    }
    if (t.wcet <= Number(0)) { return {model_fault::wcet_not_positive, i}; }
    if (t.period <= Number(0)) { return {model_fault::period_not_positive, i}; }
    if (t.parallelism < 0) { return {model_fault::negative_parallelism, i}; }
  }
  return {};
}

}  // namespace takt::inline TAKT_ABI
