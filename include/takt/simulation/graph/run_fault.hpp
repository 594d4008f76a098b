// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace takt::simulation {

/// Why a run of graphs or kernels stopped before its end.
enum class graph_run_fault : std::uint8_t {
  none,
  invalid_workload,  ///< a negative time, a block that fits on no SM, a cluster that does not exist and the like
  too_many_kernels,  ///< the GPU's queue is full, or jobs of a guarded node are ready too far ahead
  times_do_not_fit,
  stalled,  ///< jobs wait for each other, or for tokens that never come
};

}  // namespace takt::simulation
