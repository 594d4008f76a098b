// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/allocation/analyze.hpp>
#include <takt/core/random.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/model_fault.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/platform.hpp>
#include <takt/report/fault_text.hpp>
#include <takt/rules/graph/refine_for.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/runtime/graph/run_graphs.hpp>
#include <takt/systems/methods.hpp>
#include "support/environment.hpp"
#include "support/traces.hpp"

namespace {

namespace rt = takt::runtime;
using rt::graph_code;
using rt::graph_job;
using rt::graph_run_options;
using takt::observation_status;

constexpr auto board =
    takt::platform(takt::pool(takt::processors(4), takt::nonpreemptive(takt::clustered(takt::g_edf, 2))),
                   takt::pool(takt::copy_engines(1), takt::fifo),
                   takt::pool(takt::block_slots(2, 1024), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));
constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::array<std::string_view, 16> names{"a", "b", "c", "d", "e", "f", "g", "h",
                                                 "i", "j", "k", "l", "m", "n", "o", "p"};

[[nodiscard]] auto quietly(std::int64_t invocations) -> graph_run_options {
  graph_run_options o;
  o.length = takt::duration{3'600'000'000'000};
  o.invocations = invocations;
  o.real_time = o.pin_to_cores = o.lock_memory = false;
  return o;
}

template <class G>
[[nodiscard]] auto plan_of(const G& graphs) {
  return takt::analysis::analyze_by<takt::published>(board, graphs).plan;
}

[[nodiscard]] auto cpu_node(std::size_t name, takt::ticks wcet) -> takt::graph_node<takt::ticks> {
  takt::graph_node<takt::ticks> n;
  n.name = names[name];
  n.wcet = wcet;
  return n;
}
[[nodiscard]] auto copy_node(std::size_t name, takt::ticks time) -> takt::graph_node<takt::ticks> {
  auto n = cpu_node(name, time);
  n.kind = takt::node_kind::copy;
  return n;
}
[[nodiscard]] auto kernel_node(std::size_t name, bool split) -> takt::graph_node<takt::ticks> {
  takt::graph_node<takt::ticks> n;
  n.name = names[name];
  n.kind = takt::node_kind::kernel;
  n.split = split;
  n.launch = n.await = split ? 1'000 : 0;
  n.block_length = 5'000;
  n.blocks = 2;
  n.block_threads = 128;
  return n;
}

using chain_table = takt::graph_table<takt::ticks, names.size(), names.size(), 1>;

template <class Node>
[[nodiscard]] auto chain_of(std::size_t count, takt::ticks period, Node make) -> chain_table {
  chain_table out;
  static_cast<void>(out.add_graph("chain", period));
  for (std::uint32_t v = 0; v < count; ++v) {
    static_cast<void>(out.add_node(make(v)));
    if (v > 0) { static_cast<void>(out.add_edge(v - 1, v)); }
  }
  return out;
}
[[nodiscard]] auto short_chain(takt::ticks period) -> chain_table {
  return chain_of(2, period, [](std::size_t v) { return cpu_node(v, 0); });
}

struct counting {
  std::int64_t entries = 0;

  void record(const takt::slice& /*s*/) { ++entries; }
  void record(const takt::mark& /*m*/) { ++entries; }
};

}  // namespace

TEST_CASE("whoever writes first in a node waits for whoever reads last in the nodes behind it" *
          takt_tests::traces("GSA-44")) {
  takt::graph_table<takt::ticks, 3, 2, 1> graph;
  static_cast<void>(graph.add_graph("kernels", 1'000'000));
  for (std::size_t v = 0; v < 3; ++v) { static_cast<void>(graph.add_node(kernel_node(v, true))); }
  static_cast<void>(graph.add_edge(0, 1));
  static_cast<void>(graph.add_edge(2, 1, 3));
  auto options = quietly(1);
  options.copies = 2;
  takt::refined_table<decltype(graph)> refined;
  REQUIRE(takt::refine_for(board, graph, refined));
  const auto laid = rt::make_graph_layout(refined, plan_of(graph), options);
  // Source, three parts of each node, sink; then input and output.
  REQUIRE(laid.nodes.size() == 11);
  const auto waits = [&laid](std::uint32_t from, std::uint32_t to) {
    return std::ranges::any_of(laid.graphs[0].waits,
                               [&](const rt::job_wait& w) { return w.from == from && w.to == to && w.lag == 2; });
  };
  CHECK(waits(6, 1));
  CHECK(waits(6, 7));
  CHECK(waits(3, 1));
  CHECK(waits(3, 11));
  CHECK(waits(9, 11));
  CHECK(waits(12, 4));
  CHECK(waits(12, 7));
}

namespace {

constexpr std::int64_t jobs = 20;
using random_graphs = takt::graph_table<takt::ticks, 24, 120, 3>;

[[nodiscard]] auto draw_graphs(takt::random_stream& random) -> random_graphs {
  random_graphs out;
  const auto graphs = static_cast<std::size_t>(random.between(1, 3));
  for (std::size_t g = 0; g < graphs; ++g) {
    const auto cluster = static_cast<std::int32_t>(random.between(0, 1));
    static_cast<void>(out.add_graph(names[g], random.between(200'000, 900'000), cluster));
    const auto first = static_cast<std::uint32_t>(out.nodes.size());
    const auto count = static_cast<std::uint32_t>(random.between(1, 8));
    for (std::uint32_t v = 0; v < count; ++v) {
      const bool kernel = random.chance(1, 4);
      const takt::ticks wcet = random.chance(1, 5) ? 0 : random.between(1, 20'000);
      const bool copy = random.chance(1, 5);
      static_cast<void>(out.add_node(kernel ? kernel_node(v, random.chance(1, 2))
                                     : copy ? copy_node(v, wcet)
                                            : cpu_node(v, wcet)));
      for (std::uint32_t from = 0; from < v; ++from) {
        if (random.chance(1, 3)) { static_cast<void>(out.add_edge(first + from, first + v)); }
      }
    }
    for (std::int32_t lag = 1; lag <= 4; ++lag) {
      const auto from = static_cast<std::uint32_t>(random.between(0, count - 1));
      const auto to = static_cast<std::uint32_t>(random.between(0, count - 1));
      static_cast<void>(out.add_edge(first + from, first + to, lag));
    }
  }
  return out;
}

[[nodiscard]] auto draw_options(takt::random_stream& random) -> graph_run_options {
  auto out = quietly(jobs);
  out.early_release = random.chance(1, 2);
  out.copies = random.between(0, 3);
  out.on_late = random.chance(1, 3) ? takt::late_handling::skip_late : takt::late_handling::catch_up;
  out.block_threads = static_cast<std::int32_t>(random.between(1, 3));
  return out;
}

/// The job that wrote each copy of what a node hands on last.
struct written_copies {
  std::array<std::array<std::atomic<std::int64_t>, 80>, 24> last{};
  std::atomic<int> wrong{0};

  written_copies() {
    for (auto& node : last) {
      for (auto& copy : node) { copy = -1; }
    }
  }
  void write(std::uint32_t node, const graph_job& j) { last[node][static_cast<std::size_t>(j.copy)] = j.number; }
  void read(const random_graphs& graphs, std::uint32_t node, const graph_job& j) {
    for (const auto& e : graphs.edges) {
      if (e.to != node || j.number < e.lag) { continue; }
      if (last[e.from][static_cast<std::size_t>(j.past(e.lag))] != j.number - e.lag) { ++wrong; }
    }
  }
};

}  // namespace

TEST_CASE("every node finds whole what its edges bring, whatever the graphs, copies and releases" *
          takt_tests::traces("GSA-44 GSA-45")) {
  const auto rounds = std::max<std::int64_t>(1, takt_tests::from_environment<std::int64_t>("TAKT_GRAPH_RUNS", 12));
  takt::random_stream random{99};
  for (std::int64_t round = 0; round < rounds; ++round) {
    const random_graphs graphs = draw_graphs(random);
    const graph_run_options options = draw_options(random);
    written_copies copies;
    std::array<std::vector<std::int64_t>, 3> delivered;
    graph_code code;
    for (std::uint32_t v = 0; v < graphs.nodes.size(); ++v) {
      const auto body = [&, v](const graph_job& j) {
        copies.write(v, j);
        copies.read(graphs, v, j);
        takt::random_stream pause{static_cast<std::uint64_t>(j.number * 31 + v)};
        if (pause.chance(1, 3)) { rt::sleep_until(rt::now() + pause.between(1'000, 300'000)); }
        copies.read(graphs, v, j);
      };
      if (graphs.nodes[v].kind == takt::node_kind::kernel) {
        code.kernel(v, [body](const graph_job& j, std::int64_t block) {
          if (block == 0) { body(j); }
        });
      } else if (graphs.nodes[v].kind == takt::node_kind::copy) {
        code.copy(v, body);
      } else {
        code.cpu(v, body);
      }
    }
    for (std::uint32_t g = 0; g < graphs.graphs.size(); ++g) {
      code.output(g, [&delivered, g](const graph_job& j) { delivered[g].push_back(j.number); });
    }
    const auto verdict = takt::analysis::analyze_by<takt::published>(board, graphs);
    if (!verdict.bounded()) { continue; }
    const auto result = rt::run(board, graphs, verdict.plan, options, code);
    INFO("round " << round << ", " << name_of(result.status()) << ", " << takt::describe(result.error.fault).problem
                  << ", " << result.error.value);
    REQUIRE(result.tasks.size() == graphs.graphs.size());
    CHECK(copies.wrong == 0);
    for (std::size_t g = 0; g < graphs.graphs.size(); ++g) {
      CHECK(result.tasks[g].completed == jobs);
      CHECK(delivered[g].size() == jobs);
      CHECK(std::ranges::is_sorted(delivered[g]));
    }
  }
}

TEST_CASE("an object may be used by every node of a graph, kernels with all their parts") {
  const auto graph = chain_of(names.size(), 4'000'000, [](std::size_t v) { return kernel_node(v, true); });
  auto options = quietly(3);
  for (std::uint32_t v = 0; v < names.size(); ++v) { options.uses.push_back({0, "frame", v}); }
  for (const std::int64_t copies : {0, 1, 3}) {
    options.copies = copies;
    const auto result = rt::run(board, graph, plan_of(graph), options);
    INFO(name_of(result.status()));
    REQUIRE(result.tasks.size() == 1);
    CHECK(result.tasks[0].completed == 3);
  }
}

TEST_CASE("a run without invocations ends, and lengths and counts of any size are only limits") {
  const auto graph = short_chain(1);
  auto options = quietly(3);
  options.keep_responses = true;
  counting seen;
  const auto delivered = [&] { return rt::run(board, graph, plan_of(graph), options, seen).tasks[0].completed; };
  options.length = takt::duration{greatest};
  CHECK(delivered() == 3);
  for (const std::int64_t length : {std::int64_t{0}, std::int64_t{-1}, least}) {
    options.length = takt::duration{length};
    CHECK(delivered() == 0);
  }
  options = quietly(0);
  CHECK(delivered() == 0);
  options = quietly(least);
  CHECK(delivered() == 0);
  CHECK(rt::invocations_of(quietly(greatest), 7'000'000'000) == 515);
}

TEST_CASE("copies beyond the invocations that can be under way are not made") {
  auto graph = short_chain(1'000'000);
  static_cast<void>(graph.add_edge(0, 1, 5));
  for (const std::int64_t copies : {rt::most_instances, rt::most_instances + 1, greatest}) {
    auto options = quietly(4);
    options.copies = copies;
    const auto result = rt::run(board, graph, plan_of(graph), options);
    CHECK(result.tasks[0].completed == 4);
    CHECK(result.graphs[0].copies == rt::most_instances + 5);
  }
}

TEST_CASE("more threads for blocks than a run may have are refused") {
  const auto graph = chain_of(1, 1'000'000, [](std::size_t v) { return kernel_node(v, false); });
  graph_code code;
  code.kernel(0, [](const graph_job&, std::int64_t) {});
  auto options = quietly(1);
  options.block_threads = std::numeric_limits<std::int32_t>::max();
  CHECK(rt::run(board, graph, plan_of(graph), options, code).status() == observation_status::no_threads);
}
