// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <takt/report/utf8.hpp>

namespace takt::inline v0::report {

/// Whether a character acts on what shows it, or breaks its lines, instead of being seen.
[[nodiscard]] constexpr auto is_control(char32_t c) noexcept -> bool {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

/// The text with each control character spelled by its number, as JSON does, and U+FFFD for what is not UTF-8.
[[nodiscard]] inline auto visible(std::string_view text) -> std::string {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for_each_character(text, [&](char32_t c, std::string_view bytes) {
    if (!is_control(c)) {
      out += bytes;
      return;
    }
    out += "\\u";
    for (const unsigned shift : {12U, 8U, 4U, 0U}) { out += digits[c >> shift & 0xFU]; }
  });
  return out;
}

}  // namespace takt::inline v0::report
