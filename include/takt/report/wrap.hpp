// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <takt/report/utf8.hpp>

namespace takt::inline TAKT_ABI::report {

/// Returns a text as lines of at most `width` columns, broken at spaces, and inside a word only where it fills a line
/// alone. Spaces at breaks go. An empty text has no line. Pre: width >= 2.
[[nodiscard]] inline auto wrapped(std::string_view text, std::size_t width) -> std::vector<std::string> {
  TAKT_EXPECTS(width >= 2);
  std::vector<std::string> out;
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) { out.push_back(line); }
    line.clear();
  };
  const auto add_long = [&](std::string_view word) {
    for_each_character(word, [&](char32_t, std::string_view bytes) {
      if (columns(line) + columns(bytes) > width) { end_line(); }
      line += bytes;
    });
  };
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    if (word.empty()) { continue; }
    if (!line.empty() && columns(line) + 1 + columns(word) > width) { end_line(); }
    if (!line.empty()) { line += ' '; }
    if (columns(word) > width) {
      add_long(word);
    } else {
      line += word;
    }
  }
  end_line();
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
