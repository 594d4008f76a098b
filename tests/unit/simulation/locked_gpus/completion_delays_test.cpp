// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <takt/systems/locked_gpus/simulation/completion_delays.hpp>
#include "support/traces.hpp"

namespace {

namespace simulation = takt::simulation;
using simulation::delay_summary;
using takt::ticks;

TEST_CASE("completion delays of a schedule made by hand: longest, percentiles, median, mean and deviation" *
          takt_tests::traces("GSA-49")) {
  // Delays 8, 14, 2, 16: mean 10, squares of the distances 4 + 16 + 64 + 36 = 120, variance 30.
  constexpr std::array<ticks, 5> at{5, 13, 27, 29, 45};
  CHECK(simulation::summarize_delays(at, 10, 0, 60) == delay_summary{.expected = 6,
                                                                     .completed = 5,
                                                                     .dropped = 1,
                                                                     .longest = 16,
                                                                     .longest_of_999 = 16,
                                                                     .longest_of_990 = 16,
                                                                     .median = 8,
                                                                     .mean = 10,
                                                                     .deviation = 5});
  // From 5 on, which does not count itself, to 29, which does: delays 14 and 2.
  CHECK(simulation::summarize_delays(at, 10, 5, 29) == delay_summary{.expected = 2,
                                                                     .completed = 3,
                                                                     .dropped = 0,
                                                                     .longest = 14,
                                                                     .longest_of_999 = 14,
                                                                     .longest_of_990 = 14,
                                                                     .median = 2,
                                                                     .mean = 8,
                                                                     .deviation = 6});
  CHECK(simulation::summarize_delays(at, 10, 30, 60) == delay_summary{.expected = 3, .completed = 1, .dropped = 2});
  CHECK(simulation::summarize_delays({}, 10, 0, 9) == delay_summary{});
}

TEST_CASE("percentiles of completion delays are the least values that so many are not above" *
          takt_tests::traces("GSA-49")) {
  std::vector<ticks> at{0};
  for (ticks d = 1; d <= 2000; ++d) { at.push_back(at.back() + (d * 7) % 2001); }  // delays 1 to 2000 in another order
  const auto s = simulation::summarize_delays(at, 1000, -1, at.back());
  CHECK(s.longest == 2000);
  CHECK(s.longest_of_999 == 1998);
  CHECK(s.longest_of_990 == 1980);
  CHECK(s.median == 1000);
  CHECK(s.mean == 1000);      // 1000.5
  CHECK(s.deviation == 577);  // sqrt((2000^2 - 1) / 12) = 577.35
  CHECK(s.completed == 2001);
}

TEST_CASE("a graph that is scheduled within its deadlines has delays from e to 2p - e" * takt_tests::traces("GSA-49")) {
  constexpr std::array<ticks, 4> early_and_late{3, 20, 23, 40};  // e = 3, p = 10
  const auto s = simulation::summarize_delays(early_and_late, 10, 0, 40);
  CHECK(s.longest == 17);
  CHECK(s.median == 17);
  CHECK(s.dropped == 0);
}

TEST_CASE("delays are averaged over periods with every graph alike, drops over all frames" *
          takt_tests::traces("GSA-49")) {
  const std::array<delay_summary, 2> graphs{
      delay_summary{
          .expected = 1000, .completed = 900, .dropped = 100, .longest = 40, .median = 10, .mean = 12, .deviation = 3},
      delay_summary{.expected = 3000, .completed = 3000, .longest = 60, .median = 30, .mean = 30, .deviation = 6}};
  constexpr std::array<ticks, 2> periods{10, 30};
  const auto a = simulation::average(graphs, periods);
  CHECK(a.dropped == 25'000);  // 100 of 4000, and not the mean of 10 % and 0 %
  CHECK(a.longest == 3'000'000);
  CHECK(a.median == 1'000'000);
  CHECK(a.mean == 1'100'000);
  CHECK(a.deviation == 250'000);
  CHECK(simulation::average({}, {}).dropped == 0);
}

TEST_CASE("the tail distribution counts what is above a latency, and falls from all to nothing" *
          takt_tests::traces("GSA-50")) {
  constexpr std::array<ticks, 6> latencies{2, 3, 3, 5, 8, 9};
  const std::vector<std::int64_t> tail{6, 6, 5, 3, 3, 2, 2, 2, 1, 0};
  for (std::size_t x = 0; x < tail.size(); ++x) {
    CAPTURE(x);
    CHECK(simulation::count_above(latencies, static_cast<ticks>(x)) == tail[x]);
  }
}

TEST_CASE("roots of sums of squares are exact" * takt_tests::traces("GSA-49")) {
  using wide = simulation::detail::wide_sum;
  for (const std::uint64_t r : {0ULL, 1ULL, 2ULL, 577ULL, 4'294'967'295ULL, 1'152'921'504'606'846'975ULL}) {
    const wide square = static_cast<wide>(r) * r;
    CHECK(simulation::detail::floor_root(square) == r);
    CHECK(simulation::detail::floor_root(square + 2 * static_cast<wide>(r)) == r);
    if (r > 0) { CHECK(simulation::detail::floor_root(square - 1) == r - 1); }
  }
}

}  // namespace
