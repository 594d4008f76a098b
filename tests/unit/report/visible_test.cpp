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
  // They turn the order of others round (CVE-2021-42574), or are not seen, so that two names look alike.
  CHECK(visible("\xE2\x80\xAE\xE2\x81\xA6x\xE2\x81\xA9"sv) == R"(\u202e\u2066x\u2069)");
  CHECK(visible("\xD8\x9C\xE2\x80\x8B\xE2\x80\x8F\xE2\x81\xA0\xEF\xBB\xBF\xC2\xAD"sv) ==
        R"(\u061c\u200b\u200f\u2060\ufeff\u00ad)");
  CHECK(visible("\xF3\xA0\x81\x81"sv) == R"(\udb40\udc41)");
  CHECK(visible("\xE2\x80\x8A\xE2\x80\x90\xE2\x81\x9F\xE2\x81\xB0"sv) ==
        "\xE2\x80\x8A\xE2\x80\x90\xE2\x81\x9F\xE2\x81\xB0");
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
