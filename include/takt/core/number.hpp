// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/value.hpp>

namespace takt::inline TAKT_ABI {

/// A count of nanoseconds inside an analysis. Interfaces take the strong type `duration`; inside, a plain integer keeps
/// constant evaluation within the default limits of every supported compiler.
using ticks = std::int64_t;

/// Says how an analysis divides and rounds on a number type. Specialise it to run an analysis on another exact type.
///
/// - `integral`: whether time is discrete, so that a blocking copy has started at least one unit earlier.
/// - `floor_quotient(a, b)`: the largest whole q with q * b <= a, for a >= 0 and b > 0.
/// - `multiply(a, factor, out)`: false on overflow.
/// - `divide_down`, `divide_up`: a / divisor rounded towards minus and plus infinity; exact where the type is.
template <class Number>
struct number_traits;

template <>
struct number_traits<ticks> {
  static constexpr bool integral = true;

  [[nodiscard]] static constexpr auto floor_quotient(ticks a, ticks b) noexcept -> ticks { return a / b; }
  [[nodiscard]] static constexpr auto multiply(ticks a, std::int64_t factor, ticks& out) noexcept -> bool {
    return checked_multiply(a, factor, out);
  }
  [[nodiscard]] static constexpr auto divide_down(ticks a, std::int64_t divisor) noexcept -> ticks {
    return detail::floor_divide(a, divisor);
  }
  [[nodiscard]] static constexpr auto divide_up(ticks a, std::int64_t divisor) noexcept -> ticks {
    return ceil_divide(a, divisor);
  }
};

/// An exact, totally ordered type on which an analysis can run.
template <class Number>
concept ExactNumber = std::totally_ordered<Number> && Copyable<Number> && requires(Number a, std::int64_t n) {
  { a + a } -> std::convertible_to<Number>;
  { a - a } -> std::convertible_to<Number>;
  { a* a } -> std::convertible_to<Number>;
  { Number(n) };
  { number_traits<Number>::integral } -> std::convertible_to<bool>;
  { number_traits<Number>::floor_quotient(a, a) } -> std::convertible_to<Number>;
  { number_traits<Number>::multiply(a, n, a) } -> std::convertible_to<bool>;
  { number_traits<Number>::divide_down(a, n) } -> std::convertible_to<Number>;
  { number_traits<Number>::divide_up(a, n) } -> std::convertible_to<Number>;
};

}  // namespace takt::inline TAKT_ABI
