// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "old_study.hpp"

namespace takt::program::old_sweep {

/// Elliott 2015, section 4.4, simulated: budgets, predictions, migrations and feature tracking.
[[nodiscard]] auto gpusync_runtime_studies() -> std::vector<study>;

}  // namespace takt::program::old_sweep
