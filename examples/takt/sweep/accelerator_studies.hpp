// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "study.hpp"

namespace takt::program::sweep {

/// Zahaf and Lipari 2020, Fig. 6 to 8: tests for two slots on the same sets.
[[nodiscard]] auto accelerator_slot_studies() -> std::vector<study>;

/// How much preemption levels are worth under each model of what a preemption costs. Not in the paper.
[[nodiscard]] auto accelerator_level_studies() -> std::vector<study>;

/// Fig. 9, simulated: response times with and without the scheduler.
[[nodiscard]] auto accelerator_response_studies() -> std::vector<study>;

/// Fig. 10, simulated: preemption at the end of a wave of blocks.
[[nodiscard]] auto accelerator_wave_studies() -> std::vector<study>;

}  // namespace takt::program::sweep
