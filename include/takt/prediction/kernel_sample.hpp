// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// One timed run of a kernel.
struct kernel_sample {
  std::int32_t virtual_sms = 0;
  ticks time = 0;
};

}  // namespace takt::inline TAKT_ABI
