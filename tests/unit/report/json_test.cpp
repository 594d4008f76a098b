// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <locale>
#include <random>
#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <takt/report/json.hpp>

namespace {

using takt::report::json_string;
using takt::report::json_writer;

TEST_CASE("json strings of any bytes parse, and valid text comes back unchanged") {
  const std::string texts[] = {"",
                               "plain",
                               "quote\" back\\slash /",
                               "line\nfeed\r\ttab",
                               std::string("nul\0bell\a\x1f\x7f", 11),
                               "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x9A\x97"};
  for (const std::string& text : texts) { CHECK(nlohmann::json::parse(json_string(text)).get<std::string>() == text); }

  std::mt19937_64 engine{5};
  for (int n = 0; n < 20'000; ++n) {
    std::string bytes(engine() % 8, ' ');
    for (char& c : bytes) { c = static_cast<char>(engine() % 3 == 0 ? engine() % 256 : 0xE0 + engine() % 32); }
    REQUIRE(nlohmann::json::accept(json_string(bytes)));
  }
}

TEST_CASE("json strings replace malformed bytes one by one") {
  CHECK(json_string("a\xFF"
                    "b") ==
        "\"a\xEF\xBF\xBD"
        "b\"");
  CHECK(json_string("\x7F\xE2\x80\xAE\xF3\xA0\x81\x81") == R"("\u007f\u202e\udb40\udc41")");
  CHECK(json_string("\xC0\x80") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
  CHECK(json_string("\xED\xA0\x80") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
  CHECK(json_string("\xE2\x82") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

struct grouping : std::numpunct<char> {
  auto do_thousands_sep() const -> char override { return '.'; }
  auto do_grouping() const -> std::string override { return "\3"; }
};

TEST_CASE("json values nest, keep their order and ignore the stream's locale") {
  std::ostringstream out;
  out.imbue(std::locale(std::locale::classic(), new grouping));
  json_writer json{out};
  json.begin_object().member("z", 1234567).member("a", "text").member("yes", true).member("none", nullptr);
  json.key("list").begin_array().value(-1).begin_object().end_object().begin_array().end_array().line().value(false);
  json.end_array().member("least", std::numeric_limits<std::int64_t>::min()).end_object().finish();
  CHECK(out.str() ==
        "{\"z\":1234567,\"a\":\"text\",\"yes\":true,\"none\":null,\"list\":[-1,{},[],\nfalse],"
        "\"least\":-9223372036854775808}\n");
}

}  // namespace
