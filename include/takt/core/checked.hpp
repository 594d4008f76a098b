// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <limits>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

// The overflow builtins of GCC and Clang are not constant expressions under nvcc, hence comparisons.

/// Each operation writes its result to `out` and returns true, or returns false and leaves `out` alone when the exact
/// result does not fit.
template <std::signed_integral I>
[[nodiscard]] constexpr auto checked_add(I a, I b, I& out) noexcept -> bool {
  using limits = std::numeric_limits<I>;
  if (b > 0 ? a > limits::max() - b : a < limits::min() - b) { return false; }
  out = static_cast<I>(a + b);
  return true;
}

template <std::signed_integral I>
[[nodiscard]] constexpr auto checked_subtract(I a, I b, I& out) noexcept -> bool {
  using limits = std::numeric_limits<I>;
  if (b > 0 ? a < limits::min() + b : a > limits::max() + b) { return false; }
  out = static_cast<I>(a - b);
  return true;
}

template <std::signed_integral I>
[[nodiscard]] constexpr auto checked_multiply(I a, I b, I& out) noexcept -> bool {
  using limits = std::numeric_limits<I>;
  if (a > 0 && b > 0 && a > limits::max() / b) { return false; }
  if (a > 0 && b < 0 && b < limits::min() / a) { return false; }
  if (a < 0 && b > 0 && a < limits::min() / b) { return false; }
  if (a < 0 && b < 0 && b < limits::max() / a) { return false; }
  out = static_cast<I>(a * b);
  return true;
}

namespace detail {

/// Returns the largest integer not above a / b. Pre: b > 0.
template <std::integral I>
[[nodiscard]] constexpr auto floor_divide(I a, I b) noexcept -> I {
  TAKT_EXPECTS(b > I{0});
  return static_cast<I>(a / b - (a % b < 0 ? 1 : 0));
}

}  // namespace detail

/// Returns the smallest integer not below a / b. Pre: b > 0.
template <std::integral I>
[[nodiscard]] constexpr auto ceil_divide(I a, I b) noexcept -> I {
  TAKT_EXPECTS(b > I{0});
  return static_cast<I>(a / b + (a % b > 0 ? 1 : 0));
}

/// Pre: a and b are not negative.
template <std::integral I>
[[nodiscard]] constexpr auto greatest_common_divisor(I a, I b) noexcept -> I {
  TAKT_EXPECTS(a >= I{0} && b >= I{0});
  while (b != 0) {
    const I rest = static_cast<I>(a % b);
    a = b;
    b = rest;
  }
  return a;
}

}  // namespace takt::inline TAKT_ABI
