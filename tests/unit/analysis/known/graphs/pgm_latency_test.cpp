// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>

#include <takt/core/rational.hpp>
#include <takt/systems/graphs/analysis/pgm_latency.hpp>

namespace {

using takt::rational;
using pgm = takt::pgm_table<rational, 3, 2>;

/// A source of so many jobs in any window of 12, whose tokens are taken three at a time, and then in pairs.
auto three_nodes(std::int64_t arrivals) -> pgm {
  pgm g;
  REQUIRE(g.nodes.try_push_back({.name = "a", .arrivals = arrivals, .window = 12, .wcet = 1}));
  REQUIRE(g.nodes.try_push_back({.name = "b", .wcet = 1}));
  REQUIRE(g.nodes.try_push_back({.name = "c", .wcet = 1}));
  REQUIRE(g.edges.try_push_back({.from = 0, .to = 1, .produce = 4, .consume = 3, .threshold = 3}));
  REQUIRE(g.edges.try_push_back({.from = 1, .to = 2, .produce = 2, .consume = 4, .threshold = 4}));
  return g;
}

auto latencies(std::int64_t arrivals, std::array<rational, 3> responses) {
  const pgm g = three_nodes(arrivals);
  const auto rates = takt::derive_rates(g);
  REQUIRE_FALSE(rates.error);
  return takt::analysis::end_to_end_latencies(g, rates, responses);
}

}  // namespace

TEST_CASE("a token waits for those of its burst and of its job, and then for each response on its way") {
  // Four tokens of a job are taken in threes: the last one of them may wait for 3/4 of a period. Pairs fill a job.
  CHECK(latencies(1, {0, 0, 0}) == std::array<rational, 3>{0, 9, 9});
  CHECK(latencies(1, {2, 3, 5}) == std::array<rational, 3>{2, 14, 19});
  // Two jobs of a burst are shaped to one in six.
  CHECK(latencies(2, {0, 0, 0}) == std::array<rational, 3>{6, rational{21, 2}, rational{21, 2}});
}
