// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI::detail {

struct wide_word {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

[[nodiscard]] constexpr auto multiply_words(std::uint64_t a, std::uint64_t b) noexcept -> wide_word {
  constexpr std::uint64_t half = 0xFFFF'FFFF;
  const std::uint64_t low = (a & half) * (b & half);
  const std::uint64_t middle = (a >> 32U) * (b & half) + (low >> 32U);
  const std::uint64_t other = (a & half) * (b >> 32U) + (middle & half);
  return {(a >> 32U) * (b >> 32U) + (middle >> 32U) + (other >> 32U), (other << 32U) | (low & half)};
}

struct word_division {
  std::uint64_t quotient = 0;
  std::uint64_t rest = 0;
};

/// Pre: n.high < d. Schoolbook division in base 2^32 (Knuth, Algorithm D, two digits by two).
[[nodiscard]] constexpr auto divide_words(wide_word n, std::uint64_t d) noexcept -> word_division {
  TAKT_EXPECTS(n.high < d);
  constexpr std::uint64_t base = std::uint64_t{1} << 32U;
  if (n.high == 0) { return {n.low / d, n.low % d}; }
  unsigned shift = 0;
  while ((d >> 63U) == 0) {
    d <<= 1U;
    ++shift;
  }
  const std::uint64_t d1 = d >> 32U;
  const std::uint64_t d0 = d & (base - 1);
  const std::uint64_t n32 = (n.high << shift) | (shift == 0 ? 0 : n.low >> (64U - shift));
  const std::uint64_t n10 = n.low << shift;
  const auto digit = [&](std::uint64_t top, std::uint64_t next) {
    std::uint64_t q = top / d1;
    std::uint64_t rest = top - q * d1;
    while (q >= base || q * d0 > base * rest + next) {
      --q;
      rest += d1;
      if (rest >= base) { break; }
    }
    return q;
  };
  const std::uint64_t q1 = digit(n32, n10 >> 32U);
  const std::uint64_t n21 = n32 * base + (n10 >> 32U) - q1 * d;
  const std::uint64_t q0 = digit(n21, n10 & (base - 1));
  const std::uint64_t rest = (n21 * base + (n10 & (base - 1)) - q0 * d) >> shift;
  return {q1 * base + q0, rest};
}

/// A natural number below 2^256: the product of four numbers of 64 bits always fits.
class wide_natural {
 public:
  constexpr wide_natural() noexcept = default;
  /// Pre: value >= 0.
  constexpr explicit wide_natural(ticks value) noexcept {
    TAKT_EXPECTS(value >= 0);
    words_[0] = static_cast<std::uint64_t>(value);
  }

  /// Pre: factor >= 0, and the product is below 2^256.
  constexpr auto operator*=(ticks factor) noexcept -> wide_natural& {
    TAKT_EXPECTS(factor >= 0);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const wide_word product = multiply_words(words_[i], static_cast<std::uint64_t>(factor));
      const std::uint64_t low = product.low + carry;
      carry = product.high + (low < product.low ? 1U : 0U);
      words_[i] = low;
    }
    TAKT_EXPECTS(carry == 0);
    return *this;
  }
  /// Pre: as above.
  [[nodiscard]] friend constexpr auto operator*(wide_natural a, ticks factor) noexcept -> wide_natural {
    TAKT_EXPECTS(factor >= 0);
    return a *= factor;
  }

  /// Pre: b <= a.
  [[nodiscard]] friend constexpr auto operator-(wide_natural a, const wide_natural& b) noexcept -> wide_natural {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < a.words_.size(); ++i) {
      const std::uint64_t less = a.words_[i] - b.words_[i];
      const std::uint64_t result = less - borrow;
      borrow = (a.words_[i] < b.words_[i] || less < borrow) ? 1U : 0U;
      a.words_[i] = result;
    }
    TAKT_EXPECTS(borrow == 0);
    return a;
  }

  /// Divides and rounds down; returns whether a rest was cut off. Pre: divisor > 0.
  constexpr auto divide(ticks divisor) noexcept -> bool {
    TAKT_EXPECTS(divisor > 0);
    std::uint64_t rest = 0;
    for (std::size_t i = words_.size(); i-- > 0;) {
      const word_division part = divide_words({rest, words_[i]}, static_cast<std::uint64_t>(divisor));
      words_[i] = part.quotient;
      rest = part.rest;
    }
    return rest != 0;
  }
  /// Pre: divisor > 0.
  constexpr void divide_up(ticks divisor) noexcept {
    TAKT_EXPECTS(divisor > 0);
    if (divide(divisor)) { increment(); }
  }

  /// Returns the value, or the greatest one of `ticks` when that is less.
  [[nodiscard]] constexpr auto to_ticks() const noexcept -> ticks {
    constexpr auto greatest = static_cast<std::uint64_t>(std::numeric_limits<ticks>::max());
    const bool fits = words_[3] == 0 && words_[2] == 0 && words_[1] == 0 && words_[0] < greatest;
    return static_cast<ticks>(fits ? words_[0] : greatest);
  }

  [[nodiscard]] friend constexpr auto operator==(const wide_natural& a, const wide_natural& b) noexcept
      -> bool = default;
  [[nodiscard]] friend constexpr auto operator<=>(const wide_natural& a, const wide_natural& b) noexcept
      -> std::strong_ordering {
    for (std::size_t i = a.words_.size(); i-- > 0;) {
      if (a.words_[i] != b.words_[i]) { return a.words_[i] <=> b.words_[i]; }
    }
    return std::strong_ordering::equal;
  }

 private:
  constexpr void increment() noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (++words_[i] != 0) { return; }
    }
  }

  std::array<std::uint64_t, 4> words_{};  // least significant first
};

/// Returns ceil(value * factor / divisor), or the greatest time. Pre: value >= 0, factor >= 0, divisor > 0.
[[nodiscard]] constexpr auto scaled_up(ticks value, ticks factor, ticks divisor) noexcept -> ticks {
  TAKT_EXPECTS(value >= 0 && factor >= 0 && divisor > 0);
  ticks product = 0;
  if (checked_multiply(value, factor, product)) { return ceil_divide(product, divisor); }
  wide_natural wide{value};
  wide *= factor;
  wide.divide_up(divisor);
  return wide.to_ticks();
}

}  // namespace takt::inline TAKT_ABI::detail
