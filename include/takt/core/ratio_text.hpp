// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/checked.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what a text such as "9/5", "2" or "1.8" says, in lowest terms.
struct read_ratio_text {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  std::string_view problem{};  ///< continues the text: "is negative"; empty when there is none

  [[nodiscard]] constexpr auto ok() const noexcept -> bool { return problem.empty(); }
};

namespace detail {

/// Appends digits to a number; false where one is no digit, or the number leaves 64 bits.
[[nodiscard]] constexpr auto append_digits(std::string_view digits, std::int64_t& number, bool& fits) noexcept -> bool {
  for (const char c : digits) {
    if (c < '0' || c > '9') { return false; }
    fits = fits && checked_multiply<std::int64_t>(number, 10, number) &&
           checked_add<std::int64_t>(number, c - '0', number);
  }
  return !digits.empty();
}

}  // namespace detail

[[nodiscard]] constexpr auto ratio_of(std::string_view text) noexcept -> read_ratio_text {
  constexpr std::string_view malformed = "is not a ratio";
  const bool negative = text.starts_with('-');
  const std::size_t slash = text.find('/');
  const std::size_t point = text.find('.');
  const std::size_t middle = slash != std::string_view::npos ? slash : point;
  const std::string_view whole = text.substr(0, middle).substr(negative ? 1 : 0);
  std::string_view rest = middle == std::string_view::npos ? std::string_view{} : text.substr(middle + 1);
  read_ratio_text out;
  bool fits = true;
  if (!detail::append_digits(whole, out.numerator, fits)) { return {.problem = malformed}; }
  if (slash != std::string_view::npos) {
    const bool below_one = rest.starts_with('-');
    out.denominator = 0;
    if (!detail::append_digits(rest.substr(below_one ? 1 : 0), out.denominator, fits) || !fits) {
      return {.problem = malformed};
    }
    if (below_one || out.denominator < 1) { return {.problem = "has a denominator below 1"}; }
  } else if (middle != std::string_view::npos) {
    if (rest.empty() || rest.find_first_not_of("0123456789") != std::string_view::npos) {
      return {.problem = malformed};
    }
    while (rest.ends_with('0')) { rest.remove_suffix(1); }
    (void)detail::append_digits(rest, out.numerator, fits);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      fits = fits && checked_multiply<std::int64_t>(out.denominator, 10, out.denominator);
    }
  }
  if (!fits) { return {.problem = "has too many digits"}; }
  if (negative && out.numerator > 0) { return {.problem = "is negative"}; }
  const std::int64_t common = greatest_common_divisor(out.numerator, out.denominator);
  return {out.numerator / common, out.denominator / common, {}};
}

}  // namespace takt::inline TAKT_ABI
