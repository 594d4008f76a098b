// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/allocation/ranking.hpp>
#include <takt/systems/locked_gpus/plans/published_ranking.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt;

/// Last place for the first, and so on.
[[nodiscard]] constexpr auto reversed(studied_ranks places) -> studied_ranks {
  for (auto& p : places) { p = static_cast<std::int64_t>(places.size()) + 1 - p; }
  return places;
}

}  // namespace

TEST_CASE("each published ranking gives every place from 1 to 57 once" * takt_tests::traces("GSA-28")) {
  for (const studied_ranks& ranking : published_ranks) {
    studied_ranks sorted = ranking;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i) { CHECK(sorted[i] == static_cast<std::int64_t>(i) + 1); }
  }
}

TEST_CASE("an observation counts the pairs of configurations that it names, whichever way round they are" *
          takt_tests::traces("GSA-30")) {
  constexpr std::array<std::int64_t, 7> cases{1, 9, 18, 6, 18, 1, 18};
  for (const studied_ranks& ranking : published_ranks) {
    for (std::size_t i = 0; i < ranking_observations.size(); ++i) {
      CAPTURE(ranking_observations[i].text);
      const observed_cases seen = ranking_observations[i].check(ranking);
      CHECK(seen.cases == cases[i]);
      CHECK(seen.holds <= seen.cases);
      CHECK(seen.holds >= seen.cases - 3);
      const observed_cases turned = ranking_observations[i].check(reversed(ranking));
      if (i >= 1 && i <= 4) { CHECK(turned == observed_cases{seen.cases - seen.holds, seen.cases}); }
      if (i == 0 || i == 6) { CHECK(turned.holds < seen.holds); }
    }
  }
}

TEST_CASE("the rank correlation is 1 for equal rankings, -1 for reversed ones and is rounded down" *
          takt_tests::traces("GSA-28")) {
  for (const studied_ranks& ranking : published_ranks) {
    CHECK(rank_correlation(ranking, ranking) == 1000);
    CHECK(rank_correlation(ranking, reversed(ranking)) == -1000);
  }
  // 1 - 6 * 2 / (4 * 15) and 1 - 6 * 42 / (7 * 48).
  static_assert(rank_correlation(std::array<std::int64_t, 4>{1, 2, 3, 4}, std::array<std::int64_t, 4>{2, 1, 3, 4}) ==
                800);
  static_assert(rank_correlation(std::array<std::int64_t, 7>{1, 2, 3, 4, 5, 6, 7},
                                 std::array<std::int64_t, 7>{7, 1, 2, 3, 4, 5, 6}) == 250);
}
