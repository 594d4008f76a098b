// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/whole_kernels/whole_gpu_edf.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Holds a number of preemption levels to use, and its verdict.
template <ExactNumber Number>
struct level_choice {
  std::int32_t levels = 0;  ///< 0: none is proven
  edf_verdict<Number> verdict{};
};

/// Returns the number of levels, of those that the hardware has, with the most slack at its tightest window under EDF;
/// of equals the least. More levels are not always better: with one level no preemption is paid for.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto best_levels(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                         const accelerator_record& accelerator,
                                         preemption_cost_model model = preemption_cost_model::race)
    -> level_choice<Number> {
  level_choice<Number> best;
  for (std::int32_t levels = 1; levels <= accelerator.preemption_levels; ++levels) {
    const auto verdict = level_stack_edf(table, levels, model);
    if (best.levels == 0) { best.verdict = verdict; }
    if (verdict.schedulable() && (best.levels == 0 || best.verdict.slack < verdict.slack)) { best = {levels, verdict}; }
    // Above one level per task nothing changes.
    if (static_cast<std::size_t>(levels) > table.size()) { break; }
  }
  return best;
}

}  // namespace takt::inline TAKT_ABI::analysis
