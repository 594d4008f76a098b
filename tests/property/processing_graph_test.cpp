// SPDX-License-Identifier: Apache-2.0
// Random processing graphs: runs with feedback edges lose no data, and latencies stay below their bounds.
// TAKT_RANDOM_PROCESSING_GRAPHS sets how many graphs each case looks at, TAKT_SEED where it begins.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <takt/analysis/methods/gel/devi_anderson.hpp>
#include <takt/core/random.hpp>
#include <takt/core/rational.hpp>
#include <takt/rules/graph/feedback.hpp>
#include <takt/rules/graph/rate_based.hpp>
#include <takt/rules/graph/release_rule.hpp>
#include <takt/rules/graph/token_counter.hpp>
#include <takt/systems/graphs/analysis/pgm_latency.hpp>
#include "support/environment.hpp"
#include "support/traces.hpp"

namespace {

using takt::random_stream;
using takt::rational;
using takt::ticks;
using takt::token_edge;

constexpr std::size_t most_nodes = 8;
constexpr std::size_t most_edges = 128;

using takt_tests::from_environment;

/// Calls `check(stream)` for each random graph.
void for_random_graphs(std::uint64_t otherwise, const auto& check) {
  random_stream seeds{from_environment("TAKT_SEED", 1)};
  const auto count = from_environment("TAKT_RANDOM_PROCESSING_GRAPHS", otherwise);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t seed = seeds.next();
    CAPTURE(seed);
    check(random_stream{seed});
  }
}

struct shared_data_graph {
  std::size_t nodes = 0;
  std::vector<token_edge> edges;
  std::vector<takt::object_use> uses;
};

[[nodiscard]] auto shared_data(random_stream& random) -> shared_data_graph {
  constexpr std::array<std::string_view, 3> objects{"x", "y", "z"};
  shared_data_graph g;
  g.nodes = static_cast<std::size_t>(random.between(3, most_nodes));
  const auto nodes = static_cast<std::uint32_t>(g.nodes);
  for (std::uint32_t b = 1; b < nodes; ++b) {
    for (std::uint32_t a = 0; a < b; ++a) {
      if (random.chance(2, 5)) { g.edges.push_back({.from = a, .to = b}); }
    }
  }
  for (const auto object : objects) {
    for (std::uint32_t v = 0; v < nodes; ++v) {
      if (random.chance(2, 5)) { g.uses.push_back({object, v}); }
    }
  }
  return g;
}

[[nodiscard]] auto reachable(const shared_data_graph& g) -> std::array<std::array<bool, most_nodes>, most_nodes> {
  std::array<std::array<bool, most_nodes>, most_nodes> reach{};
  for (std::size_t round = 0; round < g.nodes; ++round) {
    for (const auto& e : g.edges) {
      reach[e.from][e.to] = true;
      for (std::size_t v = 0; v < g.nodes; ++v) { reach[v][e.to] = reach[v][e.to] || reach[v][e.from]; }
    }
  }
  return reach;
}

/// How often, in a run on a processor per node, a job begins while a job that many copies before it, of a later user of
/// the same object, has not ended.
[[nodiscard]] auto overwrites(const shared_data_graph& g, std::vector<token_edge> edges, std::int64_t copies,
                              random_stream random) -> int {
  constexpr std::int64_t jobs = 40;
  const auto reach = reachable(g);
  takt::token_counter<most_edges> tokens{std::span<const token_edge>(edges)};
  REQUIRE(tokens.edges() == edges.size());
  std::array<std::int64_t, most_nodes> begun{};
  std::array<std::int64_t, most_nodes> ended{};
  std::array<ticks, most_nodes> until{};
  int lost = 0;
  for (ticks now = 0; *std::min_element(ended.begin(), ended.begin() + static_cast<std::ptrdiff_t>(g.nodes)) < jobs;
       ++now) {
    REQUIRE(now < 100'000);
    for (std::uint32_t v = 0; v < g.nodes; ++v) {
      if (begun[v] > ended[v] && until[v] == now) {
        ++ended[v];
        REQUIRE(tokens.complete(v));
      }
    }
    for (std::uint32_t v = 0; v < g.nodes; ++v) {
      if (begun[v] > ended[v] || begun[v] == jobs || !tokens.start(v)) { continue; }
      for (const auto& mine : g.uses) {
        for (const auto& other : g.uses) {
          const bool behind = mine.node == v && mine.object == other.object && reach[v][other.node];
          lost += behind && ended[other.node] < begun[v] - copies + 1 ? 1 : 0;
        }
      }
      ++begun[v];
      until[v] = now + random.between(1, 12);
    }
  }
  return lost;
}

struct timed_job {
  rational release;
  rational deadline;
  rational needed;  ///< latest arrival at a source that the job needs
  rational left;
};

/// A run of a processing graph under preemptive G-EDF, tasks being sequential, and its longest latencies.
class edf_run {
 public:
  using graph = takt::pgm_table<rational, most_nodes, 16>;
  using rates = takt::graph_rates<rational, most_nodes>;

  edf_run(const graph& g, const rates& r, std::size_t processors, random_stream random)
      : graph_{g}, rates_{r}, processors_{processors}, random_{random} {
    for (std::size_t v = 0; v < g.nodes.size(); ++v) {
      rules_.emplace_back(r.nodes[v].period(), r.nodes[v].period());
      latest_done_.emplace_back();
      jobs_.emplace_back();
    }
  }

  [[nodiscard]] auto run(const rational& horizon) -> const std::array<rational, most_nodes>& {
    for (std::size_t v = 0; v < graph_.nodes.size(); ++v) {
      if (!graph_.is_source(v)) { continue; }
      const auto& rate = rates_.nodes[v];
      for (rational at{random_.below(5)}; at < horizon; at += rate.window + rational{random_.below(3)}) {
        for (rational burst{0}; burst < rate.arrivals; burst += rational{1}) { release(v, at, at); }
      }
    }
    for (;;) {
      pick();
      rational next{0};
      bool any = false;
      const auto earlier = [&](const rational& at) {
        if (!any || at < next) { next = at; }
        any = true;
      };
      for (std::size_t v = 0; v < jobs_.size(); ++v) {
        if (jobs_[v].empty()) { continue; }
        if (now_ < jobs_[v].front().release) { earlier(jobs_[v].front().release); }
        if (running_[v]) { earlier(now_ + jobs_[v].front().left); }
      }
      if (!any) { return latency_; }
      advance(next);
    }
  }

 private:
  void release(std::size_t v, const rational& enabled, const rational& needed) {
    takt::node_release<rational> r;
    REQUIRE(rules_[v].next(enabled, true, r));
    const rational part{random_.between(7, 10), 10};
    jobs_[v].push_back({r.release, r.deadline, needed, graph_.nodes[v].wcet * part});
  }

  /// The released jobs of the earliest deadlines, one per task.
  void pick() {
    running_.fill(false);
    for (std::size_t p = 0; p < processors_; ++p) {
      std::size_t best = jobs_.size();
      for (std::size_t v = 0; v < jobs_.size(); ++v) {
        if (running_[v] || jobs_[v].empty() || now_ < jobs_[v].front().release) { continue; }
        if (best == jobs_.size() || jobs_[v].front().deadline < jobs_[best].front().deadline) { best = v; }
      }
      if (best == jobs_.size()) { return; }
      running_[best] = true;
    }
  }

  void advance(const rational& next) {
    std::vector<std::size_t> done;
    for (std::size_t v = 0; v < jobs_.size(); ++v) {
      if (!running_[v]) { continue; }
      jobs_[v].front().left -= next - now_;
      if (jobs_[v].front().left == rational{0}) { done.push_back(v); }
    }
    now_ = next;
    for (const std::size_t v : done) {
      const timed_job job = jobs_[v].front();
      jobs_[v].erase(jobs_[v].begin());
      latest_done_[v].push_back(job.needed);
      latency_[v] = std::max(latency_[v], now_ - job.needed);
    }
    for (std::size_t v = 0; v < jobs_.size(); ++v) { enable(v); }
  }

  /// Releases the jobs whose tokens are there.
  void enable(std::size_t v) {
    if (graph_.is_source(v)) { return; }
    for (;; ++enabled_[v]) {
      rational needed{0};
      for (const auto& edge : graph_.edges) {
        if (edge.to != v) { continue; }
        const auto count = static_cast<std::size_t>(takt::jobs_needed(edge, enabled_[v] + 1));
        if (latest_done_[edge.from].size() < count) { return; }
        needed = std::max(needed, latest_done_[edge.from][count - 1]);
      }
      release(v, now_, needed);
    }
  }

  graph graph_;
  rates rates_;
  std::size_t processors_;
  random_stream random_;
  rational now_{0};
  std::vector<takt::release_rule<rational>> rules_;
  std::vector<std::vector<timed_job>> jobs_;
  std::vector<std::vector<rational>> latest_done_;
  std::array<bool, most_nodes> running_{};
  std::array<std::int64_t, most_nodes> enabled_{};
  std::array<rational, most_nodes> latency_{};
};

constexpr std::array<std::string_view, most_nodes> names{"a", "b", "c", "d", "e", "f", "g", "h"};

/// Graphs with one path per join, whose rates therefore agree, or with equal amounts.
[[nodiscard]] auto random_rates_graph(random_stream& random) -> edf_run::graph {
  edf_run::graph g;
  const auto nodes = static_cast<std::uint32_t>(random.between(2, 6));
  const auto sources = static_cast<std::uint32_t>(random.between(1, std::min<ticks>(2, nodes - 1)));
  for (std::uint32_t v = 0; v < nodes; ++v) {
    g.nodes.unchecked_push_back(
        {.name = names[v], .arrivals = random.between(1, 3), .window = rational{random.between(4, 12)}});
  }
  for (std::uint32_t v = sources; v < nodes; ++v) {
    const std::int64_t consume = random.between(1, 3);
    g.edges.unchecked_push_back({static_cast<std::uint32_t>(random.below(v)), v, random.between(1, 4), consume,
                                 consume + random.between(0, 2)});
    for (std::uint32_t other = 0; other < v; ++other) {
      if (other == g.edges[g.edges.size() - 1].from || !random.chance(1, 3)) { continue; }
      g.edges.unchecked_push_back({other, v, random.between(1, 4), random.between(1, 3), 4});
    }
  }
  return g;
}

}  // namespace

TEST_CASE("with feedback edges no copy is overwritten early in random runs, and without them some are" *
          takt_tests::traces("GSA-44")) {
  int without = 0;
  int chain_only = 0;
  for_random_graphs(60, [&](random_stream random) {
    const auto g = shared_data(random);
    const auto forward = std::span<const token_edge>(g.edges);
    const auto f = takt::make_feedback<most_nodes, most_edges>(
        g.nodes, forward, std::span<const takt::object_use>(g.uses), random.chance(1, 2) ? 0 : random.between(1, 3));
    REQUIRE(f.complete);
    auto all = g.edges;
    all.insert(all.end(), f.edges.begin(), f.edges.end());
    CHECK(overwrites(g, all, f.copies, random) == 0);
    without += overwrites(g, g.edges, f.copies, random) > 0 ? 1 : 0;
    auto reversed = g.edges;
    for (const auto& e : g.edges) { reversed.push_back({.from = e.to, .to = e.from, .initial = f.copies}); }
    chain_only += overwrites(g, reversed, f.copies, random) > 0 ? 1 : 0;
  });
  CHECK(without > 0);
  CHECK(chain_only > 0);
}

TEST_CASE("no job of a random processing graph ends later after its inputs than the bound on its latency" *
          takt_tests::traces("GSD-07")) {
  int held = 0;
  int several_sources = 0;
  rational closest{0};
  for_random_graphs(400, [&](random_stream random) {
    auto g = random_rates_graph(random);
    const auto rates = takt::derive_rates(g);
    if (rates.error) { return; }
    const auto processors = static_cast<std::int32_t>(random.between(1, 3));
    takt::task_rows<takt::gel_task<rational>, most_nodes> tasks;
    for (std::size_t v = 0; v < g.nodes.size(); ++v) {
      const rational period = rates.nodes[v].period();
      const rational share{random.between(1, 9) * processors, 10 * static_cast<ticks>(g.nodes.size())};
      g.nodes[v].wcet = period * std::min(share, rational{1});
      tasks.add({.name = names[v], .wcet = g.nodes[v].wcet, .period = period, .deadline = period});
    }
    const auto bounds = takt::analysis::devi_anderson(tasks, processors);
    if (!bounds.bounded()) { return; }
    std::array<rational, most_nodes> response{};
    for (std::size_t v = 0; v < g.nodes.size(); ++v) {
      response[v] = std::max(bounds.tasks[v].response, tasks.tasks[v].deadline);
    }
    const auto latency = takt::analysis::end_to_end_latencies(g, rates, response);
    edf_run run{g, rates, static_cast<std::size_t>(processors), random};
    const auto& seen = run.run(rational{120});
    for (std::size_t v = 0; v < g.nodes.size(); ++v) {
      CHECK(seen[v] <= latency[v]);
      closest = std::max(closest, seen[v] / latency[v]);
    }
    ++held;
    int sources = 0;
    for (std::size_t v = 0; v < g.nodes.size(); ++v) { sources += g.is_source(v) ? 1 : 0; }
    several_sources += sources > 1 ? 1 : 0;
  });
  CHECK(held > 20);
  CHECK(several_sources > 0);
  CHECK(closest > rational{1, 2});
}
