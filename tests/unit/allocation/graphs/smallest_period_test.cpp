// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <memory>

#include <takt/allocation/smallest_period.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/systems/graphs/analysis/coarse.hpp>
#include <takt/systems/graphs/analysis/fine.hpp>
#include <takt/systems/graphs/figures/hog.hpp>
#include "support/traces.hpp"

namespace {

namespace an = takt::analysis;
namespace gen = takt::generation;
using takt::period_search;
using takt::ticks;

constexpr ticks ms = 1'000'000;
const takt::graph_platform board = [] {
  takt::graph_platform p;
  p.clusters.unchecked_push_back(16);
  p.sms = 80;
  p.threads_per_sm = 2048;
  return p;
}();

template <class Test>
auto search(const Test& bounded, ticks most = 100 * ms) -> period_search {
  const auto graphs = std::make_unique<gen::hog_table<1>>(gen::hog_graphs<1>());
  const period_search found = takt::smallest_period(*graphs, ms, most, bounded);
  if (found.found) {
    CHECK(graphs->graphs[0].period == found.period);
    CHECK(bounded(*graphs));
    graphs->graphs[0].period = found.period - ms;
    CHECK_FALSE(bounded(*graphs));
  }
  return found;
}

const auto fine = [](const gen::hog_table<1>& graphs) {
  using refined = takt::refined_table<gen::hog_table<1>>;
  const auto table = std::make_unique<refined>(takt::refine(graphs));
  return an::fine_bounds(*table, board).bounded();
};

auto grain(an::graph_grain g) {
  return [g](const gen::hog_table<1>& graphs) {
    return std::make_unique<an::coarse_timing<ticks, gen::hog_nodes, gen::hog_edges, 1>>(
               an::coarse_bounds(graphs, board, {.grain = g}))
        ->timing.bounded();
  };
}

}  // namespace

TEST_CASE("the smallest supportable period shrinks from whole graphs over coarse to fine nodes" *
          takt_tests::traces("OVX-15")) {
  const auto whole = search(grain(an::graph_grain::graph));
  const auto coarse = search(grain(an::graph_grain::node));
  const auto by_nodes = search(fine);
  REQUIRE(whole.found);
  REQUIRE(coarse.found);
  REQUIRE(by_nodes.found);
  CHECK(by_nodes.period < coarse.period);
  CHECK(coarse.period < whole.period);
  CHECK(coarse.period < 33 * ms);
  CHECK(whole.period > 33 * ms);
}

TEST_CASE("where no period up to the longest is supported there is none" * takt_tests::traces("OVX-15")) {
  CHECK_FALSE(search(grain(an::graph_grain::graph), 30 * ms).found);
}
