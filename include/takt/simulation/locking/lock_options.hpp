// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace takt::simulation {

struct lock_simulation_options {
  std::int32_t processors = 1;  ///< per cluster
  std::int32_t clusters = 1;
  bool donation_at_release = false;  ///< in every cluster, as the CK-OMLP needs it
  bool ordered = true;               ///< refuse nested locks that do not ascend by resource
};

}  // namespace takt::simulation
