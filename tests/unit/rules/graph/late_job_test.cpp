// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/number.hpp>
#include <takt/rules/graph/late_job.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>

namespace sim = takt::simulation;
using takt::comes_late;
using takt::ticks;

TEST_CASE("a job comes late once its inputs come after its nominal release") {
  CHECK_FALSE(comes_late({.since = 20, .invoked = 0}, 20, 10));
  CHECK(comes_late({.since = 21, .invoked = 0}, 20, 10));
  CHECK_FALSE(comes_late({.since = 21, .invoked = 0, .in_turn = true}, 20, 10));
  CHECK_FALSE(comes_late({.since = 29, .invoked = 29}, 20, 10));
  CHECK(comes_late({.since = 30, .invoked = 30}, 20, 10));
  CHECK(comes_late({.since = 22, .invoked = 21}, 20, 10));
}

namespace {

/// A node of 4 every 10 for another one on a cluster of its own, which is nominally released `offset` after the
/// invocation and does one job at a time in `second`.
[[nodiscard]] auto pair_of_nodes(ticks offset, ticks second) -> sim::graph_workload<ticks> {
  sim::graph_workload<ticks> out{
      .clusters = {1, 1}, .steps = {{.length = 4}, {.length = second}}, .tasks = {}, .dependencies = {}, .clocks = {0}};
  out.tasks.push_back({.steps = 1, .clock = 0, .period = 10});
  out.tasks.push_back({.first_step = 1,
                       .steps = 1,
                       .cluster = 1,
                       .parallelism = 1,
                       .clock = 0,
                       .period = 10,
                       .offset = offset,
                       .is_sink = true});
  out.dependencies.push_back({.from = 0, .to = 1});
  return out;
}

}  // namespace

TEST_CASE("bounds are void where inputs of a node with restricted parallelism come late, and not while it is busy") {
  const sim::invocations<ticks> releases{{0, 10, 20}};
  const auto late = sim::simulate_graphs(pair_of_nodes(3, 2), releases);
  REQUIRE(late.ok());
  REQUIRE(late.void_bounds.size() == 3);
  CHECK(late.void_bounds[0] == takt::host::time_span{3, 6});
  const auto busy = sim::simulate_graphs(pair_of_nodes(4, 12), releases);
  REQUIRE(busy.ok());
  CHECK(busy.responses[0] == std::vector<ticks>{16, 18, 20});
  CHECK(busy.void_bounds.empty());
}
