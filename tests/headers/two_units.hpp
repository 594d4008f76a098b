// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "every_header.inc"

/// Things of which a program must have one only, however many units mention them.
using addresses = std::array<const void*, 3>;

inline auto shared_addresses() -> addresses {
  return {&takt::analysis::rtgpu_best, &takt::fixed_priority, &takt::default_iteration_limit};
}
auto addresses_in_two() -> addresses;
