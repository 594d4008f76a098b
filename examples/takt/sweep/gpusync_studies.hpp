// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "old_study.hpp"

namespace takt::program::old_sweep {

/// Elliott 2015, section 4.3.6: which ways to share GPUs schedule how many task sets, and how they rank.
[[nodiscard]] auto gpusync_studies() -> std::vector<study>;

/// Fig. 4.17: the same against effective utilisation.
[[nodiscard]] auto gpusync_effective_studies() -> std::vector<study>;

}  // namespace takt::program::old_sweep
