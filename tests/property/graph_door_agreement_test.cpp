// SPDX-License-Identifier: Apache-2.0
// Graphs that were flattened as boards of pools do it run as the simulator of graphs runs them, slice by slice, where
// one invocation of a graph waits for the one before.
//
// What the flattening refuses is not in it: edges between jobs, limits above one and points of nodes
// (docs/errors.md#E95). Two copy engines of such a board serve one direction each, and those of that simulator one
// queue; here there is one. Without copy engines that simulator copies on processors, and such a board refuses copies.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

#include <takt/rules/flatten.hpp>
#include <takt/rules/host/engine.hpp>
#include "property/composed_systems.hpp"
#include "property/graph_systems.hpp"

namespace {

using graph_systems::random_run;
using graph_systems::seen_slice;
using takt::ticks;
namespace sim = takt::simulation;

constexpr std::size_t most_tasks = graph_systems::table::max_graphs;
constexpr std::size_t most_visits = 3 * graph_systems::table::max_nodes;
constexpr ticks never = ticks{1} << 48;

/// A run without what the flattening refuses, on clusters of equally many processors. Junctions are no visits, so they
/// have no offsets.
auto without_what_is_refused(std::uint64_t seed, takt::gel_policy policy, bool preemptive) -> random_run {
  random_run run = graph_systems::draw(seed);
  graph_systems::draws d{seed};
  const graph_systems::table given = run.graphs;
  run.graphs = {};
  for (std::size_t g = 0; g < given.graphs.size(); ++g) {
    const auto& from = given.graphs[g];
    REQUIRE(run.graphs.add_graph(from.name, from.period, from.cluster));
    for (std::uint32_t v = from.first_node; v < from.first_node + from.nodes; ++v) {
      auto n = given.nodes[v];
      n.parallelism = takt::unrestricted_parallelism;
      n.point = 0;
      REQUIRE(run.graphs.append(n));
    }
    for (std::uint32_t e = from.first_edge; e < from.first_edge + from.edges; ++e) {
      const auto& edge = given.edges[e];
      if (edge.lag == 0) { REQUIRE(run.graphs.add_edge(edge.from, edge.to)); }
    }
  }
  run.graphs.owners = given.owners;
  for (auto& cpus : run.platform.clusters) { cpus = run.platform.clusters[0]; }
  run.platform.copy_engines = 1;
  run.nodes = graph_systems::grain::fine;
  run.policy = policy;
  run.in_flight = 1;
  run.how.copy_engines = 1;
  run.how.preemptive = preemptive;
  run.how.boost_signals = false;
  run.work = graph_systems::workload_of(run, d);
  std::erase_if(run.work.dependencies, [](const auto& e) { return e.feedback; });
  const auto refined = takt::refine(run.graphs, takt::copy_placement::engine);
  for (std::size_t t = 0; t < run.work.tasks.size(); ++t) {
    run.work.tasks[t].guarded = false;
    if (refined.nodes[t].kind == takt::node_kind::junction) { run.work.tasks[t].offset = 0; }
  }
  return run;
}

/// The nodes of the refined graphs that visits stand for, in the order of the flattening.
auto nodes_of_visits(const random_run& run) -> std::vector<std::uint32_t> {
  const auto refined = takt::refine(run.graphs, takt::copy_placement::engine);
  std::vector<std::uint32_t> out;
  for (std::size_t g = 0; g < run.graphs.graphs.size(); ++g) {
    for (const std::uint32_t v : takt::topological_order(run.graphs, g)) {
      const auto& n = run.graphs.nodes[v];
      for (std::uint32_t r = 0; r < refined.nodes.size(); ++r) {
        const auto& part = refined.nodes[r];
        const bool is_it = part.owner == n.owner && part.segment == n.segment && part.kind != takt::node_kind::junction;
        if (is_it) { out.push_back(r); }
      }
    }
  }
  return out;
}

struct door_choices {
  const random_run* run;
  const takt::visit_table<most_tasks, most_visits>* table;
  std::vector<std::uint32_t> nodes;
  takt::block_gpu gpu;
  std::vector<std::uint64_t> jobs;  ///< by visit
  bool turned = false;              ///< whoever should ask first asks last

  auto gap(std::uint32_t task, std::uint64_t job, ticks /*period*/) const -> ticks {
    const auto& at = run->invocations[task];
    if (job >= at.size()) { return never + 1; }
    return job == 0 ? at[0] : at[job] - at[job - 1];
  }
  static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
  auto length(const takt::visit_record& v, std::uint64_t job) -> ticks {
    const std::uint32_t at = table->tasks[v.task].first_visit + v.position;
    jobs[at] = job;
    const auto& t = run->work.tasks[nodes[at]];
    if (t.steps == 0) { return 0; }
    const auto& s = run->work.steps[t.first_step];
    const ticks rounds = s.kind == takt::node_kind::kernel
                             ? rounds_alone(gpu, s.blocks, takt::whole_warps(s.block.threads, run->platform.warp_size))
                             : 1;
    return run->lengths(nodes[at], 0, job, s.length) * rounds;
  }
  auto asks_before(std::uint32_t a, std::uint32_t b) const -> bool {
    return turned ? nodes[b] < nodes[a] : nodes[a] < nodes[b];
  }
};

/// What is seen of a run: slices, and for each graph the number of jobs and the sum of their responses.
struct seen_at_door {
  bool refused = false;
  std::vector<seen_slice> slices{};
  std::array<std::uint64_t, most_tasks> completed{};
  std::array<ticks, most_tasks> responses{};
  friend auto operator==(const seen_at_door&, const seen_at_door&) -> bool = default;
};

template <class Rule>
auto by_flattening(const random_run& run, const Rule& processors, bool turned) -> seen_at_door {
  const std::int32_t cpus = run.platform.clusters[0];
  const auto& p = run.platform;
  const auto board =
      takt::platform(takt::pool(takt::processors(cpus * static_cast<std::int32_t>(p.clusters.size())),
                                takt::clustered(processors, cpus)),
                     takt::pool(takt::copy_engines(1), takt::fifo),
                     takt::pool(takt::block_slots(p.sms, p.threads_per_sm, p.blocks_per_sm).with_warps_of(p.warp_size),
                                takt::fifo_blocks(takt::per_job_streams, takt::unguarded)));
  using board_type = std::remove_const_t<decltype(board)>;
  auto graphs = run.graphs;
  for (auto& g : graphs.graphs) { g.cluster *= cpus; }  // the first core of its cluster
  const takt::plan<most_tasks, most_visits> no_plan;
  const auto flat = takt::detail::board_flattener<board_type, most_tasks, most_visits>{board, no_plan}.run(graphs);
  if (flat.error) {
    CHECK(flat.error.fault == takt::model_fault::empty_chain);  // a graph of nothing but junctions
    return {.refused = true};
  }
  struct heard {
    door_choices choices;
    const takt::board_station* stations[8]{};
    seen_at_door seen{};
  } h{{&run, &flat.table, nodes_of_visits(run), {p.sms, p.threads_per_sm, p.blocks_per_sm}, {}, turned}, {}, {}};
  REQUIRE(h.choices.nodes.size() == flat.table.visits.size());
  h.choices.jobs.resize(flat.table.visits.size());
  for (std::size_t s = 0; s < flat.stations.size(); ++s) { h.stations[s] = &flat.stations[s]; }
  std::vector<ticks> offsets;
  std::vector<ticks> deadlines;
  for (const auto& v : flat.table.visits) {
    const ticks offset = run.work.tasks[h.choices.nodes[offsets.size()]].offset;
    offsets.push_back(run.how.early_release ? 0 : offset);
    deadlines.push_back(flat.table.tasks[v.task].deadline + offset - offsets.back());
  }
  const takt::slice_sink sink{
      &h, [](void* context, takt::client v, std::int32_t unit, ticks from, ticks to) {
        auto& at = *static_cast<heard*>(context);
        const auto& station = *at.stations[at.choices.table->visits[v].station];
        at.seen.slices.push_back({at.choices.nodes[v], 0, at.choices.jobs[v], static_cast<std::int32_t>(station.pool),
                                  station.unit + unit, from, to});
      }};
  using stations = std::remove_cvref_t<decltype(flat.stations)>;
  using engine = takt::host::engine<stations, most_tasks, most_visits, door_choices>;
  const auto at_work = std::make_unique<engine>(flat.table, flat.stations, h.choices, offsets, deadlines);
  const auto seen = at_work->run(never, sink);
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    h.seen.completed[i] = seen.tasks[i].completed;
    h.seen.responses[i] = seen.tasks[i].total_response;
  }
  std::ranges::sort(h.seen.slices);
  return h.seen;
}

auto by_older_simulator(const random_run& run) -> seen_at_door {
  seen_at_door out;
  const auto seen = graph_systems::by_graph_simulator(run);
  std::array<std::vector<ticks>, most_tasks> ends;
  for (const auto& e : seen.ends) {
    auto& of = ends[run.work.tasks[e.task].graph];
    of.resize(run.invocations[run.work.tasks[e.task].graph].size());
    of[e.job] = std::max(of[e.job], e.at);
  }
  for (std::size_t g = 0; g < run.graphs.graphs.size(); ++g) {
    out.completed[g] = ends[g].size();
    for (std::size_t j = 0; j < ends[g].size(); ++j) { out.responses[g] += ends[g][j] - run.invocations[g][j]; }
  }
  static_assert(static_cast<int>(takt::stage::cpu) == 0);
  for (auto s : seen.slices) {
    s.where = s.where == static_cast<std::int32_t>(takt::stage::copy)     ? 1
              : s.where == static_cast<std::int32_t>(takt::stage::kernel) ? 2
                                                                          : 0;
    out.slices.push_back(s);
  }
  std::ranges::sort(out.slices);
  return out;
}

struct differences {
  std::uint64_t systems = 0;
  std::uint64_t refused = 0;
  std::uint64_t slices = 0;
};

template <class Rule>
auto compare(std::uint64_t systems, const Rule& rule, bool turned = false) -> differences {
  differences out;
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    const auto run = without_what_is_refused(seed, Rule::policy, Rule::preemptive);
    const auto old = by_older_simulator(run);
    const auto seen = by_flattening(run, rule, turned);
    out.slices += seen.slices.size();
    out.refused += seen.refused ? 1U : 0U;
    out.systems += seen.refused || seen == old ? 0U : 1U;
  }
  return out;
}

}  // namespace

TEST_CASE("graphs that were flattened for a board run as the simulator of graphs runs them, slice by slice") {
  const std::uint64_t systems = composed_systems::systems_or(4'000);
  for (const auto& seen :
       {compare(systems, takt::g_edf), compare(systems, takt::g_fl), compare(systems, takt::g_fifo),
        compare(systems, takt::nonpreemptive(takt::g_edf)), compare(systems, takt::nonpreemptive(takt::g_fl))}) {
    MESSAGE(seen.slices << " slices, " << seen.refused << " systems have a graph without a visit");
    CHECK(seen.systems == 0);
    CHECK(seen.refused < systems / 5);
    CHECK(seen.slices > 10'000);
  }
}

TEST_CASE("the comparison of flattened graphs notices another order of what happens at one instant") {
  CHECK(compare(1'000, takt::g_edf, true).systems > 0);
}
