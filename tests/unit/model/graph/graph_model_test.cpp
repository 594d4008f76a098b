// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <takt/model/graph/batch.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/graph/refine.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt::literals;
using takt::model_fault;
using takt::node_kind;
using takt::node_part;
using small = takt::graph_table<takt::ticks, 8, 16>;

[[nodiscard]] auto chain_of(takt::ticks period) -> small {
  small t;
  t.add_graph("g", period);
  for (const auto* name : {"a", "b", "c"}) { t.add_node({.name = name, .wcet = 2}); }
  t.add_edge(0, 1);
  t.add_edge(1, 2);
  return t;
}

[[nodiscard]] auto edges_of(const auto& table) -> std::set<std::pair<std::string, std::string>> {
  std::set<std::pair<std::string, std::string>> out;
  for (const auto& e : table.edges) {
    out.emplace(std::string{table.nodes[e.from].name}, std::string{table.nodes[e.to].name});
  }
  return out;
}

}  // namespace

TEST_CASE("a graph gets one source and one sink for nothing, and only where it has several" *
          takt_tests::traces("OVX-01")) {
  small t;
  t.add_graph("forked", 10);
  for (const auto* name : {"a", "b", "c", "d"}) { t.add_node({.name = name, .wcet = 1}); }
  t.add_edge(0, 2);
  t.add_edge(1, 2);
  t.add_edge(1, 3);
  t.add_graph("chain", 10);
  t.add_node({.name = "a", .wcet = 1});
  t.add_node({.name = "b", .wcet = 1});
  t.add_edge(4, 5);
  REQUIRE_FALSE(takt::validate(t));
  const auto r = takt::refine(t);
  REQUIRE(r.graphs.size() == 2);
  CHECK(r.graphs[0].nodes == 6);
  CHECK(r.graphs[1].nodes == 2);
  CHECK(r.nodes[0].part == node_part::source);
  CHECK(r.nodes[5].part == node_part::sink);
  for (const std::size_t added : {0U, 5U}) {
    CHECK(r.nodes[added].kind == node_kind::junction);
    CHECK(r.nodes[added].wcet == 0);
  }
  int from_source = 0;
  int to_sink = 0;
  for (const auto& e : r.edges) {
    from_source += e.from == 0 ? 1 : 0;
    to_sink += e.to == 5 ? 1 : 0;
  }
  CHECK(from_source == 2);
  CHECK(to_sink == 2);
  CHECK(r.graphs[1].edges == 1);
}

TEST_CASE("a cycle of edges is refused, and one through a history edge is not" * takt_tests::traces("OVX-01")) {
  auto t = chain_of(10);
  REQUIRE(t.add_edge(2, 0, 1));
  CHECK_FALSE(takt::validate(t));
  REQUIRE(t.add_edge(2, 1));
  const auto error = takt::validate(t);
  CHECK(error.fault == model_fault::cycle_without_history);
  CHECK(error.task == 0);
  CHECK(error.visit == 1);
}

TEST_CASE("every wrong field of a graph is reported with its place") {
  SUBCASE("no graph") { CHECK(takt::validate(small{}).fault == model_fault::no_node); }
  SUBCASE("period") { CHECK(takt::validate(chain_of(0)).fault == model_fault::period_not_positive); }
  SUBCASE("negative time") {
    auto t = chain_of(10);
    t.nodes[1].wcet = -1;
    CHECK(takt::validate(t) == takt::model_error{model_fault::negative_time, 0, 1});
  }
  SUBCASE("too long a time") {
    auto t = chain_of(10);
    t.nodes[2].wcet = std::numeric_limits<takt::ticks>::max();
    CHECK(takt::validate(t) == takt::model_error{model_fault::time_overflow, 0, 2});
  }
  SUBCASE("a name given twice") {
    auto t = chain_of(10);
    t.nodes[2].name = "a";
    CHECK(takt::validate(t) == takt::model_error{model_fault::duplicate_name, 0, 2});
  }
  SUBCASE("an edge to another graph") {
    auto t = chain_of(10);
    t.add_graph("h", 10);
    t.add_node({.name = "a", .wcet = 1});
    t.add_edge(3, 0);
    CHECK(takt::validate(t) == takt::model_error{model_fault::unknown_node, 1, takt::no_index, 2});
  }
  SUBCASE("an edge given twice") {
    auto t = chain_of(10);
    t.add_edge(0, 1);
    CHECK(takt::validate(t) == takt::model_error{model_fault::duplicate_edge, 0, takt::no_index, 2});
  }
  SUBCASE("a kernel of more threads than a GPU starts") {
    auto t = chain_of(10);
    t.add_node({.name = "k", .kind = node_kind::kernel, .block_length = 1, .blocks = 1, .block_threads = 1024});
    CHECK(takt::validate(t).fault == model_fault::none);
    t.add_node({.name = "l", .kind = node_kind::kernel, .block_length = 1, .blocks = 1, .block_threads = 1025});
    CHECK(takt::validate(t) == takt::model_error{model_fault::kernel_shape_out_of_range, 0, 4});
  }
  SUBCASE("a kernel without threads") {
    auto t = chain_of(10);
    t.add_node({.name = "k", .kind = node_kind::kernel, .block_length = 1, .blocks = 1});
    CHECK(takt::validate(t) == takt::model_error{model_fault::kernel_shape_out_of_range, 0, 3});
  }
}

TEST_CASE("an edge to an unknown node is a status at run time") {
  const std::string typed = "prnt";
  const auto set =
      takt::graph_set(takt::graph("g", takt::period(33_ms), takt::node("a", takt::cpu(1_ms)), takt::edge("a", typed)));
  CHECK(set.fault() == takt::model_error{model_fault::unknown_node, 0, takt::no_index, 0});
}

TEST_CASE("a node is refined into its segments, and a kernel into launch, kernel and await" *
          takt_tests::traces("OVX-11")) {
  constexpr auto set = takt::graph_set(takt::graph(
      "g", takt::period(20_ms), takt::node("read", takt::cpu(1_ms)),
      takt::node("detect", takt::copy(2_ms),
                 takt::kernel(takt::grid(8, 256), takt::block_length(3_ms), takt::launch(100_us), takt::await(50_us)),
                 takt::cpu(4_ms)),
      takt::edge("read", "detect")));
  const auto r = takt::refine(set.flat());
  REQUIRE(r.nodes.size() == 6);
  CHECK(r.nodes[1].kind == node_kind::processor);
  CHECK(r.nodes[1].wcet == takt::duration{2_ms}.count());
  CHECK(r.nodes[2].part == node_part::launch);
  CHECK(r.nodes[2].wcet == takt::duration{100_us}.count());
  CHECK(r.nodes[3].part == node_part::kernel);
  CHECK(r.nodes[3].kind == node_kind::kernel);
  CHECK(r.nodes[4].part == node_part::await);
  CHECK(r.nodes[4].wcet == takt::duration{50_us}.count());
  CHECK(r.nodes[5].wcet == takt::duration{4_ms}.count());
  for (std::size_t v = 1; v < 6; ++v) { CHECK(r.nodes[v].owner == 1); }
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const auto& e : r.edges) { edges.emplace(e.from, e.to); }
  CHECK(edges == std::set<std::pair<std::uint32_t, std::uint32_t>>{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}});

  const auto on_engine = takt::refine(set.flat(), takt::copy_placement::engine);
  CHECK(on_engine.nodes[1].kind == node_kind::copy);
}

TEST_CASE("edges follow from who reads and writes which object" * takt_tests::traces("GSA-42")) {
  constexpr auto set = takt::graph_set(
      takt::graph("pedestrians", takt::period(33_ms),
                  takt::node("detectPeds", takt::cpu(9_ms), takt::reads("imageGray"), takt::writes("detected")),
                  takt::node("convertToIYUV", takt::cpu(1_ms), takt::reads("imageRaw"), takt::writes("imageIYUV")),
                  takt::node("convertToGray", takt::cpu(1_ms), takt::reads("imageIYUV"), takt::writes("imageGray"))));
  CHECK(edges_of(set.graphs) == std::set<std::pair<std::string, std::string>>{{"convertToIYUV", "convertToGray"},
                                                                              {"convertToGray", "detectPeds"}});
}

TEST_CASE("who changes an object in place stands between those before and those after it" *
          takt_tests::traces("GSA-42")) {
  constexpr auto set = takt::graph_set(
      takt::graph("g", takt::period(33_ms), takt::node("make", takt::cpu(1_ms), takt::writes("image")),
                  takt::node("look", takt::cpu(1_ms), takt::reads("image")),
                  takt::node("blur", takt::cpu(1_ms), takt::reads("image"), takt::writes("image")),
                  takt::node("look again", takt::cpu(1_ms), takt::reads("image")), takt::edge("make", "look")));
  CHECK(edges_of(set.graphs) == std::set<std::pair<std::string, std::string>>{
                                    {"make", "look"}, {"make", "blur"}, {"look", "blur"}, {"blur", "look again"}});
  CHECK(set.graphs.edges.size() == 4);
}

TEST_CASE("a cycle through data is refused unless it passes through a delayed object" * takt_tests::traces("GSA-42")) {
  const auto build = [](auto... parts) {
    return takt::graph_set(takt::graph(
        "g", takt::period(33_ms), takt::node("track", takt::cpu(1_ms), takt::reads("model"), takt::writes("box")),
        takt::node("learn", takt::cpu(1_ms), takt::reads("box"), takt::writes("model")), parts...));
  };
  CHECK(build().fault().fault == model_fault::cycle_without_history);
  const auto delayed = build(takt::delayed("model", 2));
  REQUIRE_FALSE(delayed.fault());
  REQUIRE(delayed.graphs.edges.size() == 2);
  CHECK(delayed.graphs.edges[0] == takt::graph_edge{1, 0, 2});
  const auto two_writers =
      takt::graph_set(takt::graph("g", takt::period(33_ms), takt::node("a", takt::cpu(1_ms), takt::writes("x")),
                                  takt::node("b", takt::cpu(1_ms), takt::writes("x"))));
  CHECK(two_writers.fault() == takt::model_error{model_fault::duplicate_name, 0, 1});
  const auto in_second =
      takt::graph_set(takt::graph("f", takt::period(33_ms), takt::node("a", takt::cpu(1_ms))),
                      takt::graph("g", takt::period(33_ms), takt::node("a", takt::cpu(1_ms), takt::writes("x")),
                                  takt::node("b", takt::cpu(1_ms), takt::writes("x"))));
  CHECK(in_second.fault() == takt::model_error{model_fault::duplicate_name, 1, 2});
}

TEST_CASE("pipelining is overlap of jobs, and batching multiplies the cost of nodes" * takt_tests::traces("OVX-16")) {
  auto t = chain_of(10);
  t.add_node({.name = "k",
              .kind = node_kind::kernel,
              .block_length = 3,
              .blocks = 5,
              .block_threads = 32,
              .launch = 1,
              .await = 4});
  t.add_node({.name = "in", .kind = node_kind::copy, .wcet = 6});
  t.add_graph("other", 10);
  t.add_node({.name = "alone", .wcet = 2});
  for (const auto& n : t.nodes) { CHECK(n.parallelism == takt::unrestricted_parallelism); }
  REQUIRE_FALSE(takt::batch(t, 0, 7));
  for (std::size_t v = 0; v < 3; ++v) { CHECK(t.nodes[v].wcet == 14); }
  CHECK(t.nodes[3].blocks == 35);
  CHECK(t.nodes[3].block_length == 3);
  CHECK(t.nodes[3].launch == 1);
  CHECK(t.nodes[3].await == 4);
  CHECK(t.nodes[4].wcet == 42);
  CHECK(t.nodes[5].wcet == 2);
  CHECK_FALSE(takt::validate(t));
  const auto before = t.nodes[1].wcet;
  t.nodes[3].blocks = std::numeric_limits<std::int64_t>::max() / 2;
  CHECK(takt::batch(t, 0, 3).fault == model_fault::time_overflow);
  CHECK(t.nodes[1].wcet == before);
  CHECK(takt::batch(t, 0, 0).fault == model_fault::amount_out_of_range);
}
