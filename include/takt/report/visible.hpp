// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <takt/report/utf8.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

/// Returns whether a character acts on what shows it, breaks its lines, turns the order of others round, or is not seen
/// at all, so that two names look alike.
[[nodiscard]] constexpr auto is_control(char32_t c) noexcept -> bool {
  const auto within = [c](char32_t first, char32_t last) { return first <= c && c <= last; };
  return c < 0x20 || within(0x7F, 0x9F) || c == 0xAD || c == 0x61C || within(0x200B, 0x200F) ||
         within(0x2028, 0x202E) || within(0x2060, 0x206F) || c == 0xFEFF || within(0xE0000, 0xE007F);
}

}  // namespace detail

/// Returns a character by its number, as JSON does: two numbers where one has no room.
[[nodiscard]] inline auto escaped(char32_t c) -> std::string {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr char32_t first_of_two = 0x10000;
  if (c >= first_of_two) {
    return escaped(0xD800 + ((c - first_of_two) >> 10U)) + escaped(0xDC00 + ((c - first_of_two) & 0x3FFU));
  }
  std::string out = "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) { out += digits[c >> shift & 0xFU]; }
  return out;
}

/// Returns the text with each of these characters spelled by its number, and U+FFFD for what is not UTF-8.
[[nodiscard]] inline auto visible(std::string_view text) -> std::string {
  std::string out;
  for_each_character(text, [&](char32_t c, std::string_view bytes) {
    if (detail::is_control(c)) {
      out += escaped(c);
    } else {
      out += bytes;
    }
  });
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
