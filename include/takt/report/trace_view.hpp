// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>

namespace takt::report {

/// What was recorded of a simulation or a run, in any order, and the names of the tasks in the given order.
struct trace_view {
  std::span<const slice> slices;
  std::span<const mark> marks;
  std::span<const std::string_view> names;

  [[nodiscard]] auto name_of(std::uint32_t task) const -> std::string {
    return task < names.size() ? std::string{names[task]} : "task " + std::to_string(task);
  }
};

/// The tasks that a trace names or mentions.
[[nodiscard]] inline auto task_count(const trace_view& trace) -> std::uint32_t {
  auto n = static_cast<std::uint32_t>(trace.names.size());
  for (const slice& s : trace.slices) { n = std::max(n, s.task + 1); }
  for (const mark& m : trace.marks) { n = std::max(n, m.task + 1); }
  return n;
}

/// The units that work in a trace: cores, then copy engines, then the SM ranges of each GPU, by number.
[[nodiscard]] inline auto units_of(const trace_view& trace) -> std::vector<track> {
  const auto key = [](const track& t) { return std::tuple{t.where, t.gpu, t.index, t.count}; };
  std::vector<track> units;
  units.reserve(trace.slices.size());
  for (const slice& s : trace.slices) { units.push_back(s.where); }
  std::ranges::sort(units, {}, key);
  const auto repeated = std::ranges::unique(units);
  units.erase(repeated.begin(), repeated.end());
  return units;
}

[[nodiscard]] inline auto group_name(const track& unit) -> std::string {
  switch (unit.where) {
    case stage::cpu: return "CPU";
    case stage::copy: return "copy engines";
    case stage::kernel: return "GPU " + std::to_string(unit.gpu);
  }
  return {};
}

[[nodiscard]] inline auto unit_name(const track& unit) -> std::string {
  const std::string number = std::to_string(unit.index);
  switch (unit.where) {
    case stage::cpu: return "core " + number;
    case stage::copy: return "engine " + number;
    case stage::kernel: break;
  }
  return unit.count == 1 ? "SM " + number : "SMs " + number + "-" + std::to_string(unit.index + unit.count - 1);
}

}  // namespace takt::report
