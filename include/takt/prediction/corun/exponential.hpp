// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Returns e^x within 2 units in the last place of the exact value, in constant expressions too; the same bits at run
/// time where products and sums are not fused. Too small: 0; too large: infinity; NaN stays.
///
/// x = k ln 2 + r with |r| <= ln 2 / 2, a polynomial for e^r, and k into the exponent. What the Taylor series leaves
/// out is below 5e-18 of the value.
[[nodiscard]] constexpr auto exponential(double x) noexcept -> double {
  constexpr auto ln2_high = std::bit_cast<double>(0x3FE6'2E42'FEE0'0000);  // its product with |k| < 2^11 is exact
  constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  constexpr double largest = 709.782712893384;
  constexpr double smallest = -745.2;
  constexpr std::array<double, 13> inverse_factorials{1.0 / 479'001'600,
                                                      1.0 / 39'916'800,
                                                      1.0 / 3'628'800,
                                                      1.0 / 362'880,
                                                      1.0 / 40'320,
                                                      1.0 / 5'040,
                                                      1.0 / 720,
                                                      1.0 / 120,
                                                      1.0 / 24,
                                                      1.0 / 6,
                                                      1.0 / 2,
                                                      1,
                                                      1};
  if (!(x == x)) { return x; }
  if (x > largest) { return std::numeric_limits<double>::infinity(); }
  if (x < smallest) { return 0; }
  const auto k = static_cast<std::int32_t>(x * std::numbers::log2e + (x < 0 ? -0.5 : 0.5));
  const double r = (x - k * ln2_high) - k * ln2_low;
  double value = 1.0 / 6'227'020'800.0;
  for (const double c : inverse_factorials) { value = value * r + c; }
  // Two factors, since 2^k alone may be out of the range of normal numbers.
  const std::int32_t half = k / 2;
  const auto power = [](std::int32_t n) { return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + n) << 52U); };
  return value * power(half) * power(k - half);
}

}  // namespace takt::inline TAKT_ABI
