// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>
#include <takt/rules/graph/feedback.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/locked_gpus/simulation/run_graphs.hpp>
#include <takt/systems/locked_gpus/simulation/varied_work.hpp>
#include "support/traces.hpp"

namespace {

namespace simulation = takt::simulation;
using simulation::detail::token_graph;
using takt::ticks;
using takt::token_edge;

/// Times by task and job; the rest of the jobs as the last one.
struct listed_work {
  std::vector<std::vector<ticks>> times;
  [[nodiscard]] auto time(const takt::host::work_item& item, ticks /*worst*/) const -> ticks {
    const auto& own = times[item.task];
    return own[std::min(item.job, own.size() - 1)];
  }
  [[nodiscard]] static auto repetitions(const takt::host::work_item& /*item*/) -> std::int32_t { return 1; }
};

[[nodiscard]] auto plain_system(std::int32_t processors, std::size_t tasks, ticks longest = 100)
    -> takt::host::gpu_system {
  takt::host::gpu_system s;
  s.processors = processors;
  s.programs.assign(tasks, {});
  for (auto& p : s.programs) { p.cpu_before = longest; }
  return s;
}
[[nodiscard]] auto chain(std::size_t nodes, ticks period, std::size_t jobs) -> takt::simulation::detail::token_graph {
  takt::simulation::detail::token_graph g;
  g.nodes = static_cast<std::uint32_t>(nodes);
  g.period = period;
  g.jobs = jobs;
  g.order.assign(nodes, {1, period});
  for (std::uint32_t v = 0; v + 1 < nodes; ++v) { g.edges.push_back({.from = v, .to = v + 1}); }
  return g;
}
template <class Work, class Recorder>
[[nodiscard]] auto run(const takt::host::gpu_system& s, const takt::simulation::detail::token_graph& g,
                       const Work& work, Recorder& recorder) -> simulation::detail::graph_run {
  auto out = simulation::detail::run_gpu_graphs<16>(s, std::span{&g, 1}, work, {.until = 100'000}, recorder);
  REQUIRE(!out.run.locks.error);
  return out;
}
template <class Work>
[[nodiscard]] auto run(const takt::host::gpu_system& s, const takt::simulation::detail::token_graph& g,
                       const Work& work) -> simulation::detail::graph_run {
  takt::null_recorder null_sink;
  return run(s, g, work, null_sink);
}
[[nodiscard]] auto finishes(const simulation::detail::graph_run& r, std::size_t task) -> std::vector<ticks> {
  std::vector<ticks> out;
  const auto& t = r.run.tasks[task];
  for (std::size_t j = 0; j < t.job_count; ++j) { out.push_back(r.run.locks.jobs[t.first_job + j].finish); }
  return out;
}
using instants = std::vector<ticks>;
using release_list = std::vector<instants>;
[[nodiscard]] auto releases(const simulation::detail::graph_run& r, std::size_t task) -> release_list {
  release_list out;
  for (const auto& x : r.releases[task]) { out.push_back({x.eligible, x.release, x.deadline}); }
  return out;
}

TEST_CASE("late tokens shift release and deadline of a node for good, early ones leave the deadline" *
          takt_tests::traces("GSA-49")) {
  // The source ends at 3, 18 and 21. The second job of the other waits until 18; the third finds its tokens at 22.
  const auto r = run(plain_system(2, 2), chain(2, 10, 3), listed_work{{{3, 8, 1}, {4}}});
  CHECK(finishes(r, 0) == instants{3, 18, 21});
  CHECK(finishes(r, 1) == instants{7, 22, 26});
  CHECK(releases(r, 0) == release_list{{0, 0, 10}, {10, 10, 20}, {20, 20, 30}});
  CHECK(releases(r, 1) == release_list{{3, 3, 13}, {18, 18, 28}, {22, 28, 38}});
}

TEST_CASE("a node that is late by itself, with its tokens there, keeps the releases of its period" *
          takt_tests::traces("GSA-49")) {
  const auto r = run(plain_system(2, 2), chain(2, 10, 3), listed_work{{{3}, {15}}});
  CHECK(finishes(r, 1) == instants{18, 33, 48});
  CHECK(releases(r, 1) == release_list{{3, 3, 13}, {13, 13, 23}, {23, 23, 33}});
}

TEST_CASE("feedback holds jobs back and leaves their releases and deadlines alone" * takt_tests::traces("GSA-49")) {
  takt::simulation::detail::token_graph g = chain(2, 10, 3);
  g.feedback = {{.from = 1, .to = 0, .initial = 1}};
  const auto r = run(plain_system(2, 2), g, listed_work{{{3}, {15}}});
  CHECK(finishes(r, 0) == instants{3, 21, 39});
  CHECK(finishes(r, 1) == instants{18, 36, 54});
  CHECK(releases(r, 0) == release_list{{0, 0, 10}, {10, 10, 20}, {20, 20, 30}});
  CHECK(releases(r, 1) == release_list{{3, 3, 13}, {21, 21, 31}, {39, 39, 49}});
}

TEST_CASE("what reads the past starts with its initial tokens, and a join waits for the last one" *
          takt_tests::traces("GSA-49")) {
  takt::simulation::detail::token_graph g =
      chain(3, 10, 2);  // 0 -> 1 -> 2, and 2 reads what 1 wrote a frame ago and what 0 writes now
  g.edges = {{.from = 0, .to = 1}, {.from = 1, .to = 2, .initial = 1}, {.from = 0, .to = 2}};
  const auto r = run(plain_system(3, 3), g, listed_work{{{2}, {9}, {1}}});
  CHECK(finishes(r, 1) == instants{11, 21});
  CHECK(finishes(r, 2) == instants{3, 13});
  g.edges[1].initial = 0;
  CHECK(finishes(run(plain_system(3, 3), g, listed_work{{{2}, {9}, {1}}}), 2) == instants{12, 22});
}

TEST_CASE("an early job ranks behind one with an earlier deadline on one CPU" * takt_tests::traces("GSA-49")) {
  // Graph B (period 12) takes the CPU from an early job of A's second node, whose deadline is that of its period.
  std::array<takt::simulation::detail::token_graph, 2> graphs{chain(2, 30, 2), chain(1, 12, 5)};
  graphs[1].first_task = 2;
  takt::null_recorder null_sink;
  const auto r = simulation::detail::run_gpu_graphs<16>(plain_system(1, 3), graphs, listed_work{{{2}, {9}, {3}}},
                                                        {.until = 60}, null_sink);
  // 0: B to 3, A0 to 5, A1 (deadline 35) to 12, B to 15, A1 to 17; B at 24 and 36; at 30 A0 again.
  CHECK(finishes(r, 1).front() == 17);
  CHECK(finishes(r, 0) == instants{5, 32});
  CHECK(releases(r, 1).back() == instants{32, 35, 65});
  CHECK(finishes(r, 2) == instants{3, 15, 27, 39, 51});
  CHECK(finishes(r, 1).back() == 44);
}

TEST_CASE("a run that ends early reports what is complete by then and no more" * takt_tests::traces("GSA-49")) {
  const auto all = run(plain_system(1, 3), chain(3, 10, 40), listed_work{{{3}, {4}, {2}}});
  const takt::simulation::detail::token_graph g = chain(3, 10, 40);
  takt::null_recorder null_sink;
  const auto cut = simulation::detail::run_gpu_graphs<16>(plain_system(1, 3), std::span{&g, 1},
                                                          listed_work{{{3}, {4}, {2}}}, {.until = 133}, null_sink);
  for (std::size_t t = 0; t < 3; ++t) {
    auto expected = finishes(all, t);
    for (ticks& f : expected) { f = f > 133 ? takt::no_instant : f; }
    CHECK(finishes(cut, t) == expected);
  }
}

struct random_graph {
  takt::simulation::detail::token_graph graph;
  std::vector<takt::object_use> uses;
  std::int64_t copies = 1;
};

/// Objects that a node writes and a few later ones use, so that edges follow.
[[nodiscard]] auto draw(takt::random_stream& random) -> random_graph {
  static constexpr std::array<std::string_view, 8> names{"a", "b", "c", "d", "e", "f", "g", "h"};
  const auto nodes = static_cast<std::uint32_t>(random.between(3, 8));
  random_graph out{.graph = chain(1, random.between(5, 30), 40), .uses = {}, .copies = random.between(1, 4)};
  takt::simulation::detail::token_graph& g = out.graph;
  g.nodes = nodes;
  g.order.assign(nodes, {1, g.period});
  for (std::uint32_t v = 0; v + 1 < nodes; ++v) {
    out.uses.push_back({names[v], v});
    std::uint32_t last = v;
    for (std::uint32_t w = v + 1; w < nodes; ++w) {  // an object passes through nodes that all work on it
      if (w != v + 1 && !random.chance(1, 2)) { continue; }
      g.edges.push_back({.from = last, .to = w});
      out.uses.push_back({names[v], w});
      last = w;
    }
  }
  std::ranges::sort(g.edges, {}, [](const token_edge& e) { return e.from * 8 + e.to; });
  const auto [first, last] = std::ranges::unique(g.edges);
  g.edges.erase(first, last);
  return out;
}

/// Uses of a copy that begin before an earlier use of the same copy by a later node is over.
[[nodiscard]] auto overwritten(const random_graph& r, const simulation::detail::graph_run& run, const takt::trace& seen)
    -> std::size_t {
  std::vector<std::vector<ticks>> starts(r.graph.nodes, std::vector<ticks>(r.graph.jobs, takt::no_instant));
  for (const auto& s : seen.slices()) {
    ticks& start = starts[s.task][s.job];
    if (start == takt::no_instant) { start = s.start; }
  }
  std::size_t count = 0;
  for (const auto& a : r.uses) {
    for (const auto& b : r.uses) {
      if (a.object != b.object || b.node <= a.node) { continue; }
      const auto ends = finishes(run, b.node);
      for (auto j = static_cast<std::size_t>(r.copies); j < r.graph.jobs; ++j) {
        const ticks over = ends[j - static_cast<std::size_t>(r.copies)];
        const ticks start = starts[a.node][j];
        if (start != takt::no_instant && (over == takt::no_instant || start < over)) { ++count; }
      }
    }
  }
  return count;
}

TEST_CASE("no copy of an object is overwritten while it is read; without feedback some are" *
          takt_tests::traces("GSA-49")) {
  takt::random_stream random{11};
  std::size_t hazards_without = 0;
  for (std::uint64_t round = 0; round < 60; ++round) {
    CAPTURE(round);
    random_graph r = draw(random);
    const auto feedback = takt::make_feedback<8, 64>(r.graph.nodes, r.graph.edges, r.uses, r.copies);
    REQUIRE(feedback.complete);
    const auto system = plain_system(static_cast<std::int32_t>(random.between(1, 8)), r.graph.nodes, 12);
    const simulation::detail::varied_work work{takt::execution_times::random, {}, round};
    takt::trace without;
    hazards_without += overwritten(r, run(system, r.graph, work, without), without);
    r.graph.feedback.assign(feedback.edges.begin(), feedback.edges.end());
    takt::trace seen;
    const auto with = run(system, r.graph, work, seen);
    CHECK(overwritten(r, with, seen) == 0);
    for (std::size_t v = 0; v < r.graph.nodes; ++v) { CHECK(finishes(with, v).back() != takt::no_instant); }
  }
  CHECK(hazards_without > 100);
}

}  // namespace
