// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/number.hpp>

// Pieces of C++ as text.

namespace takt::program {

inline constexpr std::size_t widest_cpp_line = 120;

/// A call or a braced list with its arguments. One without brackets is a word.
struct cpp_term {
  std::string head;
  std::string open{};  ///< "(" or "{"; empty for a word
  std::vector<cpp_term> arguments{};
  bool in_rows = false;  ///< each argument begins a line
};
[[nodiscard]] auto cpp_word(std::string text) -> cpp_term;
[[nodiscard]] auto cpp_call(std::string name, std::vector<cpp_term> arguments) -> cpp_term;
[[nodiscard]] auto cpp_braces(std::string name, std::vector<cpp_term> arguments) -> cpp_term;

/// On one line if it fits there, else on several, each further in than `column`, where the first begins. `after`:
/// characters that follow the term.
[[nodiscard]] auto cpp_text(const cpp_term& term, std::size_t column, std::size_t after) -> std::string;

/// "33_ms": in the largest unit of which it is a whole number. Pre: not below 0.
[[nodiscard]] auto cpp_duration(ticks time) -> std::string;
/// The same as a number of nanoseconds, "(33_ms).count()". Any sign.
[[nodiscard]] auto cpp_ticks(ticks time) -> std::string;
/// "1'073'741'824".
[[nodiscard]] auto cpp_number(std::int64_t value) -> std::string;
/// A string literal.
[[nodiscard]] auto cpp_quoted(std::string_view text) -> std::string;
/// Comments of one line each; a text that is too long for a line goes on in the next one.
[[nodiscard]] auto cpp_comment(std::string_view text) -> std::string;
/// A name for something of C++ that comes from any text, unlike all keywords since `what` stands behind it.
[[nodiscard]] auto cpp_name(std::string_view text, std::string_view what) -> std::string;

}  // namespace takt::program
