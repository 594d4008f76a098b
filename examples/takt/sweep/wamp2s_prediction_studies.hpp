// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "old_study.hpp"

namespace takt::program::old_sweep {

/// Yao et al. 2022, Fig. 9 to 11 and the errors of Fig. 16: networks of the synthetic applications, trained and tested.
[[nodiscard]] auto wamp2s_network_studies() -> std::vector<study>;

/// Fig. 12 and 13 without a scheduler: how wrong the remaining time is by those networks while a drawn load changes.
[[nodiscard]] auto wamp2s_remaining_studies() -> std::vector<study>;

}  // namespace takt::program::old_sweep
