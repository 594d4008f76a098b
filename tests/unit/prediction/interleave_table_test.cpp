// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>

#include <takt/core/rational.hpp>
#include <takt/model/speedup.hpp>
#include <takt/prediction.hpp>
#include "support/traces.hpp"

using takt::interleave_gain;
using takt::kernel_class;
using takt::rational;

namespace {

/// A share as whole per cent, rounded as the paper rounds.
constexpr auto percent(rational share) -> std::int64_t { return (share * rational{100} + rational{1, 2}).floor(); }

}  // namespace

TEST_CASE("the largest stretch beside another kernel, by class" * takt_tests::traces("RTGPU-31")) {
  static_assert(takt::largest_cross_interleave(kernel_class::special) == rational{145, 100});
  static_assert(takt::largest_cross_interleave(kernel_class::branch) == rational{17, 10});
  static_assert(takt::largest_cross_interleave(kernel_class::memory) == rational{17, 10});
  static_assert(takt::largest_cross_interleave(kernel_class::computation) == rational{18, 10});
  rational least{1'000};
  rational most{0};
  for (const kernel_class c : takt::kernel_classes) {
    const rational ratio = takt::largest_cross_interleave(c);
    CHECK(ratio > rational{1});
    CHECK(ratio < rational{2});
    const rational gain = interleave_gain(2, ratio);
    least = gain < least ? gain : least;
    most = most < gain ? gain : most;
    const auto attribute = takt::interleave(ratio);
    CHECK(rational{attribute.numerator, attribute.denominator} == ratio);
    CHECK(attribute.any_neighbour);
  }
  // "11 % to 38 %" over SMs that are not shared.
  CHECK(percent(least) == 11);
  CHECK(percent(most) == 38);
}

TEST_CASE("the five benchmarks and the throughput that self-interleaving gains" * takt_tests::traces("RTGPU-32")) {
  static_assert(takt::self_interleave_table.size() == 5);
  static_assert(takt::self_interleave_table[0].ratio[2] == rational{169, 100});
  static_assert(takt::self_interleave_table[1].largest() == rational{161, 100});
  static_assert(takt::self_interleave_table[2].smallest() == rational{141, 100});
  static_assert(takt::self_interleave_table[3].ratio[0] == rational{9, 5});
  static_assert(takt::self_interleave_table[4].smallest() == rational{61, 50});
  static_assert(interleave_gain(2, rational{9, 5}) == rational{1, 9});
  static_assert(interleave_gain(4, rational{2}) == rational{1});
  rational least{1'000};
  rational most{0};
  for (const auto& row : takt::self_interleave_table) {
    CHECK(row.smallest() >= rational{1});
    // "Relatively stable": within five hundredths over all SM counts.
    CHECK(row.largest() - row.smallest() <= rational{5, 100});
    const rational low = interleave_gain(2, row.largest());
    const rational high = interleave_gain(2, row.smallest());
    least = low < least ? low : least;
    most = most < high ? high : most;
    CHECK_FALSE(takt::self_interleave(row.largest()).any_neighbour);
  }
  CHECK(percent(least) == 11);
  CHECK(percent(most) == 64);
}

TEST_CASE("a gain of 81 per cent follows from no entry of the table" * takt_tests::traces("RTGPU-32")) {
  for (const auto& row : takt::self_interleave_table) {
    for (const rational ratio : row.ratio) { CHECK(percent(interleave_gain(2, ratio)) < 81); }
  }
  CHECK(percent(interleave_gain(2, rational{110, 100})) == 82);
  CHECK(percent(interleave_gain(2, rational{111, 100})) == 80);
}
