// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

inline void append(std::string& out, std::string_view text) { out += text; }
template <std::integral I>
  requires(!std::same_as<I, bool> && !std::same_as<I, char>)
void append(std::string& out, I number) {
  out += std::to_string(number);
}

[[nodiscard]] inline auto number_text(double number, std::chars_format form, int digits) -> std::string {
  std::array<char, 400> room{};
  return {room.data(), std::to_chars(room.data(), room.data() + room.size(), number, form, digits).ptr};
}

}  // namespace detail

/// Texts and whole numbers, one after the other.
template <class... Parts>
[[nodiscard]] auto text(const Parts&... parts) -> std::string {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
}

/// Returns a number with so many digits behind the point, whatever the locale. Pre: it is finite, and digits <= 17.
[[nodiscard]] inline auto fixed(double number, int digits) -> std::string {
  TAKT_EXPECTS(std::isfinite(number) && 0 <= digits && digits <= 17);
  return detail::number_text(number, std::chars_format::fixed, digits);
}

/// Returns a number with so many digits that count, whatever the locale. Pre: as above.
[[nodiscard]] inline auto rounded(double number, int digits) -> std::string {
  TAKT_EXPECTS(std::isfinite(number) && 0 <= digits && digits <= 17);
  return detail::number_text(number, std::chars_format::general, digits);
}

/// Returns a text of at least so many characters, with `fill` before it.
[[nodiscard]] inline auto right_aligned(std::string text, std::size_t width, char fill = ' ') -> std::string {
  if (text.size() < width) { text.insert(0, width - text.size(), fill); }
  return text;
}

}  // namespace takt::inline TAKT_ABI::report
