// SPDX-License-Identifier: Apache-2.0
// Holds the bounds of whole graphs against the simulator: fine, coarse and monolithic, with and without early
// releasing. TAKT_RANDOM_GRAPH_SYSTEMS sets how many systems each case looks at, TAKT_SEED where it begins.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/allocation/analyze.hpp>
#include <takt/core/random.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>
#include <takt/simulation/graph/simulate.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>
#include <takt/systems/graphs/analysis/coarse.hpp>
#include <takt/systems/graphs/analysis/cycles.hpp>
#include <takt/systems/graphs/analysis/fine.hpp>
#include <takt/systems/methods.hpp>
#include "support/environment.hpp"
#include "support/traces.hpp"

namespace {

/// A placement of one's own: SMs with an odd number of idle threads first.
constexpr takt::block_placement odd_sms{[](const takt::sm_capacity& left, const takt::sm_capacity& than) noexcept {
  return left.threads % 2 > than.threads % 2;
}};

namespace an = takt::analysis;
namespace sim = takt::simulation;
using takt::random_stream;
using takt::ticks;

/// A multiple of all numbers of CPUs, so that the points of each policy are whole.
constexpr ticks unit = 60;
constexpr int invocations = 8;
using described = takt::graph_table<ticks, 24, 72, 3>;
using refined = takt::refined_table<described>;

using takt_tests::from_environment;

/// What a case has looked at.
struct record {
  std::uint64_t bounded = 0;
  std::uint64_t runs = 0;
  std::uint64_t violations = 0;
  double closest = 0;  ///< greatest part of a bound that was reached

  void compare(ticks observed, ticks bound) {
    violations += observed > bound ? 1U : 0U;
    closest = std::max(closest, static_cast<double>(observed) / static_cast<double>(std::max<ticks>(bound, 1)));
  }
};

struct graph_system {
  std::unique_ptr<described> graphs = std::make_unique<described>();
  takt::graph_platform platform;

  [[nodiscard]] auto clusters() const -> std::span<const std::int32_t> {
    return {platform.clusters.data(), platform.clusters.size()};
  }
};

[[nodiscard]] auto copies_of(const graph_system& s) -> takt::copy_placement {
  return s.platform.copy_engines > 0 ? takt::copy_placement::engine : takt::copy_placement::processor;
}

class generator {
 public:
  explicit generator(std::uint64_t seed) : random{seed} {}

  /// `chains`: nodes are chains of CPU time and kernels; otherwise each is one of them, with launch and await now and
  /// then, limits of parallelism and history.
  [[nodiscard]] auto make(bool chains) -> graph_system {
    graph_system out;
    out.platform = random_platform();
    add_graphs(out, chains);
    return out;
  }
  /// Nodes of one segment on a given platform.
  [[nodiscard]] auto make_on(const takt::graph_platform& platform) -> graph_system {
    graph_system out;
    out.platform = platform;
    add_graphs(out, false);
    return out;
  }

  /// CPU nodes with history against the edges, so that most are on cycles, and a kernel now and then beside them.
  [[nodiscard]] auto make_cyclic() -> graph_system {
    graph_system out;
    REQUIRE(out.platform.clusters.try_push_back(static_cast<std::int32_t>(random.between(2, 4))));
    out.platform.sms = 1;
    out.platform.threads_per_sm = 8;
    out.platform.warp_size = 1;
    auto& t = *out.graphs;
    REQUIRE(t.add_graph("g", unit * random.between(4, 16)));
    const auto count = static_cast<std::uint32_t>(random.between(2, 6));
    for (std::uint32_t v = 0; v < count; ++v) {
      auto n = random.chance(1, 8) ? kernel_node(out.platform, false) : cpu_node(4);
      n.name = std::string_view{"abcdef"}.substr(v, 1);
      if (random.chance(1, 6)) { n.parallelism = random.between(1, 3); }
      REQUIRE(t.add_node(n));
      for (std::uint32_t u = 0; u < v; ++u) {
        if (random.chance(1, 2)) { REQUIRE(t.add_edge(u, v)); }
      }
    }
    for (ticks e = random.between(1, 3); e > 0; --e) {
      const auto from = static_cast<std::uint32_t>(random.below(count));
      const auto to = static_cast<std::uint32_t>(random.below(from + 1));
      REQUIRE(t.add_edge(from, to, static_cast<std::int32_t>(e * random.between(1, 2))));
    }
    return out;
  }

  [[nodiscard]] auto releases(const graph_system& s) -> sim::invocations<ticks> {
    sim::invocations<ticks> out;
    const bool together = random.chance(1, 2);
    const bool periodic = random.chance(1, 2);
    for (std::size_t g = 0; g < s.graphs->graphs.size(); ++g) {
      const ticks period = s.graphs->graphs[g].period;
      ticks release = together ? 0 : random.below(period);
      out.emplace_back();
      for (int j = 0; j < invocations; ++j) {
        out.back().push_back(release);
        release += period + (periodic || random.chance(2, 3) ? 0 : random.below(period));
      }
    }
    return out;
  }
  [[nodiscard]] auto lengths() -> sim::random_lengths {
    return sim::random_lengths{random.next(), random.chance(1, 3) ? 100 : 0};
  }
  [[nodiscard]] auto placement() -> takt::block_placement {
    constexpr std::array all{takt::block_placement::even, takt::block_placement::first_fit,
                             takt::block_placement::best_fit, odd_sms};
    return all[static_cast<std::size_t>(random.below(4))];
  }

  random_stream random;

 private:
  [[nodiscard]] auto random_platform() -> takt::graph_platform {
    takt::graph_platform out;
    const ticks clusters = random.between(1, 2);
    for (ticks c = 0; c < clusters; ++c) {
      REQUIRE(out.clusters.try_push_back(static_cast<std::int32_t>(random.between(2, 4))));
    }
    out.sms = static_cast<std::int32_t>(random.between(1, 2));
    out.threads_per_sm = static_cast<std::int32_t>(2 * random.between(2, 4));
    out.warp_size = static_cast<std::int32_t>(random.between(1, 2));
    out.copy_engines = static_cast<std::int32_t>(random.below(3));
    return out;
  }
  void add_graphs(graph_system& out, bool chains) {
    const ticks graphs = random.between(1, chains ? 2 : 3);
    for (ticks g = 0; g < graphs; ++g) { add_graph(out, chains); }
  }

  [[nodiscard]] auto cpu_node(ticks most) -> takt::graph_node<ticks> {
    takt::graph_node<ticks> n;
    n.wcet = unit * random.between(1, most);
    return n;
  }
  [[nodiscard]] auto copy_node() -> takt::graph_node<ticks> {
    auto n = cpu_node(3);
    n.kind = takt::node_kind::copy;
    return n;
  }
  [[nodiscard]] auto kernel_node(const takt::graph_platform& platform, bool split) -> takt::graph_node<ticks> {
    takt::graph_node<ticks> n;
    n.kind = takt::node_kind::kernel;
    n.block_length = unit * random.between(1, 3);
    n.blocks = random.between(1, 4);
    n.block_threads = static_cast<std::int32_t>(random.between(1, platform.threads_per_sm / 2));
    n.split = split;
    if (!split) { return n; }
    n.launch = unit * random.below(3);
    n.await = unit * random.below(3);
    return n;
  }

  void add_graph(graph_system& out, bool chains) {
    auto& t = *out.graphs;
    const auto cluster = static_cast<std::int32_t>(random.below(static_cast<ticks>(out.platform.clusters.size())));
    const auto name = std::string_view{"ghi"}.substr(t.graphs.size(), 1);
    REQUIRE(t.add_graph(name, unit * random.between(chains ? 8 : 4, chains ? 40 : 16), cluster));
    const auto first = static_cast<std::uint32_t>(t.nodes.size());
    const ticks count = random.between(1, chains ? 3 : 6);
    std::vector<std::uint32_t> start;
    std::vector<std::uint32_t> end;
    for (ticks v = 0; v < count; ++v) {
      start.push_back(static_cast<std::uint32_t>(t.nodes.size()));
      if (chains || random.chance(2, 3)) {
        REQUIRE(t.add_node(cpu_node(chains ? 3 : 6)));
      } else if (random.chance(1, 3)) {
        REQUIRE(t.add_node(copy_node()));
      } else {
        REQUIRE(t.add_node(kernel_node(out.platform, random.chance(2, 3))));
      }
      if (chains && random.chance(1, 3)) { REQUIRE(t.extend_node(copy_node())); }
      if (chains && random.chance(2, 3)) {
        REQUIRE(t.extend_node(kernel_node(out.platform, random.chance(1, 2))));
        REQUIRE(t.extend_node(cpu_node(2)));
      }
      end.push_back(static_cast<std::uint32_t>(t.nodes.size() - 1));
      for (std::size_t part = start.back(); part <= end.back(); ++part) {
        t.nodes[part].name = std::string_view{"abcdef"}.substr(static_cast<std::size_t>(v), 1);
      }
    }
    for (std::size_t v = 1; v < start.size(); ++v) {
      for (std::size_t u = 0; u < v; ++u) {
        if (random.chance(1, 2)) { REQUIRE(t.add_edge(end[u], start[v])); }
      }
    }
    if (chains) { return; }
    if (random.chance(1, 3)) {
      const auto lag = static_cast<std::int32_t>(random.between(1, 12));
      const auto u = static_cast<std::uint32_t>(random.below(count));
      REQUIRE(t.add_edge(first + u, first + static_cast<std::uint32_t>(random.below(count)), lag));
    }
    const auto limited = first + static_cast<std::uint32_t>(random.below(count));
    if (random.chance(1, 3)) {
      t.nodes[limited].parallelism = random.between(1, 3);
      t.nodes[limited].limit = random.chance(1, 2) ? takt::job_limit::slots : takt::job_limit::distance;
    }
  }
};

template <class Examine>
[[nodiscard]] auto over_random_systems(const Examine& examine, std::uint64_t otherwise = 120) -> record {
  record out;
  random_stream seeds{from_environment("TAKT_SEED", 1)};
  const std::uint64_t count = from_environment("TAKT_RANDOM_GRAPH_SYSTEMS", otherwise);
  for (std::uint64_t i = 0; i < count; ++i) {
    generator g{seeds.next()};
    examine(g, out);
  }
  return out;
}

void check_sound(const std::string& what, const record& r) {
  MESSAGE(what, ": ", r.bounded, " bounded, ", r.runs, " runs, ", r.violations, " violations, closest ", r.closest);
  CHECK(r.runs > 0);
  CHECK(r.violations == 0);
}

[[nodiscard]] auto random_options(random_stream& random) -> an::fine_options {
  an::fine_options o;
  constexpr std::array policies{takt::gel_policy::earliest_deadline, takt::gel_policy::fair_lateness,
                                takt::gel_policy::first_in_first_out, takt::gel_policy{.deadline = 1, .wcet = -1}};
  o.policy = policies[static_cast<std::size_t>(random.below(4))];
  o.shift = random.chance(1, 3) ? an::point_shift::if_negative : an::point_shift::to_zero;
  o.kernels = static_cast<an::kernel_bound>(random.below(3));
  return o;
}

[[nodiscard]] auto options_for(const graph_system& s, generator& g, bool early) -> sim::graph_options {
  sim::graph_options o;
  o.gpu = {.sms = s.platform.sms,
           .each = {.threads = s.platform.threads_per_sm, .warp_size = s.platform.warp_size},
           .placement = g.placement()};
  o.copy_engines = std::max(s.platform.copy_engines, 1);
  o.early_release = early;
  return o;
}

/// When jobs of tasks first work and when they end.
class job_times {
 public:
  explicit job_times(std::size_t tasks)
      : begins_(tasks, std::vector<ticks>(invocations, std::numeric_limits<ticks>::max())),
        ends_(tasks, std::vector<ticks>(invocations, 0)) {}

  void record(const takt::slice& s) {
    ticks& begin = begins_[s.task][s.job];
    begin = std::min(begin, s.start);
  }
  void record(const takt::mark& m) {
    if (m.what == takt::mark_kind::completion) { ends_[m.task][m.job] = m.time; }
  }

  /// Jobs of `to` that begin before the job of `from` so many before has ended. Those of one task follow each other.
  [[nodiscard]] auto violations(std::size_t from, std::size_t to, std::size_t lag) const -> std::uint64_t {
    std::uint64_t count = 0;
    for (std::size_t j = lag; (from != to || lag > 0) && j < invocations; ++j) {
      count += begins_[to][j] < ends_[from][j - lag] ? 1U : 0U;
    }
    return count;
  }

 private:
  std::vector<std::vector<ticks>> begins_;  ///< by task and job
  std::vector<std::vector<ticks>> ends_;
};

/// The node of a refined table that stands for a node of the graphs, alone or with the others of its cycle.
[[nodiscard]] auto task_of(const described& graphs, const refined& table, std::uint32_t node) -> std::size_t {
  const auto head = an::detail::cycle_heads(graphs)[node];
  for (std::size_t v = 0; v < table.nodes.size(); ++v) {
    if (table.nodes[v].name == graphs.nodes[head].name && table.nodes[v].kind != takt::node_kind::junction) {
      return v;
    }
  }
  return table.nodes.size();
}

void compare_ends(const sim::graph_result<ticks>& run, std::span<const ticks> bounds, record& out) {
  ++out.runs;
  for (std::size_t g = 0; g < run.responses.size(); ++g) { out.compare(run.worst_response(g), bounds[g]); }
}

}  // namespace

TEST_CASE(
    "no node or graph exceeds its bound and no offset is missed, on clusters, with "
    "history, and with guarded early releasing or without" *
    takt_tests::traces("OVX-02 OVX-03 OVX-05 OVX-29 OVX-33")) {
  for (const bool early : {false, true}) {
    check_sound(early ? "early" : "by offsets", over_random_systems([early](generator& g, record& out) {
                  const graph_system s = g.make(false);
                  const auto table = std::make_unique<refined>(takt::refine(*s.graphs, copies_of(s)));
                  const auto options = random_options(g.random);
                  const auto timing =
                      std::make_unique<an::timing_of<refined>>(fine_bounds(*table, s.platform, options));
                  if (!timing->bounded()) { return; }
                  ++out.bounded;
                  const auto points = sim::node_points(*table, s.clusters(), options.policy);
                  const auto work = sim::fine_workload<ticks>(*table, s.clusters(), timing->offset, points);
                  for (int attack = 0; attack < 2; ++attack) {
                    const auto run = sim::simulate_graphs(work, g.releases(s), options_for(s, g, early), g.lengths());
                    REQUIRE(run.ok());
                    compare_ends(run, timing->end_to_end, out);
                    out.violations += static_cast<std::uint64_t>(run.late);
                    for (std::size_t v = 0; v < table->nodes.size(); ++v) {
                      CHECK(run.tasks[v].jobs == invocations);
                      out.compare(run.tasks[v].response, timing->response[v]);
                      out.compare(run.tasks[v].enqueue_lateness, 0);
                      if (early || table->nodes[v].kind != takt::node_kind::kernel) { continue; }
                      out.compare(run.tasks[v].kernel_response, timing->response[v]);
                    }
                  }
                }));
  }
}

TEST_CASE("kernels that only their launch delays keep the bounds that take its response as jitter" *
          takt_tests::traces("OVX-X3")) {
  check_sound("launch jitter", over_random_systems([](generator& g, record& out) {
                graph_system s = g.make(false);
                for (std::size_t v = 0; v < s.graphs->nodes.size(); ++v) {
                  auto& n = s.graphs->nodes[v];
                  n.split = n.kind == takt::node_kind::kernel;
                  if (n.split) { n.launch = std::max<ticks>(n.launch, unit); }
                }
                const auto table = std::make_unique<refined>(takt::refine(*s.graphs, copies_of(s)));
                auto options = random_options(g.random);
                options.launch_jitter = true;
                const auto timing = std::make_unique<an::timing_of<refined>>(fine_bounds(*table, s.platform, options));
                if (!timing->bounded()) { return; }
                ++out.bounded;
                const auto points = sim::node_points(*table, s.clusters(), options.policy);
                auto work = sim::fine_workload<ticks>(*table, s.clusters(), timing->offset, points);
                for (std::size_t v = 1; v < work.tasks.size(); ++v) {
                  if (table->nodes[v].kind == takt::node_kind::kernel) { work.tasks[v].offset = timing->offset[v - 1]; }
                }
                for (int attack = 0; attack < 2; ++attack) {
                  const auto run = sim::simulate_graphs(work, g.releases(s), options_for(s, g, false), g.lengths());
                  REQUIRE(run.ok());
                  compare_ends(run, timing->end_to_end, out);
                  for (std::size_t v = 1; v < table->nodes.size(); ++v) {
                    if (table->nodes[v].kind != takt::node_kind::kernel) { continue; }
                    out.compare(run.tasks[v].kernel_response, timing->response[v]);
                    out.compare(run.tasks[v].enqueue_lateness, timing->response[v - 1]);
                  }
                }
              }));
}

TEST_CASE("no coarse node and no coarse graph exceeds its bound, released early or not" *
          takt_tests::traces("OVX-09 OVX-X8")) {
  check_sound(
      "coarse", over_random_systems([](generator& g, record& out) {
        const graph_system s = g.make(true);
        const an::coarse_options options{.kernels = g.random.chance(1, 2) ? an::coarse_kernel_bound::one_at_once
                                                                          : an::coarse_kernel_bound::separated,
                                         .tasks = g.random.chance(1, 2) ? an::sequential_bound::devi_anderson
                                                                        : an::sequential_bound::compliant_vector};
        const auto bounds = an::coarse_bounds(*s.graphs, s.platform, options);
        if (!bounds.timing.bounded()) { return; }
        ++out.bounded;
        const auto work = sim::coarse_workload<ticks>(*s.graphs, s.clusters(), bounds.timing.offset, copies_of(s));
        for (int attack = 0; attack < 3; ++attack) {
          const bool early = g.random.chance(1, 2);
          const auto run = sim::simulate_graphs(work, g.releases(s), options_for(s, g, early), g.lengths());
          REQUIRE(run.ok());
          compare_ends(run, bounds.timing.end_to_end, out);
          for (std::size_t v = 0; v < work.tasks.size(); ++v) {
            out.compare(run.tasks[v].response, bounds.timing.response[v]);
          }
        }
      }));
}

TEST_CASE("no graph that is one task exceeds its bound" * takt_tests::traces("OVX-10 OVX-X8")) {
  check_sound("monolithic", over_random_systems([](generator& g, record& out) {
                const graph_system s = g.make(true);
                const an::coarse_options options{.grain = an::graph_grain::graph,
                                                 .kernels = g.random.chance(1, 2) ? an::coarse_kernel_bound::one_at_once
                                                                                  : an::coarse_kernel_bound::separated};
                const auto bounds = an::coarse_bounds(*s.graphs, s.platform, options);
                if (!bounds.timing.bounded()) { return; }
                ++out.bounded;
                const auto work = sim::monolithic_workload(*s.graphs, s.clusters(), copies_of(s));
                for (int attack = 0; attack < 3; ++attack) {
                  const auto run = sim::simulate_graphs(work, g.releases(s), options_for(s, g, false), g.lengths());
                  REQUIRE(run.ok());
                  compare_ends(run, bounds.timing.end_to_end, out);
                }
              }));
}

TEST_CASE("cycles that run as one node keep its bound and every edge that they are made of" *
          takt_tests::traces("OVX-37 OVX-X5")) {
  std::uint64_t merged_nodes = 0;
  const auto seen = over_random_systems(
      [&](generator& g, record& out) {
        const graph_system s = g.make_cyclic();
        if (validate(*s.graphs)) { return; }
        const auto merged = std::make_unique<an::reshaped_graphs<described>>(an::merge_cycles(*s.graphs));
        if (merged->error) { return; }
        REQUIRE_FALSE(validate(merged->table));
        const auto table = std::make_unique<refined>(takt::refine(merged->table));
        const auto options = random_options(g.random);
        const auto timing = std::make_unique<an::timing_of<refined>>(fine_bounds(*table, s.platform, options));
        if (!timing->bounded()) { return; }
        ++out.bounded;
        merged_nodes += s.graphs->nodes.size() - merged->table.nodes.size();
        const auto points = sim::node_points(*table, s.clusters(), options.policy);
        const auto work = sim::fine_workload<ticks>(*table, s.clusters(), timing->offset, points);
        for (const bool early : {false, true}) {
          job_times times{work.tasks.size()};
          const auto run = sim::simulate_graphs(work, g.releases(s), options_for(s, g, early), g.lengths(), times);
          REQUIRE(run.ok());
          compare_ends(run, timing->end_to_end, out);
          for (std::size_t v = 0; v < work.tasks.size(); ++v) {
            out.compare(run.tasks[v].response, timing->response[v]);
          }
          for (std::size_t e = 0; e < s.graphs->edges.size(); ++e) {
            const auto& edge = s.graphs->edges[e];
            out.violations += times.violations(task_of(*s.graphs, *table, edge.from),
                                               task_of(*s.graphs, *table, edge.to), static_cast<std::size_t>(edge.lag));
          }
        }
      },
      300);
  check_sound("merged cycles", seen);
  CHECK(merged_nodes > 0);
}

TEST_CASE("no run of a set of graphs exceeds what the analysis of its platform promised" *
          takt_tests::traces("OVX-02 OVX-05 OVX-33")) {
  constexpr auto board = takt::platform(
      takt::pool(takt::processors(4), takt::clustered(takt::g_fl, 2)), takt::pool(takt::copy_engines(1), takt::fifo),
      takt::pool(takt::block_slots(2, 8).with_warps_of(2), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));
  const auto seen = over_random_systems(
      [&](generator& g, record& out) {
        const graph_system s = g.make_on(takt::graph_platform_of(board));
        const auto verdict = takt::analysis::analyze_by<takt::published>(board, *s.graphs);
        if (!verdict.bounded()) { return; }
        ++out.bounded;
        auto unlimited = verdict.plan;
        unlimited.instances.clear();
        for (const auto pattern :
             {takt::release_pattern::periodic, takt::release_pattern::sporadic, takt::release_pattern::adversarial}) {
          const takt::simulation_options options{
              .horizon = takt::duration{unit * 16 * invocations},
              .releases = pattern,
              .execution = g.random.chance(1, 2) ? takt::execution_times::random : takt::execution_times::upper,
              .seed = g.random.next()};
          const auto run = takt::simulate(board, *s.graphs, verdict.plan, options);
          REQUIRE_FALSE(run.error);
          ++out.runs;
          out.violations += run.late;
          for (std::size_t i = 0; i < run.tasks.size(); ++i) {
            CHECK(run.tasks[i].completed == run.tasks[i].released);
            CHECK(run.tasks[i].completed > 0);
            out.compare(run.tasks[i].worst_response, verdict.tasks[i].bound.value);
            for (std::size_t v = 0; v < run.tasks[i].visit_count; ++v) {
              out.compare(run.visit_response(i, v), verdict.visits[run.tasks[i].first_visit + v].response);
            }
          }
          // Instances hold no job back that starts by its offset.
          if (pattern == takt::release_pattern::adversarial) { continue; }
          CHECK(takt::simulate(board, *s.graphs, unlimited, options).responses == run.responses);
        }
      },
      400);
  check_sound("platform", seen);
}
