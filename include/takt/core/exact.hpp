// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// The type of a quotient of two times: fractions of integers, and otherwise the number itself.
template <ExactNumber Number>
struct fraction_type {
  using type = Number;
};
template <>
struct fraction_type<ticks> {
  using type = rational;
};

}  // namespace detail
template <ExactNumber Number>
using fraction_of = typename detail::fraction_type<Number>::type;

/// A number type in which division is exact.
template <class Number>
concept ExactFraction = ExactNumber<Number> && !number_traits<Number>::integral && requires(Number a) {
  { a / a } -> std::convertible_to<Number>;
};

/// Returns a / b exactly. Pre: b > 0. Error: an overflowed fraction.
template <ExactNumber Number>
[[nodiscard]] constexpr auto quotient(const Number& a, const Number& b) -> fraction_of<Number> {
  TAKT_EXPECTS(Number(0) < b);
  if constexpr (number_traits<Number>::integral) {
    return rational{a, b};
  } else {
    return a / b;
  }
}

/// Returns whether a value is a number, and not the mark of an overflow.
template <ExactNumber Number>
[[nodiscard]] constexpr auto is_number(const Number& value) -> bool {
  if constexpr (requires { value.overflowed(); }) {
    return !value.overflowed();
  } else {
    return true;
  }
}

/// Sets `out` = a + b, a * b; false, and no change, when that does not fit.
template <ExactNumber Number>
[[nodiscard]] constexpr auto add_exactly(const Number& a, const Number& b, Number& out) -> bool {
  if constexpr (number_traits<Number>::integral) {
    return checked_add(a, b, out);
  } else {
    Number sum = a + b;
    if (!is_number(sum)) { return false; }
    out = sum;
    return true;
  }
}
namespace detail {

template <ExactNumber Number>
[[nodiscard]] constexpr auto multiply_exactly(const Number& a, const Number& b, Number& out) -> bool {
  if constexpr (number_traits<Number>::integral) {
    return checked_multiply(a, b, out);
  } else {
    Number product = a * b;
    if (!is_number(product)) { return false; }
    out = product;
    return true;
  }
}

/// Returns the smallest whole q with a <= q b. Pre: a >= 0, b > 0.
template <ExactNumber Number>
[[nodiscard]] constexpr auto ceil_quotient(const Number& a, const Number& b) -> Number {
  TAKT_EXPECTS(Number(0) <= a && Number(0) < b);
  const Number q = number_traits<Number>::floor_quotient(a, b);
  return q * b < a ? Number(q + Number(1)) : q;
}

}  // namespace detail

/// Computes the least positive number that is a whole multiple of both; b if a is 0. Pre: a >= 0, b > 0. False when it
/// does not fit.
template <ExactNumber Number>
[[nodiscard]] constexpr auto common_multiple(const Number& a, const Number& b, Number& out) -> bool {
  TAKT_EXPECTS(Number(0) <= a && Number(0) < b);
  if (a == Number(0)) {
    out = b;
    return true;
  }
  Number x = a;
  Number y = b;
  while (Number(0) < y) {
    const Number q = number_traits<Number>::floor_quotient(x, y);
    const Number rest = x - q * y;
    if (!is_number(rest)) { return false; }
    x = y;
    y = rest;
  }
  const Number factor = number_traits<Number>::floor_quotient(a, x);
  return is_number(factor) && detail::multiply_exactly(factor, b, out);
}

}  // namespace takt::inline TAKT_ABI
