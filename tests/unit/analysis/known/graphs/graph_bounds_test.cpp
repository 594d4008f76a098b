// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include <doctest/doctest.h>

#include <takt/allocation/analyze.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/model/platform.hpp>
#include <takt/report/fault_text.hpp>
#include <takt/systems/graphs/analysis/buffers.hpp>
#include <takt/systems/graphs/analysis/coarse.hpp>
#include <takt/systems/graphs/analysis/cycles.hpp>
#include <takt/systems/graphs/analysis/fine.hpp>
#include <takt/systems/methods.hpp>
#include "support/traces.hpp"

namespace {

namespace an = takt::analysis;
using namespace takt::literals;
using takt::node_kind;
using takt::rational;
using graphs = takt::graph_table<rational, 12, 16, 4>;
using refined = takt::refined_table<graphs>;
using node = takt::graph_node<rational>;

[[nodiscard]] auto cpu(std::string_view name, std::int64_t wcet) -> node {
  node n;
  n.name = name;
  n.wcet = rational{wcet};
  return n;
}
[[nodiscard]] auto kernel(std::string_view name, std::int64_t length, std::int64_t blocks, std::int32_t threads)
    -> node {
  node n;
  n.name = name;
  n.kind = node_kind::kernel;
  n.block_length = rational{length};
  n.blocks = blocks;
  n.block_threads = threads;
  return n;
}
[[nodiscard]] auto split(node n, std::int64_t launch, std::int64_t await) -> node {
  n.split = true;
  n.launch = rational{launch};
  n.await = rational{await};
  return n;
}

[[nodiscard]] auto on(std::int32_t processors, std::int32_t sms = 2, std::int32_t threads = 2048)
    -> takt::graph_platform {
  takt::graph_platform p;
  p.clusters.unchecked_push_back(processors);
  p.sms = sms;
  p.threads_per_sm = threads;
  return p;
}

/// Yang et al. 2018, Figure 3, as its text describes it: t5 is the kernel.
[[nodiscard]] auto second_graph() -> graphs {
  graphs t;
  t.add_graph("G2", rational{5});
  t.add_node(cpu("t1", 2));
  t.add_node(cpu("t2", 1));
  t.add_node(cpu("t3", 4));
  t.add_node(split(kernel("t5", 2, 4, 1024), 1, 1));
  t.add_node(cpu("t7", 3));
  for (const auto& [from, to] : {std::pair{0U, 1U}, {1U, 2U}, {1U, 3U}, {2U, 4U}, {3U, 4U}}) { t.add_edge(from, to); }
  return t;
}

constexpr an::fine_options published{.kernels = an::kernel_bound::separated};

[[nodiscard]] auto with(takt::gel_policy policy, an::point_shift shift = an::point_shift::to_zero) -> an::fine_options {
  return {.policy = policy, .shift = shift, .kernels = an::kernel_bound::separated};
}

}  // namespace

TEST_CASE("Example 1: offsets 0, 9, 9, 16 and an end-to-end bound of 25" * takt_tests::traces("OVX-02 OVX-03")) {
  graphs t;
  t.add_graph("G1", rational{10});
  for (const auto* name : {"1", "2", "3", "4"}) { t.add_node(cpu(name, 1)); }
  for (const auto& [from, to] : {std::pair{0U, 1U}, {0U, 2U}, {1U, 3U}, {2U, 3U}}) { t.add_edge(from, to); }
  an::timing_of<graphs> timing;
  const std::array<std::int64_t, 4> responses{9, 5, 7, 9};
  for (std::size_t v = 0; v < 4; ++v) { timing.response[v] = rational{responses[v]}; }
  REQUIRE(an::detail::set_offsets(t, 0, timing) == takt::obstacle::none);
  const std::array<std::int64_t, 4> offsets{0, 9, 9, 16};
  for (std::size_t v = 0; v < 4; ++v) { CHECK(timing.offset[v] == rational{offsets[v]}); }
  CHECK(timing.end_to_end[0] == rational{25});
}

TEST_CASE("every node is bounded as a sporadic task of the graph's period: the second example on four CPUs" *
          takt_tests::traces("OVX-02")) {
  const auto table = takt::refine(second_graph());
  const auto fl = an::fine_bounds(table, on(4), published);
  REQUIRE(fl.bounded());
  const rational cpu_bound{37, 5};
  const std::array<rational, 7> offsets{rational{0},      rational{37, 5},  rational{74, 5}, rational{74, 5},
                                        rational{111, 5}, rational{136, 5}, rational{173, 5}};
  for (std::size_t v = 0; v < 7; ++v) {
    CHECK(fl.response[v] == (v == 4 ? rational{5} : cpu_bound));
    CHECK(fl.offset[v] == offsets[v]);
  }
  CHECK(fl.end_to_end[0] == rational{42});
  CHECK(an::buffer_sizes(table, fl).instances[0] == 9);

  const auto edf = an::fine_bounds(table, on(4), with(takt::gel_policy::earliest_deadline));
  const std::array<rational, 7> responses{rational{13, 2}, rational{23, 4}, rational{8},    rational{23, 4},
                                          rational{5},     rational{23, 4}, rational{29, 4}};
  for (std::size_t v = 0; v < 7; ++v) { CHECK(edf.response[v] == responses[v]); }
  CHECK(edf.end_to_end[0] == rational{36});

  const auto plain = an::fine_bounds(table, on(4), with(takt::gel_policy::fair_lateness, an::point_shift::if_negative));
  CHECK(plain.response[0] == rational{41, 5});
  CHECK(plain.end_to_end[0] == rational{46});
}

TEST_CASE("a history edge is part of the offsets if its lag is long enough, and a cycle if not" *
          takt_tests::traces("OVX-X5")) {
  auto t = second_graph();
  const auto options = with(takt::gel_policy::earliest_deadline);
  const auto without = an::fine_bounds(takt::refine(t), on(4), options);
  auto long_ago = t;
  long_ago.add_edge(4, 1, 6);
  const auto same = an::fine_bounds(takt::refine(long_ago), on(4), options);
  REQUIRE(same.bounded());
  CHECK(same.offset == without.offset);
  CHECK(same.end_to_end[0] == rational{36});
  t.add_edge(4, 1, 1);
  const auto recent = an::fine_bounds(takt::refine(t), on(4), options);
  CHECK(recent.status == takt::obstacle::history);
  CHECK(recent.where == 0);
}

TEST_CASE("a history edge from another branch delays a node" * takt_tests::traces("OVX-X5")) {
  graphs t;
  t.add_graph("g", rational{10});
  for (const auto* name : {"a", "b", "c"}) { t.add_node(cpu(name, 1)); }
  t.add_edge(0, 1);
  t.add_edge(1, 2, 1);
  an::timing_of<graphs> timing;
  timing.response = {rational{20}, rational{30}, rational{5}};
  REQUIRE(an::detail::set_offsets(t, 0, timing) == takt::obstacle::none);
  CHECK(timing.offset[2] == rational{40});
  CHECK(timing.end_to_end[0] == rational{50});
}

TEST_CASE("a cycle through history is relaxed, or becomes one node of limited parallelism" *
          takt_tests::traces("OVX-37 OVX-X5")) {
  graphs t;
  t.add_graph("g", rational{10});
  t.add_node(cpu("before", 1));
  t.add_node(cpu("estimate", 6));
  t.add_node(cpu("correct", 5));
  t.add_node(cpu("after", 1));
  for (const std::uint32_t v : {0U, 1U, 2U}) { t.add_edge(v, v + 1); }
  t.add_edge(2, 1, 2);
  REQUIRE_FALSE(takt::validate(t));
  CHECK(an::fine_bounds(takt::refine(t), on(2), published).status == takt::obstacle::history);

  const auto relaxed = an::relax_cycles(t);
  CHECK(relaxed.edges.size() == 3);
  CHECK(an::fine_bounds(takt::refine(relaxed), on(2), published).bounded());

  const auto merged = an::merge_cycles(t);
  REQUIRE_FALSE(merged.error);
  REQUIRE(merged.table.nodes.size() == 3);
  CHECK(merged.table.nodes[1].name == "estimate");
  CHECK(merged.table.nodes[1].wcet == rational{11});
  CHECK(merged.table.nodes[1].parallelism == 2);
  CHECK(merged.table.nodes[1].limit == takt::job_limit::distance);
  CHECK(merged.table.edges.size() == 2);
  const auto bounds = an::fine_bounds(takt::refine(merged.table), on(2), published);
  REQUIRE(bounds.bounded());
  // The same node as two sequential tasks of twice the period.
  takt::task_rows<takt::gel_task<rational>, 4> split_up;
  for (const std::int64_t wcet : {1, 11, 11, 1}) {
    const rational period{wcet == 11 ? 20 : 10};
    split_up.add({.wcet = rational{wcet}, .period = period, .deadline = rational{10}});
  }
  for (const std::size_t i : {0U, 3U}) { split_up.tasks[i].parallelism = takt::unrestricted_parallelism; }
  const auto tasks = an::detail::slot_response(split_up, 2, takt::gel_policy::fair_lateness, an::point_shift::to_zero);
  CHECK(bounds.response[1] == tasks.tasks[1].response);

  auto own_past = merged.table;
  own_past.nodes[1].parallelism = 1;
  CHECK(an::fine_bounds(takt::refine(own_past), on(2), published).status == takt::obstacle::processors);

  auto with_kernel = t;
  with_kernel.nodes[2] = kernel("correct", 1, 1, 32);
  CHECK(an::merge_cycles(with_kernel).error);
  auto two_lags = t;
  two_lags.add_edge(2, 1, 6);
  CHECK(an::merge_cycles(two_lags).table.nodes[1].parallelism == 2);
  two_lags.add_edge(1, 1, 3);
  CHECK(an::merge_cycles(two_lags).table.nodes[1].parallelism == 1);
}

TEST_CASE("coarse nodes and whole graphs are sequential tasks that count their waits" *
          takt_tests::traces("OVX-09 OVX-10")) {
  graphs t;
  for (const auto* name : {"one", "two"}) {
    t.add_graph(name, rational{40});
    t.add_node(cpu("x", 2));
    t.add_node(cpu("y", 2));
    t.extend_node(kernel("y", 2, 4, 1024));
    t.extend_node(cpu("y", 4));
    const auto x = t.graphs[t.graphs.size() - 1].first_node;
    t.add_edge(x, x + 1);
  }
  REQUIRE_FALSE(takt::validate(t));
  const auto run = [&](an::graph_grain grain, an::coarse_kernel_bound kernels) {
    return an::coarse_bounds(t, on(2), {.grain = grain, .kernels = kernels});
  };
  const auto coarse = run(an::graph_grain::node, an::coarse_kernel_bound::separated);
  REQUIRE(coarse.timing.bounded());
  CHECK(coarse.table.nodes[0].wcet == rational{2});
  CHECK(coarse.table.nodes[1].wcet == rational{13});
  CHECK(coarse.timing.response[0] == rational{42});
  CHECK(coarse.timing.response[1] == rational{53});
  CHECK(coarse.timing.end_to_end[0] == rational{95});
  const auto sharper = run(an::graph_grain::node, an::coarse_kernel_bound::one_at_once);
  CHECK(sharper.table.nodes[1].wcet == rational{23, 2});
  CHECK(sharper.timing.end_to_end[1] == rational{187, 2});
  const auto monolithic = run(an::graph_grain::graph, an::coarse_kernel_bound::separated);
  REQUIRE(monolithic.timing.bounded());
  CHECK(monolithic.table.nodes.size() == 2);
  CHECK(monolithic.table.nodes[0].wcet == rational{15});
  CHECK(monolithic.timing.end_to_end[0] == rational{55});
  const auto sharper_one = run(an::graph_grain::graph, an::coarse_kernel_bound::one_at_once);
  CHECK(sharper_one.table.nodes[0].wcet == rational{27, 2});
  CHECK(sharper_one.timing.end_to_end[0] == rational{107, 2});

  t.nodes[0].wcet = rational{41};
  CHECK(run(an::graph_grain::node, an::coarse_kernel_bound::one_at_once).reason == an::overload::one_task);
}

TEST_CASE("copies on engines of their own are served in order, and responses add up" * takt_tests::traces("OVX-11")) {
  graphs t;
  t.add_graph("g", rational{10});
  for (const auto* name : {"up", "down"}) {
    node n = cpu(name, 3);
    n.kind = node_kind::copy;
    t.add_node(n);
  }
  t.add_edge(0, 1);
  auto platform = on(1);
  platform.copy_engines = 1;
  const auto bounds = an::fine_bounds(takt::refine(t, takt::copy_placement::engine), platform);
  REQUIRE(bounds.bounded());
  CHECK(bounds.response[0] == rational{6});
  CHECK(bounds.end_to_end[0] == rational{12});
  const auto on_cpu = an::fine_bounds(takt::refine(t), platform);
  REQUIRE(on_cpu.bounded());
  CHECK(on_cpu.response[0] == rational{6});
  t.nodes[0].wcet = rational{9};
  CHECK(an::fine_bounds(takt::refine(t, takt::copy_placement::engine), platform).status == takt::obstacle::copies);
  // A copy of no length does not ask for the engine.
  t.nodes[0].wcet = rational{0};
  const auto alone = an::fine_bounds(takt::refine(t, takt::copy_placement::engine), platform);
  REQUIRE(alone.bounded());
  CHECK(alone.response[0] == rational{0});
  CHECK(alone.end_to_end[0] == rational{3});
}

TEST_CASE("the time of a copy in a coarse node counts the copies ahead of it, if engines make them" *
          takt_tests::traces("OVX-09")) {
  graphs t;
  t.add_graph("g", rational{20});
  for (const auto* name : {"left", "right"}) {
    t.add_node(cpu(name, 1));
    node n = cpu(name, 3);
    n.kind = node_kind::copy;
    t.extend_node(n);
  }
  auto platform = on(2);
  CHECK(an::coarse_bounds(t, platform).table.nodes[0].wcet == rational{4});
  platform.copy_engines = 1;
  CHECK(an::coarse_bounds(t, platform).table.nodes[0].wcet == rational{7});
}

TEST_CASE("a kernel whose jobs may not all overlap has a bound only while none waits for an earlier one" *
          takt_tests::traces("OVX-X5")) {
  graphs t;
  t.add_graph("g", rational{10});
  t.add_node(kernel("k", 12, 1, 32));
  const auto status = [&](std::int64_t parallelism) {
    t.nodes[0].parallelism = parallelism;
    return an::fine_bounds(takt::refine(t), on(1)).status;
  };
  CHECK(status(takt::unrestricted_parallelism) == takt::obstacle::none);
  CHECK(status(1) == takt::obstacle::gpu);
  CHECK(status(2) == takt::obstacle::none);
}

TEST_CASE("places follow from the bounds: jobs of a node, results of an edge, invocations of a graph" *
          takt_tests::traces("OVX-13")) {
  auto t = second_graph();
  t.add_edge(4, 1, 6);
  const auto table = takt::refine(t);
  const auto timing = an::fine_bounds(table, on(4), with(takt::gel_policy::earliest_deadline));
  REQUIRE(timing.bounded());
  const auto sizes = an::buffer_sizes(table, timing);
  const auto late = an::buffer_sizes(table, timing, an::early_release::never);
  CHECK(sizes.instances[0] == 8);       // 36 / 5
  CHECK(sizes.node_instances[0] == 2);  // 13/2 / 5
  CHECK(sizes.node_instances[4] == 1);  // 5 / 5
  for (std::size_t e = 0; e < table.edges.size(); ++e) {
    const auto& edge = table.edges[e];
    const rational span = timing.offset[edge.to] + timing.response[edge.to] + rational{5 * edge.lag};
    CHECK(rational{sizes.edge_places[e]} >= span / rational{5});
    CHECK(rational{sizes.edge_places[e] - 1} < span / rational{5});
    CHECK(late.edge_places[e] <= sizes.edge_places[e]);
  }
}

TEST_CASE("each cluster is judged by its own tasks: what four processors can do, two clusters of two may not" *
          takt_tests::traces("GSD-13")) {
  const auto tasks_in = [](std::initializer_list<std::int32_t> clusters) {
    constexpr std::string_view names[] = {"g", "h", "i", "j"};
    graphs t;
    for (const std::int32_t c : clusters) {
      t.add_graph(names[t.graphs.size()], rational{4}, c);
      t.add_node(cpu("n", t.graphs.size() == 4 ? 1 : 3));
    }
    return t;
  };
  const auto bounds = [](const graphs& t, const takt::graph_platform& p) { return an::coarse_bounds(t, p); };
  auto clusters = on(2);
  clusters.clusters.unchecked_push_back(2);
  CHECK(bounds(tasks_in({0, 0, 0, 0}), on(4)).timing.bounded());
  CHECK(bounds(tasks_in({0, 0, 1, 1}), clusters).timing.bounded());
  const auto crowded = bounds(tasks_in({0, 0, 0, 1}), clusters);
  CHECK_FALSE(crowded.timing.bounded());
  CHECK(crowded.reason == an::overload::cluster);
  CHECK(crowded.timing.where == 0);
  CHECK(bounds(tasks_in({1, 1, 1, 0}), clusters).timing.where == 1);
}

TEST_CASE("the overhead of refining is the growth of all times" * takt_tests::traces("OVX-36")) {
  graphs coarse;
  coarse.add_graph("g", rational{10});
  coarse.add_node(cpu("a", 40));
  graphs fine;
  fine.add_graph("g", rational{10});
  fine.add_node(cpu("a", 30));
  fine.add_node(split(kernel("k", 12, 1, 32), 2, 1));
  CHECK(an::conversion_overhead(fine, coarse) == rational{1, 8});
  CHECK(an::conversion_overhead(takt::refine(fine), coarse) == rational{1, 8});
}

TEST_CASE("a launch that delays its kernel by its own response makes the kernel's bound no smaller") {
  const auto table = takt::refine(second_graph());
  auto options = published;
  const auto guarded = an::fine_bounds(table, on(4), options);
  options.launch_jitter = true;
  const auto jittery = an::fine_bounds(table, on(4), options);
  REQUIRE(jittery.bounded());
  // Theorem 3 with jitter adds B C J / T / capacity = 8192 * (37/5) / 5 / 4096.
  CHECK(jittery.response[4] - guarded.response[4] == rational{74, 25});
}

TEST_CASE("a graph that its platform lacks room for is a status with the field's name") {
  const auto board =
      takt::platform(takt::pool(takt::processors(2), takt::clustered(takt::g_fl, 1)),
                     takt::pool(takt::block_slots(1, 1024), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));
  const auto verdict_of = [&](auto... parts) {
    return takt::analysis::analyze_by<takt::published>(
        board, takt::graph_set(takt::graph("g", takt::period(10_ms), parts...)));
  };
  const auto good = verdict_of(takt::node("a", takt::cpu(2_ms)));
  REQUIRE(good.bounded());
  CHECK(good.end_to_end(0) == 2_ms);
  CHECK(good.end_to_end(1) == takt::duration::max());
  CHECK(good.plan.instances[0] == 1);
  const auto overloaded = verdict_of(takt::node("a", takt::cpu(12_ms)));
  CHECK(overloaded.why == takt::obstacle::processors);
  CHECK(overloaded.end_to_end(0) == takt::duration::max());
  const auto cluster = verdict_of(takt::on_cluster(2), takt::node("a", takt::cpu(2_ms)));
  CHECK(cluster.status == takt::verdict_status::invalid_model);
  CHECK(takt::describe(cluster.error.fault).field == "cluster");
  const auto block = verdict_of(takt::node("k", takt::kernel(takt::grid(1, 2048), takt::block_length(1_ms))));
  CHECK(takt::describe(block.error.fault).field == "kernel");
  const auto endless = verdict_of(takt::node("a", takt::cpu(takt::duration::max())));
  CHECK(endless.status == takt::verdict_status::overflow);
  const auto kernels = verdict_of(takt::node("k", takt::kernel(takt::grid(30, 1024), takt::block_length(1_ms))));
  CHECK(kernels.why == takt::obstacle::gpu);
}

TEST_CASE("whole ticks round bounds up and never below the exact ones") {
  takt::graph_table<takt::ticks, 12, 16, 4> t;
  const auto exact = second_graph();
  t.add_graph("G2", 5);
  for (const auto& n : exact.nodes) {
    t.add_node({.name = n.name,
                .kind = n.kind,
                .split = n.split,
                .wcet = n.wcet.floor(),
                .block_length = n.block_length.floor(),
                .blocks = n.blocks,
                .block_threads = n.block_threads,
                .launch = n.launch.floor(),
                .await = n.await.floor()});
  }
  for (const auto& e : exact.edges) { t.add_edge(e.from, e.to, e.lag); }
  const auto whole = an::fine_bounds(takt::refine(t), on(4), published);
  const auto fine = an::fine_bounds(takt::refine(exact), on(4), published);
  REQUIRE(whole.bounded());
  for (std::size_t v = 0; v < 7; ++v) { CHECK(rational{whole.response[v]} >= fine.response[v]); }
  CHECK(rational{whole.end_to_end[0]} >= fine.end_to_end[0]);
  CHECK(whole.end_to_end[0] <= 48);
}

TEST_CASE("a table from a file goes through the same door as typed graphs, whatever the rule of the processors") {
  constexpr auto typed = takt::graph_set(takt::graph(
      "g", takt::period(20_ms), takt::node("a", takt::cpu(3_ms), takt::relative_point(20_ms)),
      takt::node("k", takt::copy(1_ms), takt::kernel(takt::grid(4, 512), takt::block_length(2_ms))),
      takt::node("b", takt::cpu(5_ms), takt::relative_point(20_ms)), takt::edge("a", "k"), takt::edge("k", "b")));
  const auto board = [](auto rule) {
    return takt::platform(
        takt::pool(takt::processors(2), rule), takt::pool(takt::copy_engines(1), takt::fifo),
        takt::pool(takt::block_slots(2, 1024, 16), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));
  };
  takt::graph_table<takt::ticks, 16, 32> read;
  read.add_graph("g", takt::duration{20_ms}.count());
  for (const auto& n : typed.graphs.nodes) { read.append(n); }
  for (const auto& e : typed.graphs.edges) { read.add_edge(e.from, e.to, e.lag); }
  const auto edf = takt::analysis::analyze_by<takt::published>(board(takt::g_edf), typed);
  REQUIRE(edf.bounded());
  CHECK(takt::analysis::analyze_by<takt::published>(board(takt::g_edf), read).end_to_end(0) == edf.end_to_end(0));
  CHECK(takt::analysis::analyze_by<takt::published>(board(takt::gel), typed).end_to_end(0) == edf.end_to_end(0));
  // Of one period, points that are all alike are served in the order of releases.
  CHECK(takt::analysis::analyze_by<takt::published>(board(takt::g_fifo), typed).end_to_end(0) == edf.end_to_end(0));
  CHECK(takt::analysis::analyze_by<takt::published>(board(takt::g_fl), typed).end_to_end(0) > edf.end_to_end(0));
  CHECK(edf.visits[1].name == "k");
  CHECK(edf.visits[1].response == takt::duration{1_ms}.count());
}
