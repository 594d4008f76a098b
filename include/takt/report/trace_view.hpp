// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>

namespace takt::inline TAKT_ABI::report {

/// Holds what was recorded of a simulation or a run, in any order, and the names of the tasks in the given order.
struct trace_view {
  std::span<const slice> slices{};
  std::span<const mark> marks{};
  std::span<const std::string_view> names{};
  std::span<const token_hold> holds{};
  std::span<const std::array<ticks, 2>> void_bounds{};  ///< from when to when no bound was to be relied on

  [[nodiscard]] auto name_of(std::uint32_t task) const -> std::string {
    return task < names.size() ? std::string{names[task]} : "task " + std::to_string(task);
  }
};

/// Returns the tasks that a trace names or mentions.
[[nodiscard]] inline auto task_count(const trace_view& trace) -> std::uint32_t {
  auto n = static_cast<std::uint32_t>(trace.names.size());
  for (const slice& s : trace.slices) { n = std::max(n, s.task + 1); }
  for (const mark& m : trace.marks) { n = std::max(n, m.task + 1); }
  return n;
}

}  // namespace takt::inline TAKT_ABI::report
