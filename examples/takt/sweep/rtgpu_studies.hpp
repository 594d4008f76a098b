// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "study.hpp"

namespace takt::program::sweep {

/// Zou et al. 2021, Fig. 7 to 10: every method on the same sets; and the same for values that the paper does not print.
[[nodiscard]] auto rtgpu_acceptance_studies() -> std::vector<study>;

/// Fig. 11 and 12: analysis against execution, which is simulated.
[[nodiscard]] auto rtgpu_execution_studies() -> std::vector<study>;

}  // namespace takt::program::sweep
