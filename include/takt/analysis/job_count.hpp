// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Most releases of a sporadic task in a half-open window: the least whole number not below window / period.
/// Pre: window >= 0, period > 0.
template <ExactNumber Number>
[[nodiscard]] constexpr auto jobs_released(const Number& period, const Number& window) -> Number {
  TAKT_EXPECTS(!(window < Number(0)) && Number(0) < period);
  const Number whole = number_traits<Number>::floor_quotient(window, period);
  return whole * period < window ? Number(whole + Number(1)) : whole;
}

}  // namespace takt::inline TAKT_ABI::analysis::detail
