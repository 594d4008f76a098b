// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

#include <boost/multiprecision/cpp_int.hpp>

#include <takt/core/random.hpp>
#include <takt/core/wide_natural.hpp>
#include "support/traces.hpp"

using takt::ticks;

TEST_CASE("products and quotients of four words are exact" * takt_tests::traces("WAMP-25")) {
  using boost::multiprecision::cpp_int;
  takt::random_stream random{4};
  const auto any = [&] { return random.below(ticks{1} << random.between(1, 62)) + 1; };
  for (int round = 0; round < 2000; ++round) {
    const ticks a = any();
    const ticks b = any();
    const ticks c = any();
    const ticks d = any();
    const ticks e = any();
    const ticks f = any();
    const cpp_int left = cpp_int(a) * b * c;
    const cpp_int right = cpp_int(d) * e * f;
    const auto wide = takt::detail::wide_natural{a} * b * c;
    const auto other = takt::detail::wide_natural{d} * e * f;
    CHECK((wide < other) == (left < right));
    CHECK((wide == other) == (left == right));
    auto difference = wide < other ? other - wide : wide - other;
    static_cast<void>(difference.divide(e));
    static_cast<void>(difference.divide(f));
    const cpp_int greatest = std::numeric_limits<ticks>::max();
    const cpp_int apart = abs(left - right) / e / f;
    CHECK(cpp_int(difference.to_ticks()) == (apart < greatest ? apart : greatest));
    auto quotient = wide;
    const bool rest = quotient.divide(d);
    CHECK(rest == (left % d != 0));
    auto back = quotient * d;
    CHECK(back <= wide);
    CHECK((wide - back) < takt::detail::wide_natural{d});
    const cpp_int scaled = (cpp_int(a) * b + (c - 1)) / c;
    CHECK(cpp_int(takt::detail::scaled_up(a, b, c)) == (scaled < greatest ? scaled : greatest));
    const cpp_int down = cpp_int(a) * b / c;
    auto floor = takt::detail::wide_natural{a} * b;
    static_cast<void>(floor.divide(c));
    CHECK(cpp_int(floor.to_ticks()) == (down < greatest ? down : greatest));
  }
}
