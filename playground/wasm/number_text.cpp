// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdio>
#include <string>

/// In place of the C++ library's own, which comes with 100 kB of tables. The same text by its definition, which is that
/// of `printf` in the locale "C", the only one of this target.
auto std::to_chars(char* first, char* last, double value, chars_format form, int precision) -> to_chars_result {
  const char* const how = form == chars_format::fixed ? "%.*f" : form == chars_format::general ? "%.*g" : "%.*e";
  const int size = std::snprintf(nullptr, 0, how, precision, value);
  if (size < 0 || size > last - first) { return {last, errc::value_too_large}; }
  std::string text(static_cast<std::size_t>(size), ' ');
  std::snprintf(text.data(), text.size() + 1, how, precision, value);
  return {text.copy(first, text.size()) + first, errc{}};
}
