// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string_view>

#include <takt/core/ratio_text.hpp>

namespace {

using takt::ratio_of;

[[nodiscard]] constexpr auto is(std::string_view text, std::int64_t numerator, std::int64_t denominator) -> bool {
  const auto r = ratio_of(text);
  return r.ok() && r.numerator == numerator && r.denominator == denominator;
}

static_assert(is("1.7", 17, 10));

}  // namespace

TEST_CASE("a ratio is a fraction, a whole number or a decimal one, in lowest terms") {
  CHECK(is("9/5", 9, 5));
  CHECK(is("18/10", 9, 5));
  CHECK(is("2", 2, 1));
  CHECK(is("0", 0, 1));
  CHECK(is("-0.0", 0, 1));
  CHECK(is("1.8", 9, 5));
  CHECK(is("1.80000000000000000000000000", 9, 5));
  CHECK(is("0.000000000000000001", 1, 1'000'000'000'000'000'000));
  CHECK(is("9223372036854775807", INT64_MAX, 1));
}

TEST_CASE("what is no ratio, negative or too long is told apart") {
  for (const char* wrong :
       {"", "-", ".", "1.", ".5", "1/", "/2", "1/2/3", "1.5/2", "1e3", "1.5e3", " 1", "+1", "--1"}) {
    CAPTURE(wrong);
    CHECK(ratio_of(wrong).problem == "is not a ratio");
  }
  CHECK(ratio_of("1/0").problem == "has a denominator below 1");
  CHECK(ratio_of("1/-2").problem == "has a denominator below 1");
  CHECK(ratio_of("-1/2").problem == "is negative");
  CHECK(ratio_of("-0.1").problem == "is negative");
  CHECK(ratio_of("0.0000000000000000001").problem == "has too many digits");
  CHECK(ratio_of("9223372036854775808").problem == "has too many digits");
}
