// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/model/bus_congestion.hpp>
#include <takt/model/copy_chunks.hpp>
#include <takt/model/task_set.hpp>
#include "support/traces.hpp"

using namespace takt::literals;
using takt::bus_congestion;
using takt::copy_chunks;
using takt::duration;

namespace {

/// 1 us and 1 to 2 ns per byte.
constexpr takt::copy_model link{{1_us, 1_us}, 500'000'000, 1'000'000'000};

}  // namespace

TEST_CASE("chunks are those of repeated subtraction, for every size and chunk" * takt_tests::traces("GSD-75")) {
  for (std::int64_t bytes = 0; bytes <= 40; ++bytes) {
    for (std::int64_t chunk = 1; chunk <= 42; ++chunk) {
      const copy_chunks split{bytes, chunk};
      REQUIRE(split.valid());
      std::vector<std::int64_t> sizes;
      for (std::int64_t rest = bytes; rest > 0; rest -= sizes.back()) { sizes.push_back(rest < chunk ? rest : chunk); }
      REQUIRE(split.count() == static_cast<std::int64_t>(sizes.size()));
      duration least;
      duration most;
      for (std::int64_t i = 0; i < split.count(); ++i) {
        REQUIRE(split.size(i) == sizes[static_cast<std::size_t>(i)]);
        REQUIRE(split.time(link, i).upper <= split.longest(link).upper);
        least = least + split.time(link, i).lower;
        most = most + split.time(link, i).upper;
      }
      REQUIRE(split.time(link) == takt::interval<duration>{least, most});
    }
  }
}

TEST_CASE("chunks of large copies stay exact, and wrong sizes are refused" * takt_tests::traces("GSD-75")) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  constexpr copy_chunks split{largest, largest - 1};
  static_assert(split.count() == 2 && split.size(0) == largest - 1 && split.size(1) == 1);
  CHECK(copy_chunks{largest, 1}.count() == largest);
  CHECK(copy_chunks{largest, 1}.size(largest - 1) == 1);
  CHECK(copy_chunks{largest, 1}.time(link).upper == duration::max());

  for (const copy_chunks wrong : {copy_chunks{-1, 4}, copy_chunks{4, 0}, copy_chunks{4, -4}}) {
    CHECK_FALSE(wrong.valid());
    CHECK(wrong.count() == 0);
    CHECK(wrong.bytes() == 0);
  }
  CHECK(copy_chunks{}.valid());
  CHECK(copy_chunks{}.count() == 0);
  CHECK(copy_chunks{0, 4}.valid());
  CHECK(copy_chunks{0, 4}.count() == 0);
  CHECK(copy_chunks{0, 4}.longest(link) == takt::interval<duration>{});
}

TEST_CASE("congestion stretches the longest time of a copy by a factor, rounded up" * takt_tests::traces("GSD-76")) {
  constexpr bus_congestion third_more{4, 3};
  CHECK(third_more.time({10_ns, 30_ns}) == takt::interval<duration>{10_ns, 40_ns});
  CHECK(third_more.time({10_ns, 31_ns}) == takt::interval<duration>{10_ns, 42_ns});
  CHECK(bus_congestion{}.time({10_ns, 31_ns}) == takt::interval<duration>{10_ns, 31_ns});

  takt::random_stream random{76};
  for (int round = 0; round < 2'000; ++round) {
    const bus_congestion factor{random.between(50, 400), random.between(1, 50)};
    const std::int64_t time = random.between(0, 1'000'000);
    const std::int64_t stretched = factor.time({0_ns, duration{time}}).upper.count();
    REQUIRE(stretched * factor.denominator >= time * factor.numerator);
    REQUIRE((stretched - 1) * factor.denominator < time * factor.numerator);
  }
}

TEST_CASE("a congested copy enters a task set with its stretched length" * takt_tests::traces("GSD-76")) {
  constexpr bus_congestion doubled{2, 1};
  constexpr auto tasks = takt::task_set(takt::task("t", takt::period(1_ms), takt::cpu(1_us),
                                                   doubled.segment(link.segment(1'000, takt::to_device)),
                                                   takt::kernel(takt::work(1_us, 1_us)), takt::cpu(1_us)));
  constexpr auto table = tasks.table<takt::ticks>();
  static_assert(table.segment(0, 1).time.lower == 2'000);
  static_assert(table.segment(0, 1).time.upper == 6'000);
  CHECK(table.segment(0, 1).direction == takt::to_device);
}

TEST_CASE("a congestion factor that is below one or overflows yields a bound that no deadline passes") {
  for (const bus_congestion wrong : {bus_congestion{1, 2}, bus_congestion{1, 0}, bus_congestion{-2, -1}}) {
    CHECK_FALSE(wrong.valid());
    CHECK(wrong.time({1_ns, 2_ns}).upper == duration::max());
  }
  CHECK(bus_congestion{3, 1}.time({1_ns, duration::max()}).upper == duration::max());
  const bus_congestion large{std::numeric_limits<std::int64_t>::max(), 3};
  CHECK(large.time({1_ns, 2_ns}).upper == duration::max());
}
