// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/report/verdict_summary.hpp>

namespace takt::inline TAKT_ABI::report {

/// Returns "camera.detect step 1", or the step of a chain, of all visits.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] auto step_names(const runtime_task_set<N, V, R, S>& tasks) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const runtime_task& t = tasks.tasks[i];
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      std::string name{t.name};
      if (const std::string_view node = tasks.visit(i, p).name; !node.empty()) { name.append(".").append(node); }
      out.push_back(name + " step " + std::to_string(p));
    }
  }
  return out;
}

/// Gives the visits that terms are about the names of steps, in a summary of a verdict on these tasks. Other names
/// stay.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
void name_steps(const runtime_task_set<N, V, R, S>& tasks, verdict_summary& out) {
  const std::vector<std::string> steps = step_names(tasks);
  const bool names_visits = std::ranges::any_of(out.tasks, [](const task_summary& t) {
    return std::ranges::any_of(t.terms, [](const term<ticks>& part) { return part.visit != no_index; });
  });
  if (names_visits && out.visits.empty()) { out.visits = steps; }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const runtime_task& t = tasks.tasks[i];
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      const auto plain = std::ranges::find(out.visits, detail::plain_step_name(t.name, p));
      if (plain != out.visits.end()) { *plain = steps[t.first_visit + p]; }
    }
  }
}

}  // namespace takt::inline TAKT_ABI::report
