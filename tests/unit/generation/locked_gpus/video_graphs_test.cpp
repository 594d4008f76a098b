// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <doctest/doctest.h>

#include <takt/systems/locked_gpus/figures/video_graphs.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>
#include <takt/systems/locked_gpus/tasks/requests.hpp>
#include <takt/systems/locked_gpus/tasks/validate.hpp>
#include "support/traces.hpp"

namespace {

namespace generation = takt::generation;
using takt::ticks;

TEST_CASE("seventeen graphs of eleven nodes have the periods and priorities of Table 5.2" *
          takt_tests::traces("GSA-49")) {
  const auto v = generation::make_video_graphs();
  REQUIRE(v.graphs.graphs.size() == 17);
  REQUIRE(v.tasks.size() == 17 * 11);
  std::map<ticks, std::vector<std::int32_t>> priorities;
  for (std::size_t g = 0; g < 17; ++g) {
    const auto& graph = v.graphs.graphs[g];
    CHECK(graph.nodes == 11);
    CHECK(graph.first_node == 11 * g);
    priorities[graph.period / 1'000'000].push_back(v.base_priorities[g]);
    for (std::size_t n = graph.first_node; n < graph.first_node + 11; ++n) {
      CHECK(v.tasks.tasks[n].period == graph.period);
      CHECK(v.tasks.tasks[n].deadline == graph.period);
      CHECK(v.tasks.tasks[n].name == generation::video_node_names[n % 11]);
    }
  }
  CHECK(priorities == std::map<ticks, std::vector<std::int32_t>>{{20, {75, 75}},
                                                                 {30, {60, 60}},
                                                                 {40, {45, 45}},
                                                                 {60, {30, 30, 30, 30, 30}},
                                                                 {80, {15, 15, 15, 15}},
                                                                 {100, {1, 1}}});
}

TEST_CASE("on average the graphs keep CPUs and the execution engine as busy as was measured" *
          takt_tests::traces("GSA-49")) {
  const auto v = generation::make_video_graphs({.spread_percent = 0});
  takt::gpusync_board<> board;
  board.shape = {.cpus = 6, .cpu_cluster_size = 6, .scheduler = takt::cpu_scheduler::earliest_deadline};
  board.costs = generation::video_copy_costs({.spread_percent = 0});
  CHECK(!takt::validate_gpusync(board, v.tasks));
  double cpus = 0;
  double engine = 0;
  double section = 0;  // of one frame
  for (std::size_t n = 0; n < v.tasks.size(); ++n) {
    const auto& t = v.tasks.tasks[n];
    const auto period = static_cast<double>(t.period);
    cpus += static_cast<double>(t.wcet) / period;
    engine += static_cast<double>(t.gpu_time()) / period;
    const auto own = takt::requests_of(board.configuration(), board.costs, t);
    if (n < 11) { section += static_cast<double>(t.cpu_in_gpu_section + own.kernel_time + own.copy_time()); }
  }
  CHECK(cpus == doctest::Approx(5.76).epsilon(0.001));
  CHECK(engine == doctest::Approx(0.66).epsilon(0.001));
  CHECK(section == doctest::Approx(4.36e6).epsilon(0.01));
}

TEST_CASE("longest times are above the average ones by the spread, and CPU time can be scaled alone" *
          takt_tests::traces("GSA-49")) {
  const auto plain = generation::make_video_graphs({.spread_percent = 0});
  const auto spread = generation::make_video_graphs({.spread_percent = 20, .cpu_percent = 50});
  for (std::size_t n = 0; n < plain.tasks.size(); ++n) {
    const auto& a = plain.tasks.tasks[n];
    const auto& b = spread.tasks.tasks[n];
    CHECK(b.gpu_time() * 5 == a.gpu_time() * 6);
    CHECK(b.cpu_in_gpu_section * 5 == a.cpu_in_gpu_section * 6);
    CHECK((b.wcet - b.cpu_in_gpu_section) * 5 == (a.wcet - a.cpu_in_gpu_section) * 3);
  }
}

TEST_CASE("data flow leads from the frame that is read to the one that is shown, and one frame into the past" *
          takt_tests::traces("GSA-49")) {
  const auto v = generation::make_video_graphs();
  for (std::size_t g = 0; g < 17; ++g) {
    const auto& graph = v.graphs.graphs[g];
    std::array<std::int32_t, 11> depth{};
    std::array<std::size_t, 11> in{};
    std::array<std::size_t, 11> out{};
    std::size_t past = 0;
    for (std::size_t e = graph.first_edge; e < graph.first_edge + graph.edges; ++e) {
      const auto& edge = v.graphs.edges[e];
      const std::size_t from = edge.from - graph.first_node;
      const std::size_t to = edge.to - graph.first_node;
      REQUIRE(from < to);  // so nodes are in topological order
      past += edge.lag == 1 ? 1 : 0;
      ++in[to];
      ++out[from];
      if (edge.lag == 0) { depth[to] = std::max(depth[to], depth[from] + 1); }
    }
    CHECK(past == 3);
    CHECK(depth[10] == 8);
    for (std::size_t n = 0; n < 11; ++n) {
      CHECK((in[n] == 0) == (n == 0));
      CHECK((out[n] == 0) == (n == 10));
    }
  }
}

}  // namespace
