// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "old_study.hpp"

namespace takt::program::old_sweep {

/// Yao et al. 2022, Fig. 1 and 6: what co-runners and shares do to the time of an application. Like all of these on an
/// invented platform.
[[nodiscard]] auto wamp2s_contention_studies() -> std::vector<study>;

/// Fig. 12 and 13: how far estimates of the remaining time are off.
[[nodiscard]] auto wamp2s_estimate_studies() -> std::vector<study>;

/// Fig. 14: which sets meet all deadlines under which policy.
[[nodiscard]] auto wamp2s_schedulability_studies() -> std::vector<study>;

/// Fig. 15 and 16: what scheduling operations cost, with the two cuts and without.
[[nodiscard]] auto wamp2s_overhead_studies() -> std::vector<study>;

/// Fig. 17: the airborne set over half an hour.
[[nodiscard]] auto wamp2s_airborne_studies() -> std::vector<study>;

}  // namespace takt::program::old_sweep
