// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// Beyond it, sums of a few times need not fit 64 bits. What costs more is charged this much, and is refused.
inline constexpr ticks longest_transfer_time = ticks{1} << 60;

/// Time of a transfer as a function of its bytes: 0 for none, otherwise `setup` + `bytes` * `numerator` /
/// `denominator`. Unit of the fraction: time per byte. Pre: nothing is negative, denominator > 0.
template <ExactNumber Number>
struct linear_cost {
  Number setup{};
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;

  /// In ticks rounded up. Error: `longest_transfer_time` where the exact time is above it.
  [[nodiscard]] constexpr auto time(std::int64_t bytes) const -> Number {
    TAKT_EXPECTS(bytes >= 0 && Number(0) <= setup && numerator >= 0 && denominator > 0);
    if (bytes == 0) { return Number(0); }
    Number product{};
    Number sum{};
    if (!number_traits<Number>::multiply(Number(bytes), numerator, product) ||
        !add_exactly(setup, Number(number_traits<Number>::divide_up(product, denominator)), sum) ||
        Number(longest_transfer_time) < sum) {
      return Number(longest_transfer_time);
    }
    return sum;
  }
};

}  // namespace takt::inline TAKT_ABI
