// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/observation.hpp>
#include <takt/systems/locked_gpus/host/section_work.hpp>
#include <takt/systems/locked_gpus/simulation/run_system.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Says how often predictions of token sections came true.
struct prediction_accuracy {
  std::int64_t predicted = 0;
  std::int64_t close = 0;  ///< within the given part of what the section took
  ticks worst_error = 0;

  /// In thousandths, rounded down; 0 without a prediction.
  [[nodiscard]] constexpr auto share() const noexcept -> std::int64_t {
    return predicted == 0 ? 0 : close * 1000 / predicted;
  }
};

/// Counts the sections of one task after a move over one distance whose prediction was off by at most `percent`. The
/// first sections, which nothing could predict, do not count. Source: Elliott 2015, section 4.4.1.2.
[[nodiscard]] inline auto accuracy_of(std::span<const host::token_section> sections, std::size_t task,
                                      std::int32_t distance, std::int64_t percent) -> prediction_accuracy {
  prediction_accuracy out;
  for (const host::token_section& s : sections) {
    if (s.task != task || s.distance != distance || !s.has_prediction || s.skipped) { continue; }
    ++out.predicted;
    const rational off = s.predicted < rational{s.cost} ? rational{s.cost} - s.predicted : s.predicted - s.cost;
    out.close += off * rational{100} <= rational{s.cost} * rational{percent} ? 1 : 0;
    out.worst_error = std::max(out.worst_error, off.ceil());
  }
  return out;
}

/// Returns responses of completed jobs in thousandths of `period`, ascending: a distribution by its steps. Rounded up.
[[nodiscard]] inline auto normalized_responses(const host::gpu_run& run, std::size_t task, ticks period)
    -> std::vector<ticks> {
  std::vector<ticks> out;
  const host::task_jobs& t = run.tasks[task];
  for (std::size_t j = t.first_job; j < t.first_job + t.job_count; ++j) {
    const host::job_outcome& seen = run.locks.jobs[j];
    if (seen.finish == no_instant) { continue; }
    const ticks response = seen.finish - seen.release;
    out.push_back(response / period * 1000 + ceil_divide<ticks>(response % period * 1000, period));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace takt::inline TAKT_ABI::simulation
