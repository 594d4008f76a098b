// SPDX-License-Identifier: Apache-2.0
#include <takt/core/largest_factor.hpp>

#include <cstdint>
#include <initializer_list>

#include <doctest/doctest.h>

TEST_CASE("the largest number for which something holds is found wherever it is") {
  for (std::int64_t limit = 0; limit <= 300; ++limit) {
    for (const std::int64_t first : {1, 7, 64, 300}) {
      int asked = 0;
      const auto holds = [&](std::int64_t n) { return ++asked, n <= limit; };
      CHECK(takt::largest_factor(first, 300, holds) == limit);
      CHECK(asked <= 20);
    }
  }
  static_assert(takt::largest_factor(1000, 100'000, [](std::int64_t n) { return n <= 1310; }) == 1310);
}
