// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/allocation/analyze.hpp>
#include <takt/core/random.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/simulation/graph/simulate.hpp>
#include <takt/systems/graphs/plans/judge.hpp>
#include <takt/systems/methods.hpp>

#include "support/runtime_sets.hpp"
#include "support/same_verdict.hpp"

using namespace takt_tests;
using namespace takt::literals;

namespace {

using table = takt::graph_table<ticks, 12, 40, 2>;
constexpr std::array<std::string_view, 12> names{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};

[[nodiscard]] constexpr auto board(std::int32_t cpus, std::int32_t engines) -> takt::hardware {
  takt::hardware out;
  out.processors = cpus;
  out.copy_engines = engines;
  out.gpus.unchecked_push_back({.sms = 3, .virtual_per_sm = 2, .threads_per_sm = 256, .blocks_per_sm = 4});
  return out;
}

[[nodiscard]] auto random_graphs(std::uint64_t seed) -> table {
  takt::random_stream random{seed};
  table out;
  for (int g = 0; g < 2; ++g) {
    out.add_graph(g == 0 ? "left" : "right", random.between(40, 120), 0);
    const auto first = static_cast<std::uint32_t>(out.nodes.size());
    const auto count = static_cast<std::uint32_t>(random.between(1, 6));
    for (std::uint32_t v = 0; v < count; ++v) {
      takt::graph_node<ticks> n;
      n.name = names[first + v];
      n.point = random.between(0, 20);
      n.parallelism = random.chance(1, 3) ? random.between(1, 3) : takt::unrestricted_parallelism;
      n.kind = static_cast<takt::node_kind>(random.between(0, 2));
      n.wcet = n.kind == takt::node_kind::kernel ? 0 : random.between(0, 15);
      if (n.kind == takt::node_kind::kernel) {
        n.parallelism = takt::unrestricted_parallelism;
        n.blocks = random.between(1, 9);
        n.block_threads = static_cast<std::int32_t>(random.between(1, 4)) * 32;
        n.block_length = random.between(1, 4);
        n.split = random.chance(1, 2);
        n.launch = n.split ? random.between(0, 2) : 0;
        n.await = n.split ? random.between(0, 2) : 0;
      }
      out.add_node(n);
      for (std::uint32_t w = 0; w < v; ++w) {
        if (random.chance(1, 3)) { out.add_edge(first + w, first + v); }
      }
    }
    if (random.chance(1, 2)) {
      out.add_edge(first + count - 1, first, static_cast<std::int32_t>(random.between(4, 9)));
    }
  }
  return out;
}

/// Nodes of the refined graph, sources and sinks among them, are visits of the described one.
template <class Rule>
auto check_same(const table& graphs, const Rule& rule, std::int32_t cpus, std::int32_t engines) -> bool {
  const auto described = runtime_of(takt::refine(graphs, takt::copy_placement::engine));
  const auto cluster = takt::pool(takt::processors(cpus), rule);
  const auto blocks = takt::pool(takt::block_slots(3, 256, 4), takt::fifo_blocks(takt::per_job_streams, takt::guarded));
  const auto found = takt::judge_graphs(described, board(cpus, engines), rule);
  if (engines > 0) {
    const auto copies = takt::pool(takt::copy_engines(engines), takt::fifo);
    check_same_verdict(found,
                       takt::analysis::analyze_by<takt::published>(takt::platform(cluster, blocks, copies), graphs));
  } else {
    check_same_verdict(found, takt::analysis::analyze_by<takt::published>(takt::platform(cluster, blocks), graphs));
  }
  check_same_verdict(takt::judge_graphs(described, board(cpus, engines), rule, cpus, found.plan), found);
  return found.bounded();
}

/// Whether no run of the graphs under the plan of their bounds goes beyond these.
template <class Rule>
auto holds_in_runs(const table& graphs, const Rule& rule, std::int32_t cpus, std::int32_t engines, std::uint64_t seed)
    -> bool {
  const auto described = runtime_of(takt::refine(graphs, takt::copy_placement::engine));
  const auto found = takt::judge_graphs(described, board(cpus, engines), rule);
  if (!found.bounded()) { return true; }
  const auto on_board = takt::graphs_of(described, board(cpus, engines), rule);
  const auto p = on_board.plan_of_nodes(found);
  bool good = true;
  for (const auto releases : {takt::release_pattern::adversarial, takt::release_pattern::sporadic}) {
    takt::simulation_options options{.horizon = takt::duration{4'000}, .releases = releases};
    options.execution = takt::execution_times::upper;
    options.seed = seed;
    takt::null_recorder silent;
    const auto seen = takt::simulation::simulate_planned_graphs(on_board.table, on_board.board.sizes, Rule::policy,
                                                                true, p, options, silent);
    REQUIRE_FALSE(seen.error);
    for (std::size_t i = 0; i < found.tasks.size(); ++i) {
      good = good && seen.tasks[i].worst_response <= found.tasks[i].bound.value;
    }
  }
  return good;
}

using small = takt::runtime_task_set<2, 8>;

}  // namespace

TEST_CASE("no run of described graphs under the plan of their bounds goes beyond these") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    const auto cpus = static_cast<std::int32_t>(1 + seed % 4);
    const auto engines = static_cast<std::int32_t>(seed % 3);
    CHECK(holds_in_runs(random_graphs(seed), takt::g_edf, cpus, engines, seed));
    CHECK(holds_in_runs(random_graphs(seed), takt::g_fl, cpus, engines, seed));
  }
}

TEST_CASE("graphs have the same bounds, offsets and jobs at a time as a described workload") {
  std::size_t bounded = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    const table graphs = random_graphs(seed);
    const auto cpus = static_cast<std::int32_t>(1 + seed % 4);
    const auto engines = static_cast<std::int32_t>(seed % 3);
    bounded += check_same(graphs, takt::g_edf, cpus, engines) ? 1U : 0U;
    bounded += check_same(graphs, takt::g_fl, cpus, engines) ? 1U : 0U;
    bounded += check_same(graphs, takt::g_fifo, cpus, engines) ? 1U : 0U;
    bounded += check_same(graphs, takt::gel, cpus, engines) ? 1U : 0U;
    bounded += check_same(graphs, takt::nonpreemptive(takt::g_edf), cpus, engines) ? 1U : 0U;
  }
  CHECK(bounded > 200);
}

TEST_CASE("typed graphs that are described have their bounds") {
  constexpr auto graphs = takt::graph_set(
      takt::graph("camera", takt::period(33_ms), takt::node("grab", takt::cpu(4_ms)),
                  takt::node("detect", takt::kernel(takt::grid(24, 512), takt::block_length(1500_us),
                                                    takt::launch(200_us), takt::await(100_us))),
                  takt::node("track", takt::cpu(6_ms)), takt::edge("grab", "detect"), takt::edge("detect", "track")));
  const auto typed = takt::analysis::analyze_by<takt::published>(
      takt::platform(takt::pool(takt::processors(6), takt::clustered(takt::g_fl, 3)),
                     takt::pool(takt::block_slots(6, 2048), takt::fifo_blocks(takt::per_job_streams, takt::guarded))),
      graphs);
  REQUIRE(typed.bounded());
  const auto described = takt::to_runtime_tasks(graphs);
  REQUIRE_FALSE(described.error);
  takt::hardware board;
  board.processors = 6;
  board.gpus.unchecked_push_back({.sms = 6, .virtual_per_sm = 2, .threads_per_sm = 2048});
  const auto found = takt::judge_graphs(described.tasks, board, takt::g_fl, 3);
  REQUIRE(found.bounded());
  CHECK(found.tasks[0].bound.value == typed.tasks[0].bound.value);
  CHECK(found.visits.size() == 5);
  CHECK(found.plan.offsets.size() == 5);
}

TEST_CASE("a plan that starts a visit too early is refused, and one with sinks of its own is taken") {
  runtime_builder<small> b;
  b.task({.name = "fork", .period = 100, .deadline = 250}).cpu(1, 10).cpu(1, 20).cpu(1, 30);
  auto tasks = b.done();
  tasks.visits[0].name = "a";
  tasks.visits[1].name = "b";
  tasks.visits[2].name = "c";
  tasks.visits[2].predecessors = 1;
  for (auto& v : tasks.visits) { v.parallelism = 0; }
  const auto found = takt::judge_graphs(tasks, board(2, 0), takt::g_edf);
  REQUIRE(found.schedulable());
  CHECK(found.tasks[0].deadline == 250);
  auto later = found.plan;
  later.offsets[2] += 5;
  const auto moved = takt::judge_graphs(tasks, board(2, 0), takt::g_edf, 0, later);
  REQUIRE(moved.schedulable());
  CHECK(moved.tasks[0].bound.value == found.tasks[0].bound.value + 5);
  auto early = found.plan;
  early.offsets[2] = 0;
  const auto refused = takt::judge_graphs(tasks, board(2, 0), takt::g_edf, 0, early);
  CHECK(refused.error.fault == takt::model_fault::plan_does_not_fit);
}

TEST_CASE("a graph is held to the deadline that it has, after the period, too") {
  runtime_builder<small> b;
  b.task({.name = "long", .period = 40}).cpu(1, 30).cpu(1, 30);
  auto tasks = b.done();
  for (auto& v : tasks.visits) { v.parallelism = 0; }
  tasks.tasks[0].limited = false;
  const auto found = takt::judge_graphs(tasks, board(2, 0), takt::g_edf);
  REQUIRE(found.schedulable());
  const ticks bound = found.tasks[0].bound.value;
  CHECK(bound > 40);
  tasks.tasks[0].limited = true;
  tasks.tasks[0].deadline = bound;
  CHECK(takt::judge_graphs(tasks, board(2, 0), takt::g_edf).schedulable());
  tasks.tasks[0].deadline = bound - 1;
  const auto missed = takt::judge_graphs(tasks, board(2, 0), takt::g_edf);
  CHECK(missed.status == takt::verdict_status::not_proven);
  CHECK(missed.why == takt::obstacle::deadline);
}

TEST_CASE("facts that a queue of blocks needs are named") {
  runtime_builder<small> b;
  b.task({.name = "a", .period = 100}).cpu(1, 10).work(0, 10);
  auto tasks = b.done();
  const auto error = [&] { return takt::judge_graphs(tasks, board(2, 0), takt::g_edf).error; };
  CHECK(error() == takt::fault_at(takt::model_fault::visit_time_unknown, 0, 1));
  CHECK(error().lacks.first == visit_fact::grid);
  tasks.visits[1].known.add(visit_fact::grid);
  tasks.visits[1].blocks = 4;
  tasks.visits[1].threads = 32;
  CHECK(error().lacks.first == visit_fact::block_length);
  tasks.visits[1].known.add(visit_fact::block_length);
  tasks.visits[1].block_length = 5;
  CHECK_FALSE(error());
  tasks.visits[1].threads = 512;
  CHECK(error() == takt::fault_at(takt::model_fault::kernel_shape_out_of_range, 0, 1));
  tasks.visits[1].threads = 32;
  tasks.tasks[0].core = 7;
  CHECK(error() == takt::fault_at(takt::model_fault::cluster_out_of_range, 0));
}
