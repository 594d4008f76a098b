// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <takt/report/nearest.hpp>
#include <takt/report/text.hpp>

namespace {
using namespace takt::report;
}

TEST_CASE("a text is its parts, texts and whole numbers of any size") {
  CHECK(text().empty());
  CHECK(text("a", std::string{"b"}, std::string_view{"c"}, 1, std::size_t{2}, std::int64_t{-3}) == "abc12-3");
}

TEST_CASE("numbers are rounded to digits behind the point, or to digits that count") {
  CHECK(fixed(2.0 / 3, 4) == "0.6667");
  CHECK(fixed(1234.5678, 0) == "1235");
  CHECK(fixed(-0.25, 1) == "-0.2");
  CHECK(rounded(1234.5, 3) == "1.23e+03");
  CHECK(rounded(12.0, 3) == "12");
}

TEST_CASE("what is shorter than its column is filled up before it") {
  CHECK(right_aligned("7", 3) == "  7");
  CHECK(right_aligned("7", 2, '0') == "07");
  CHECK(right_aligned("1234", 3) == "1234");
}

TEST_CASE("the nearest word is the one with the fewest changes, and of equal ones the first") {
  constexpr std::string_view words[] = {"period", "deadline", "priority"};
  CHECK(takt::report::detail::edit_distance("kitten", "sitting") == 3);
  CHECK(takt::report::detail::edit_distance("", "abc") == 3);
  CHECK(nearest("dedline", words) == "deadline");
  CHECK(nearest("perioda", words) == "period");
  CHECK(nearest("", words) == "period");
}
