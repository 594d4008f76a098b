// SPDX-License-Identifier: Apache-2.0
// The arrays that tests of combinations go through show every pair.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>

#include "support/pairwise.hpp"

TEST_CASE("a covering array shows every pair of values of two factors, in few rows") {
  const auto check = [](const auto& levels, std::size_t most) {
    const auto rows = pairwise::cover<200>(levels);
    CHECK(pairwise::pairs_left(rows, levels) == 0);
    CHECK(rows.size() <= most);
    for (const auto& r : rows) {
      for (std::size_t f = 0; f < levels.size(); ++f) { CHECK(r[f] < levels[f]); }
    }
  };
  check(std::array<std::size_t, 2>{3, 4}, 12);
  check(std::array<std::size_t, 3>{2, 2, 2}, 4);
  check(std::array<std::size_t, 4>{12, 4, 4, 4}, 50);
  check(std::array<std::size_t, 5>{7, 1, 5, 2, 3}, 37);
}

TEST_CASE("an array with too few rows has pairs left") {
  constexpr std::array<std::size_t, 3> levels{3, 3, 2};
  CHECK(pairwise::pairs_left(pairwise::cover<4>(levels), levels) > 0);
  CHECK(pairwise::pairs_left(pairwise::covering_array<3, 1>{}, levels) == 21);
}
