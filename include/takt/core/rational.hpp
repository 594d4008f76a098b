// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// An exact fraction in lowest terms with 64-bit parts, usable in constant expressions and as the number type of an
/// analysis. A result that does not fit becomes a value for which `overflowed()` is true. It stays so in later
/// operations and compares greater than every number, so a bound computed from it never passes a deadline test.
class rational {
 public:
  constexpr rational() noexcept = default;
  constexpr rational(std::int64_t whole) noexcept : numerator_{whole} {}  // NOLINT(google-explicit-constructor)
  /// A denominator below 1 makes an overflowed value.
  constexpr rational(std::int64_t numerator, std::int64_t denominator) noexcept
      : numerator_{numerator}, denominator_{denominator > 0 ? denominator : 0} {
    reduce();
  }

  [[nodiscard]] constexpr auto numerator() const noexcept -> std::int64_t { return numerator_; }
  [[nodiscard]] constexpr auto denominator() const noexcept -> std::int64_t { return denominator_; }
  [[nodiscard]] constexpr auto overflowed() const noexcept -> bool { return denominator_ == 0; }

  /// Pre: not overflowed; so for the one below.
  [[nodiscard]] constexpr auto floor() const noexcept -> std::int64_t {
    TAKT_EXPECTS(!overflowed());
    return detail::floor_divide(numerator_, denominator_);
  }
  [[nodiscard]] constexpr auto ceil() const noexcept -> std::int64_t {
    TAKT_EXPECTS(!overflowed());
    return ceil_divide(numerator_, denominator_);
  }

  [[nodiscard]] friend constexpr auto operator+(rational a, rational b) noexcept -> rational {
    if (a.overflowed() || b.overflowed()) { return infinite(); }
    const std::int64_t common = greatest_common_divisor(a.denominator_, b.denominator_);
    std::int64_t left = 0;
    std::int64_t right = 0;
    std::int64_t sum = 0;
    std::int64_t bottom = 0;
    const bool fits = checked_multiply(a.numerator_, b.denominator_ / common, left) &&
                      checked_multiply(b.numerator_, a.denominator_ / common, right) && checked_add(left, right, sum) &&
                      checked_multiply(a.denominator_, b.denominator_ / common, bottom);
    return fits ? rational{sum, bottom} : infinite();
  }
  [[nodiscard]] friend constexpr auto operator-(rational a, rational b) noexcept -> rational {
    if (b.overflowed()) { return infinite(); }
    b.numerator_ = -b.numerator_;
    return a + b;
  }
  [[nodiscard]] friend constexpr auto operator*(rational a, rational b) noexcept -> rational {
    if (a.overflowed() || b.overflowed()) { return infinite(); }
    const rational left{a.numerator_, b.denominator_};
    const rational right{b.numerator_, a.denominator_};
    rational product;
    const bool fits = checked_multiply(left.numerator_, right.numerator_, product.numerator_) &&
                      checked_multiply(left.denominator_, right.denominator_, product.denominator_);
    return fits ? product : infinite();
  }
  /// Division by 0 makes an overflowed value.
  [[nodiscard]] friend constexpr auto operator/(rational a, rational b) noexcept -> rational {
    if (b.overflowed() || b.numerator_ == 0 || b.numerator_ == INT64_MIN) { return infinite(); }
    const std::int64_t sign = b.numerator_ < 0 ? -1 : 1;
    return a * rational{sign * b.denominator_, sign * b.numerator_};
  }
  constexpr auto operator+=(rational b) noexcept -> rational& { return *this = *this + b; }
  constexpr auto operator-=(rational b) noexcept -> rational& { return *this = *this - b; }
  constexpr auto operator*=(rational b) noexcept -> rational& { return *this = *this * b; }

  [[nodiscard]] friend constexpr auto operator==(rational a, rational b) noexcept -> bool {
    return a.numerator_ == b.numerator_ && a.denominator_ == b.denominator_;
  }
  [[nodiscard]] friend constexpr auto operator<=>(rational a, rational b) noexcept -> std::strong_ordering {
    if (a.overflowed() || b.overflowed()) {
      return static_cast<int>(a.overflowed()) <=> static_cast<int>(b.overflowed());
    }
    // Continued fractions: compare whole parts, then the reciprocals of what is left. Nothing can overflow.
    bool flipped = false;
    for (;;) {
      const auto whole_a = a.floor();
      const auto whole_b = b.floor();
      if (whole_a != whole_b) { return flipped ? whole_b <=> whole_a : whole_a <=> whole_b; }
      const auto rest_a = a.numerator_ - whole_a * a.denominator_;
      const auto rest_b = b.numerator_ - whole_b * b.denominator_;
      if (rest_a == 0 || rest_b == 0) { return flipped ? rest_b <=> rest_a : rest_a <=> rest_b; }
      a = {a.denominator_, rest_a};
      b = {b.denominator_, rest_b};
      flipped = !flipped;
    }
  }

 private:
  [[nodiscard]] static constexpr auto infinite() noexcept -> rational {
    rational r;
    r.numerator_ = 1;
    r.denominator_ = 0;
    return r;
  }

  constexpr void reduce() noexcept {
    if (denominator_ == 0 || numerator_ == INT64_MIN) {
      *this = infinite();
      return;
    }
    const std::int64_t divisor = greatest_common_divisor(numerator_ < 0 ? -numerator_ : numerator_, denominator_);
    numerator_ /= divisor;
    denominator_ /= divisor;
  }

  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
};

template <>
struct number_traits<rational> {
  static constexpr bool integral = false;

  [[nodiscard]] static constexpr auto floor_quotient(rational a, rational b) noexcept -> rational {
    const rational q = a / b;
    return q.overflowed() ? q : rational{q.floor()};
  }
  [[nodiscard]] static constexpr auto multiply(rational a, std::int64_t factor, rational& out) noexcept -> bool {
    out = a * rational{factor};
    return !out.overflowed();
  }
  [[nodiscard]] static constexpr auto divide_down(rational a, std::int64_t divisor) noexcept -> rational {
    return a / rational{divisor};
  }
  [[nodiscard]] static constexpr auto divide_up(rational a, std::int64_t divisor) noexcept -> rational {
    return a / rational{divisor};
  }
};

}  // namespace takt::inline TAKT_ABI
