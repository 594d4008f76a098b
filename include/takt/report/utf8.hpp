// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

inline constexpr char32_t replacement_character = 0xFFFD;

/// Returns the length of a well-formed sequence at the start of `text`, or 0, also for overlong forms and surrogates.
[[nodiscard]] constexpr auto decode(std::string_view text, char32_t& out) noexcept -> std::size_t {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || text.size() < length) { return 0; }
  out = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) { return 0; }
    out = (out << 6U) | (byte(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && out < 0x800) || (length == 4 && out < 0x10000);
  const bool surrogate = out >= 0xD800 && out <= 0xDFFF;
  return overlong || surrogate || out > 0x10FFFF ? 0 : length;
}

}  // namespace detail

/// Calls `f(code_point, bytes)` for each character; a byte that belongs to none comes as U+FFFD.
template <class F>
constexpr void for_each_character(std::string_view text, F f) {
  using namespace std::string_view_literals;
  while (!text.empty()) {
    char32_t c = detail::replacement_character;
    const std::size_t length = detail::decode(text, c);
    if (length == 0) {
      f(detail::replacement_character, "\xEF\xBF\xBD"sv);
      text.remove_prefix(1);
    } else {
      f(c, text.substr(0, length));
      text.remove_prefix(length);
    }
  }
}

/// Returns whether every byte belongs to a character.
[[nodiscard]] constexpr auto is_utf8(std::string_view text) noexcept -> bool {
  while (!text.empty()) {
    char32_t c = 0;
    const std::size_t length = detail::decode(text, c);
    if (length == 0) { return false; }
    text.remove_prefix(length);
  }
  return true;
}

/// Returns columns that a text takes in a font of fixed width; East Asian characters and emoji take two.
[[nodiscard]] constexpr auto columns(std::string_view text) -> std::size_t {
  std::size_t n = 0;
  for_each_character(text, [&n](char32_t c, std::string_view) {
    const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
                      (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                      (c >= 0x1F300 && c <= 0x1FAFF) || c >= 0x20000;
    n += wide ? 2 : 1;
  });
  return n;
}

/// Returns the text itself, or as much of it as fits with an ellipsis. Pre: most >= 1.
[[nodiscard]] inline auto elided(std::string_view text, std::size_t most) -> std::string {
  TAKT_EXPECTS(most >= 1);
  if (columns(text) <= most) { return std::string{text}; }
  std::string out;
  std::size_t used = 1;
  bool full = false;
  for_each_character(text, [&](char32_t, std::string_view bytes) {
    const std::size_t width = columns(bytes);
    full = full || used + width > most;
    if (full) { return; }
    used += width;
    out += bytes;
  });
  return out + "\xE2\x80\xA6";
}

}  // namespace takt::inline TAKT_ABI::report
