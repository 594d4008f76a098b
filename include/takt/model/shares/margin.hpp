// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/checked.hpp>

namespace takt::inline TAKT_ABI {

/// Errors and margins of predicted times are in parts of this.
inline constexpr std::int64_t millionths = 1'000'000;

/// Returns the least margin that makes up for times predicted too short by at most the part e. It keeps
/// (1 - e)(1 + margin) >= 1, so it is e / (1 - e) > e, in parts per million, rounded up. Pre: 0 <= error_ppm < 10^6.
[[nodiscard]] constexpr auto margin_against(std::int64_t error_ppm) noexcept -> std::int64_t {
  TAKT_EXPECTS(0 <= error_ppm && error_ppm < millionths);
  return ceil_divide(millionths * error_ppm, millionths - error_ppm);
}

}  // namespace takt::inline TAKT_ABI
