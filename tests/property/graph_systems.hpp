// SPDX-License-Identifier: Apache-2.0
// Random graphs with everything that the simulator of graphs knows, and one run of each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>
#include <takt/simulation/trace.hpp>

#include "support/draws.hpp"

namespace graph_systems {

using takt::ticks;
namespace sim = takt::simulation;

using table = takt::graph_table<ticks, 12, 40, 2>;

/// How the nodes of a graph are scheduled.
enum class grain : std::uint8_t { fine, coarse, monolithic };

struct random_run {
  table graphs{};
  takt::graph_platform platform{};
  grain nodes = grain::fine;
  takt::gel_policy policy{};
  ticks in_flight = 1;                    ///< invocations of a graph that are under way at once
  sim::graph_workload<ticks> work{};      ///< as if any number were
  sim::invocations<ticks> invocations{};  ///< by graph
  sim::graph_options how{};
  sim::random_lengths lengths{1};
};

/// Times of most systems are so long that no two things happen at one instant unless one causes the other. Those of
/// every fourth are so short that many do; there a graph has one job at a time, whose nodes differ in their points,
/// since the two simulators break ties of one graph in different orders.
class draws : public takt_tests::draws {
 public:
  explicit draws(std::uint64_t seed) : takt_tests::draws{seed}, shift_{seed % 4 == 0 ? 0U : 32U} {}
  auto time(ticks most) -> ticks { return between(1, most << shift_); }
  [[nodiscard]] auto coincide() const -> bool { return shift_ == 0; }

 private:
  unsigned shift_;
};

inline auto random_node(draws& d) -> takt::graph_node<ticks> {
  takt::graph_node<ticks> n;
  n.kind = static_cast<takt::node_kind>(d.one_in(2) ? 0 : d.between(0, 3));
  if (n.kind == takt::node_kind::processor) { n.wcet = d.one_in(8) ? 0 : d.time(9); }
  if (n.kind == takt::node_kind::copy) { n.wcet = d.one_in(8) ? 0 : d.time(5); }
  if (n.kind == takt::node_kind::kernel) {
    n.blocks = d.between(1, 9);
    n.block_threads = d.count(1, 4) * 32 - (d.one_in(2) ? d.count(0, 31) : 0);
    n.block_length = d.time(4);
    n.split = d.one_in(2);
    n.launch = n.split && !d.one_in(4) ? d.time(2) : 0;
    n.await = n.split && !d.one_in(4) ? d.time(2) : 0;
  }
  return n;
}

/// A limit on the jobs of a node that run at once, a priority point, and segments more.
inline void add_random_node(draws& d, table& out, std::string_view name, bool in_segments, std::size_t most) {
  auto n = random_node(d);
  n.name = name;
  n.limit = d.one_in(2) ? takt::job_limit::slots : takt::job_limit::distance;
  n.parallelism = d.one_in(2) ? takt::unrestricted_parallelism : d.between(1, 3);
  n.point = d.time(d.coincide() ? 1 : 40);
  REQUIRE(out.add_node(n));
  for (; in_segments && out.nodes.size() < most && d.one_in(2);) {
    auto next = random_node(d);
    next.name = name;
    next.point = d.time(d.coincide() ? 1 : 40);
    REQUIRE(out.extend_node(next));
  }
}

/// Edges within a job lead along a random order of the nodes; edges to later jobs lead anywhere.
inline void add_random_edges(draws& d, table& out, std::uint32_t first) {
  const auto& nodes = out.nodes;
  std::vector<std::uint32_t> heads;  // the first segments
  for (std::uint32_t v = first; v < nodes.size(); ++v) {
    if (nodes[v].segment == 0) { heads.push_back(v); }
  }
  const auto last_of = [&nodes](std::uint32_t v) {
    while (v + 1 < nodes.size() && nodes[v + 1].owner == nodes[v].owner) { ++v; }
    return v;
  };
  for (std::size_t i = heads.size(); i-- > 1;) {
    std::swap(heads[i], heads[static_cast<std::size_t>(d.between(0, static_cast<ticks>(i)))]);
  }
  for (std::size_t a = 0; a < heads.size(); ++a) {
    for (std::size_t b = 0; b < heads.size(); ++b) {
      if (a < b && d.one_in(2)) { REQUIRE(out.add_edge(last_of(heads[a]), heads[b])); }
      if (d.one_in(9)) { REQUIRE(out.add_edge(last_of(heads[a]), heads[b], d.count(1, 3))); }
    }
  }
}

inline auto random_graphs(draws& d, bool in_segments) -> table {
  table out;
  static constexpr std::array<std::string_view, 12> names{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
  const auto graphs = d.count(1, 2);
  for (std::int32_t g = 0; g < graphs; ++g) {
    REQUIRE(out.add_graph(names[static_cast<std::size_t>(g)], 1));
    const auto first = static_cast<std::uint32_t>(out.nodes.size());
    const std::size_t most = g + 1 == graphs ? 12 : 7;
    const auto wanted = static_cast<std::size_t>(d.between(1, 7));
    for (std::size_t v = 0; v < wanted && out.nodes.size() < most; ++v) {
      add_random_node(d, out, names[v], in_segments, most);
    }
    add_random_edges(d, out, first);
    ticks sum = 0;
    for (std::size_t v = first; v < out.nodes.size(); ++v) {
      const auto& n = out.nodes[v];
      sum += n.wcet + n.block_length + n.launch + n.await;
    }
    out.graphs.back().period = sum / 4 * d.between(1, 6) / 2 + d.time(6);
  }
  return out;
}

inline auto random_policy(draws& d) -> takt::gel_policy {
  static constexpr std::array<takt::gel_policy, 4> policies{
      takt::gel_policy::earliest_deadline, takt::gel_policy::fair_lateness, takt::gel_policy::first_in_first_out,
      takt::gel_policy::given_points};
  return policies[static_cast<std::size_t>(d.between(0, 3))];
}

inline auto workload_of(const random_run& run, draws& d) -> sim::graph_workload<ticks> {
  const std::span<const std::int32_t> clusters{run.platform.clusters.data(), run.platform.clusters.size()};
  const auto copies = run.platform.placement();
  std::vector<ticks> offsets(60);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] = d.coincide() ? 10 * static_cast<ticks>(i * 7 % 60) : d.time(30);
  }
  sim::graph_workload<ticks> out;
  if (run.nodes == grain::fine) {
    const auto refined = takt::refine(run.graphs, copies);
    out = sim::fine_workload<ticks>(refined, clusters, offsets, sim::node_points(refined, clusters, run.policy));
    for (std::uint32_t v = 0; v < refined.nodes.size(); ++v) {  // what a plan says beside the nodes
      if (d.one_in(6)) { out.dependencies.push_back({.from = v, .to = v, .lag = d.between(1, 3), .feedback = true}); }
    }
  } else if (run.nodes == grain::coarse) {
    out = sim::coarse_workload<ticks>(run.graphs, clusters, offsets, copies);
  } else {
    out = sim::monolithic_workload(run.graphs, clusters, copies);
  }
  for (const auto& t : out.tasks) {
    for (std::size_t s = 0; s < t.steps; ++s) {
      out.steps[t.first_step + s].segment = static_cast<std::uint32_t>(s);
      out.steps[t.first_step + s].signals = d.one_in(5);
    }
  }
  return out;
}

inline auto draw(std::uint64_t seed) -> random_run {
  draws d{seed};
  random_run out;
  out.nodes = d.one_in(2) ? grain::fine : d.one_in(2) ? grain::coarse : grain::monolithic;
  out.policy = out.nodes == grain::fine ? random_policy(d) : takt::gel_policy::earliest_deadline;
  out.graphs = random_graphs(d, out.nodes != grain::fine || d.one_in(2));
  const auto clusters = d.count(1, 2);
  for (std::int32_t c = 0; c < clusters; ++c) { REQUIRE(out.platform.clusters.push_back(d.count(1, 3))); }
  out.platform.copy_engines = d.count(0, 2);
  out.platform.sms = d.count(1, 3);
  out.platform.threads_per_sm = d.count(4, 8) * 32;
  out.platform.blocks_per_sm = d.count(0, 4);
  for (auto& g : out.graphs.graphs) {
    g.cluster = d.count(0, clusters - 1);
    auto& times = out.invocations.emplace_back();
    ticks at = d.one_in(2) ? 0 : d.between(0, g.period);
    for (std::int32_t j = d.count(4, 12); j > 0; --j) {
      times.push_back(at);
      at += g.period + (d.one_in(3) ? d.between(0, g.period) : 0);
    }
  }
  out.in_flight = d.coincide() ? 1 : d.between(1, 3);
  out.how.gpu = {.sms = out.platform.sms,
                 .each = {.threads = out.platform.threads_per_sm, .warp_size = out.platform.warp_size}};
  if (out.platform.blocks_per_sm > 0) { out.how.gpu.each.blocks = out.platform.blocks_per_sm; }
  out.how.copy_engines = out.platform.copy_engines > 0 ? out.platform.copy_engines : 1;
  out.how.early_release = d.one_in(2);
  out.how.preemptive = !d.one_in(3);
  out.how.boost_signals = d.one_in(4);
  out.lengths = sim::random_lengths{seed, d.between(0, 100)};
  out.work = workload_of(out, d);
  return out;
}

/// What somebody saw of a run: who held what when, and when jobs ended.
struct seen_slice {
  std::uint32_t task = 0;
  std::uint32_t step = 0;
  std::uint64_t job = 0;
  std::int32_t where = 0;
  std::int32_t unit = 0;
  ticks start = 0;
  ticks end = 0;
  friend auto operator<=>(const seen_slice&, const seen_slice&) = default;
};
struct seen_end {
  std::uint32_t task = 0;
  std::uint64_t job = 0;
  ticks at = 0;
  friend auto operator<=>(const seen_end&, const seen_end&) = default;
};
struct seen_run {
  std::vector<seen_slice> slices{};
  std::vector<seen_end> ends{};
  friend auto operator==(const seen_run&, const seen_run&) -> bool = default;
};

/// Whether a task of a workload comes first in its graph, and whether it comes last.
inline auto is_source(const sim::graph_workload<ticks>& w, std::size_t task) -> bool {
  bool out = true;
  for (const auto& e : w.dependencies) { out = out && (e.to != task || e.lag != 0); }
  return out;
}
inline auto is_sink(const sim::graph_workload<ticks>& w, std::size_t task) -> bool {
  bool out = true;
  for (const auto& e : w.dependencies) { out = out && (e.from != task || e.lag != 0); }
  return out;
}

/// The same run by the simulator of graphs. That no more invocations are under way is a matter of more edges.
inline auto by_graph_simulator(const random_run& run) -> seen_run {
  auto work = run.work;
  for (std::uint32_t a = 0; a < run.work.tasks.size(); ++a) {
    for (std::uint32_t b = 0; b < run.work.tasks.size(); ++b) {
      if (run.work.tasks[a].graph == run.work.tasks[b].graph && is_sink(run.work, a) && is_source(run.work, b)) {
        work.dependencies.push_back({.from = a, .to = b, .lag = run.in_flight, .feedback = true});
      }
    }
  }
  takt::trace trace;
  sim::no_gpu_observer unseen;
  const auto result = sim::simulate_graphs<256, 4>(work, run.invocations, run.how, run.lengths, trace, unseen);
  REQUIRE(result.ok());
  seen_run out;
  for (const auto& s : trace.slices()) {
    out.slices.push_back(
        {s.task, s.segment, s.job, static_cast<std::int32_t>(s.where.where), s.where.index, s.start, s.end});
  }
  for (const auto& m : trace.marks()) {
    if (m.what == takt::mark_kind::completion) { out.ends.push_back({m.task, m.job, m.time}); }
  }
  return out;
}

}  // namespace graph_systems
