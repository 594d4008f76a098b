// SPDX-License-Identifier: Apache-2.0
#include <takt/report/utf8.hpp>
#include <takt/report/visible.hpp>

#include <string>
#include <string_view>

#include <doctest/doctest.h>

using takt::report::visible;

TEST_CASE("control characters and what breaks a line are spelled as JSON spells them, and nothing else is changed") {
  using namespace std::string_view_literals;
  CHECK(visible("camera \"left\" \\ r\xC3\xA9sum\xC3\xA9 \xE7\x9B\xB8\xE6\x9C\xBA"sv) ==
        "camera \"left\" \\ r\xC3\xA9sum\xC3\xA9 \xE7\x9B\xB8\xE6\x9C\xBA");
  CHECK(visible("a\x1b[2J\0b\nc\x7f"sv) == R"(a\u001b[2J\u0000b\u000ac\u007f)");
  CHECK(visible("\xC2\x80\xC2\x9F\xC2\xA0\xE2\x80\xA8\xE2\x80\xA9"sv) == "\\u0080\\u009f\xC2\xA0\\u2028\\u2029");
  CHECK(visible("a\xFF"sv) == "a\xEF\xBF\xBD");
  CHECK(visible(visible("\x1b"sv)) == R"(\u001b)");
}

TEST_CASE("a text in UTF-8 is told from one with a byte that belongs to no character") {
  using takt::report::is_utf8;
  for (const std::string_view good : {"", "a", "r\xC3\xA9sum\xC3\xA9", "\xE7\x9B\xB8", "\xF0\x9F\x98\x80"}) {
    CHECK(is_utf8(good));
  }
  for (const std::string_view bad : {"\xFF", "a\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    CHECK_FALSE(is_utf8(bad));
  }
}
