// EXPECT: takt: two edges bring tokens to a node at different rates
// SPDX-License-Identifier: Apache-2.0
#include <takt/rules/graph/rate_based.hpp>

constexpr auto make(std::int64_t produce) {
  takt::pgm_table<takt::ticks, 4, 4> graph;
  graph.nodes.unchecked_push_back({.name = "a", .arrivals = 1, .window = 10});
  for (const auto* name : {"b", "c", "d"}) { graph.nodes.unchecked_push_back({.name = name}); }
  graph.edges.unchecked_push_back({.from = 0, .to = 1});
  graph.edges.unchecked_push_back({.from = 0, .to = 2, .produce = produce});
  graph.edges.unchecked_push_back({.from = 1, .to = 3});
  graph.edges.unchecked_push_back({.from = 2, .to = 3});
  return graph;
}
#ifdef TAKT_FIXED
constexpr auto rates = takt::derive_rates(make(1));
#else
constexpr auto rates = takt::derive_rates(make(2));
#endif
