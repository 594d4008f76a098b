// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what has been seen of a task, a graph or an application so far, while it runs.
struct task_progress {
  std::uint64_t completed = 0;
  std::uint64_t misses = 0;      ///< of jobs that are over
  std::uint64_t skipped = 0;     ///< dropped releases and jobs
  std::uint64_t violations = 0;  ///< jobs with a response above what was expected, of the job or of a visit
  ticks worst_response = 0;
  ticks last_violation = no_instant;  ///< since the start
};

}  // namespace takt::inline TAKT_ABI
