// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/rational.hpp>

namespace takt::inline TAKT_ABI {

/// Gustafson's scaled speed-up on n units when a share s of the parallel run is serial: n + (1 - n) s. With s = L / t_n
/// it is the ratio of a kernel's work to its time, t_n = (W - L) / n + L. Source: Zou et al. 2021, Eq. 3.
[[nodiscard]] constexpr auto gustafson_speedup(std::int64_t units, rational serial_share) noexcept -> rational {
  return rational{units} + (rational{1} - rational{units}) * serial_share;
}

/// Returns the gain in throughput from running V persistent blocks per SM that are each stretched by a ratio:
/// V / ratio - 1. Source: Zou et al. 2021, section 6.2.
[[nodiscard]] constexpr auto interleave_gain(std::int64_t virtual_per_sm, rational ratio) noexcept -> rational {
  return rational{virtual_per_sm} / ratio - rational{1};
}

}  // namespace takt::inline TAKT_ABI
