// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "old_study.hpp"

namespace takt::program::old_sweep {

/// Yang et al. 2018, Table 1 with a stand-in for the unpublished times: monolithic, coarse and fine graphs by cameras.
[[nodiscard]] auto openvx_camera_studies() -> std::vector<study>;

/// Kernels in a block queue and overlapping jobs on CPUs: lost capacity, bounds beside each other, and streams per task
/// beside streams per job. Not in the paper.
[[nodiscard]] auto openvx_bound_studies() -> std::vector<study>;

}  // namespace takt::program::old_sweep
