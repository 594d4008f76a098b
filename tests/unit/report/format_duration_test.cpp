// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include <takt/report/format_duration.hpp>

namespace {

using takt::ticks;
using takt::report::format_duration;

TEST_CASE("durations are written in the largest unit they fill, without loss") {
  CHECK(format_duration(0) == "0ns");
  CHECK(format_duration(7) == "7ns");
  CHECK(format_duration(999) == "999ns");
  CHECK(format_duration(1'000) == "1us");
  CHECK(format_duration(1'001) == "1.001us");
  CHECK(format_duration(12'500'000) == "12.5ms");
  CHECK(format_duration(23'796'409) == "23.796409ms");
  CHECK(format_duration(1'000'000'000) == "1s");
  CHECK(format_duration(100'000'000'000) == "100s");
  CHECK(format_duration(-1'500) == "-1.5us");
  CHECK(format_duration(std::numeric_limits<ticks>::max()) == "9223372036.854775807s");
  CHECK(format_duration(std::numeric_limits<ticks>::min()) == "-9223372036.854775808s");
}

/// Reads what was written, digit by digit.
auto parsed(const std::string& text) -> ticks {
  ticks whole = 0;
  ticks scale = 1;
  bool fraction = false;
  std::size_t i = 0;
  for (; i < text.size() && (text[i] == '.' || (text[i] >= '0' && text[i] <= '9')); ++i) {
    if (text[i] == '.') {
      fraction = true;
      continue;
    }
    whole = whole * 10 + (text[i] - '0');
    scale *= fraction ? 10 : 1;
  }
  for (const auto& unit : takt::report::time_units) {
    if (text.substr(i) == unit.name) { return whole * (unit.length / scale); }
  }
  return -1;
}

TEST_CASE("durations read back as the same number") {
  std::mt19937_64 engine{3};
  for (int n = 0; n < 20'000; ++n) {
    const auto time = static_cast<ticks>(engine() >> (2 + engine() % 60));
    REQUIRE(parsed(format_duration(time)) == time);
  }
}

}  // namespace
