// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/simulation/calendar.hpp>

namespace takt::simulation {

struct lock_simulation_options {
  std::int32_t processors = 1;  ///< per cluster
  std::int32_t clusters = 1;
  bool donation_at_release = false;  ///< in every cluster, as the CK-OMLP needs it
  bool ordered = true;               ///< refuse nested locks that do not ascend by resource
  ticks until = never - 1;           ///< the run ends with this instant; what is under way then has no finish
  /// Above 0: a job that has run for so long since it was last put in line goes to its end, which is round robin if the
  /// points of priorities are instants of release. Not with donation at release.
  ticks slice = 0;
};

}  // namespace takt::simulation
