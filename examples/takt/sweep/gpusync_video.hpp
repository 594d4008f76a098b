// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "old_study.hpp"

namespace takt::program::old_sweep {

/// Elliott 2015, section 5.5, simulated: how smoothly graphs stabilize videos, and how long a frame takes.
[[nodiscard]] auto gpusync_video_studies() -> std::vector<study>;

}  // namespace takt::program::old_sweep
