// SPDX-License-Identifier: Apache-2.0
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
