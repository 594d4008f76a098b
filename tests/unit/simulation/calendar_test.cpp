// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>
#include <takt/simulation/calendar.hpp>

using takt::simulation::never;
using takt::simulation::detail::calendar;

static_assert([] {
  takt::simulation::detail::calendar<5> c(5);
  c.set(3, 7);
  c.set(1, 7);
  c.set(4, 9);
  const bool lowest_first = c.time() == 7 && c.source() == 1;
  c.set(1, never);
  return lowest_first && c.source() == 3;
}());

TEST_CASE("calendar with nothing to come") {
  const takt::simulation::detail::calendar<9> c(9);
  CHECK(c.time() == never);
}

TEST_CASE("calendar of one source") {
  takt::simulation::detail::calendar<1> c(1);
  c.set(0, 42);
  CHECK(c.time() == 42);
  CHECK(c.source() == 0);
}

TEST_CASE("calendar agrees with a linear search") {
  takt::random_stream random(5);
  for (std::size_t sources = 1; sources <= 40; ++sources) {
    takt::simulation::detail::calendar<40> c(sources);
    std::array<takt::ticks, 40> expected{};
    expected.fill(never);
    for (int i = 0; i < 500; ++i) {
      const auto source = static_cast<std::size_t>(random.below(static_cast<takt::ticks>(sources)));
      const takt::ticks time = random.chance(1, 5) ? never : random.below(30);
      c.set(source, time);
      expected[source] = time;
      const auto* const first = std::ranges::min_element(expected);
      REQUIRE(c.time() == *first);
      if (*first != never) { REQUIRE(c.source() == static_cast<std::size_t>(first - expected.begin())); }
    }
  }
}

TEST_CASE("random stream is SplitMix64") {
  takt::random_stream random(1234567);
  CHECK(random.next() == 6457827717110365317U);
  CHECK(random.next() == 3203168211198807973U);
  CHECK(random.next() == 9817491932198370423U);
}
