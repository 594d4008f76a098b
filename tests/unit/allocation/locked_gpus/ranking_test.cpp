// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <takt/allocation/ranking.hpp>
#include "support/traces.hpp"

namespace {

using takt::area_ranking;
using takt::rational;

template <std::size_t N>
constexpr auto add(area_ranking<8>& r, const std::array<int, N>& areas) -> bool {
  return r.add(std::span<const int>{areas});
}

constexpr auto three_groups() -> area_ranking<8> {
  area_ranking<8> r(3);
  static_cast<void>(add(r, std::array{5, 9, 5}));
  static_cast<void>(add(r, std::array{1, 2, 3}));
  static_cast<void>(add(r, std::array{7, 7, 0}));
  return r;
}

}  // namespace

TEST_CASE("the largest area takes the first place, and equal areas the better one" * takt_tests::traces("GSA-28")) {
  constexpr auto places = area_ranking<8>::places_of(std::span<const int>{std::array{4, 9, 4, 1, 9}});
  static_assert(places.size() == 5 && places[0] == 3 && places[1] == 1 && places[2] == 3 && places[3] == 5 &&
                places[4] == 1);
  const auto fractions = std::array{rational{1, 3}, rational{333'333'333, 1'000'000'000}, rational{2, 6}};
  const auto exact = area_ranking<8>::places_of(std::span<const rational>{fractions});
  CHECK(exact[0] == 1);
  CHECK(exact[1] == 3);
  CHECK(exact[2] == 1);
}

TEST_CASE("the median place decides, then the mean, then the given order, and all of them are exact" *
          takt_tests::traces("GSA-28")) {
  // Places by group: candidate 0: 2, 3, 1; candidate 1: 1, 2, 1; candidate 2: 2, 1, 3.
  constexpr auto ranked = three_groups().ranked();
  static_assert(ranked.size() == 3);
  static_assert(ranked[0].candidate == 1 && ranked[0].twice_median == 2 && ranked[0].mean == rational{4, 3});
  static_assert(ranked[1].candidate == 0 && ranked[1].twice_median == 4 && ranked[1].mean == rational{2});
  static_assert(ranked[2].candidate == 2 && ranked[2].twice_median == 4 && ranked[2].mean == rational{2});
  static_assert(ranked[1].variance == rational{2, 3});
  CHECK(ranked[1].deviation(1'000'000) == 816'497);
  auto even = three_groups();
  REQUIRE(add(even, std::array{1, 0, 2}));
  // Candidate 0 has 1, 2, 2, 3 now, and candidate 2 has 1, 1, 2, 3: half of the places are at most 1.5.
  CHECK(even.ranked()[1].candidate == 2);
  CHECK(even.ranked()[1].twice_median == 3);
  CHECK(even.groups() == 4);
}

TEST_CASE("a ranking refuses groups of another size, and has no order without groups" * takt_tests::traces("GSA-28")) {
  area_ranking<8> r(3);
  CHECK(r.ranked().empty());
  CHECK_FALSE(add(r, std::array{1, 2}));
  CHECK_FALSE(add(r, std::array{1, 2, 3, 4}));
  CHECK(r.groups() == 0);
  CHECK(r.ranked().empty());
}

TEST_CASE("medians, means and deviations are those of a sorted list of places" * takt_tests::traces("GSA-28")) {
  std::mt19937_64 engine{3};
  for (int round = 0; round < 50; ++round) {
    const std::size_t candidates = 1 + engine() % 8;
    const std::size_t groups = 1 + engine() % 12;
    area_ranking<8> r(candidates);
    std::vector<std::vector<std::int64_t>> places(candidates);
    for (std::size_t g = 0; g < groups; ++g) {
      std::vector<int> areas;
      for (std::size_t c = 0; c < candidates; ++c) { areas.push_back(static_cast<int>(engine() % 6)); }
      REQUIRE(r.add(std::span<const int>{areas}));
      for (std::size_t c = 0; c < candidates; ++c) {
        places[c].push_back(1 + std::ranges::count_if(areas, [&](int a) { return a > areas[c]; }));
      }
    }
    for (const takt::rank_statistics& s : r.ranked()) {
      auto& own = places[s.candidate];
      std::ranges::sort(own);
      CHECK(s.twice_median == own[(groups - 1) / 2] + own[groups / 2]);
      double mean = 0;
      double variance = 0;
      for (const auto p : own) { mean += static_cast<double>(p) / static_cast<double>(groups); }
      for (const auto p : own) { variance += std::pow(static_cast<double>(p) - mean, 2) / static_cast<double>(groups); }
      CHECK(static_cast<double>(s.mean.numerator()) / static_cast<double>(s.mean.denominator()) ==
            doctest::Approx(mean));
      CHECK(static_cast<double>(s.deviation(1'000'000)) / 1e6 == doctest::Approx(std::sqrt(variance)).epsilon(1e-5));
    }
  }
}

TEST_CASE("a deviation is rounded to the nearest part" * takt_tests::traces("GSA-28")) {
  const auto of = [](const rational& variance, std::int64_t parts) {
    return takt::rank_statistics{.mean = {}, .variance = variance}.deviation(parts);
  };
  CHECK(of(rational{0}, 100) == 0);
  CHECK(of(rational{2}, 100) == 141);
  CHECK(of(rational{2}, 1'000'000) == 1'414'214);
  CHECK(of(rational{1, 4}, 1) == 1);  // 0.5, upwards
  CHECK(of(rational{1, 5}, 1) == 0);
  CHECK(of(rational{262'144}, 1'000'000) == 512'000'000);
}
