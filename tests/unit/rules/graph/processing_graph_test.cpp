// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>
#include <takt/core/rational.hpp>
#include <takt/rules/graph/feedback.hpp>
#include <takt/rules/graph/rate_based.hpp>
#include <takt/rules/graph/release_rule.hpp>
#include <takt/rules/graph/reorder_buffer.hpp>
#include <takt/rules/graph/sporadic_job.hpp>
#include <takt/rules/graph/token_counter.hpp>
#include "support/traces.hpp"

namespace {

using takt::model_fault;
using takt::rational;
using takt::ticks;
using takt::token_edge;
using pgm = takt::pgm_table<ticks, 8, 16>;

/// Elliott 2015, Example 2.1.
[[nodiscard]] auto example() -> pgm {
  pgm g;
  g.nodes.unchecked_push_back({.name = "1", .arrivals = 1, .window = 4, .wcet = 2});
  g.nodes.unchecked_push_back({.name = "2", .wcet = 1});
  g.nodes.unchecked_push_back({.name = "3", .wcet = 2});
  g.nodes.unchecked_push_back({.name = "4", .wcet = 3});
  g.edges.unchecked_push_back({.from = 0, .to = 1, .produce = 4, .consume = 3, .threshold = 3});
  g.edges.unchecked_push_back({.from = 0, .to = 2, .produce = 4, .consume = 3, .threshold = 3});
  g.edges.unchecked_push_back({.from = 1, .to = 3, .produce = 1, .consume = 2, .threshold = 2});
  g.edges.unchecked_push_back({.from = 2, .to = 3, .produce = 2, .consume = 4, .threshold = 4});
  return g;
}

[[nodiscard]] auto legal(const std::vector<ticks>& times, std::size_t arrivals, ticks window) -> bool {
  return takt::legal_arrivals(std::span<const ticks>(times), arrivals, window);
}

}  // namespace

TEST_CASE("a job of a sporadic task waits for the job before it, and its times follow" * takt_tests::traces("GSD-01")) {
  constexpr takt::gel_task<ticks> t{.name = "t", .wcet = 3, .period = 4, .deadline = 6};
  static_assert(takt::utilization(t) == rational{3, 4});
  static_assert(takt::deadline_kind_of(t) == takt::deadline_kind::arbitrary);
  CHECK(takt::deadline_kind_of(takt::gel_task<ticks>{.period = 4, .deadline = 4}) == takt::deadline_kind::implicit);
  CHECK(takt::deadline_kind_of(takt::gel_task<ticks>{.period = 4, .deadline = 2}) == takt::deadline_kind::constrained);
  takt::sporadic_job<ticks> first;
  takt::sporadic_job<ticks> second;
  REQUIRE(takt::next_job(t, static_cast<takt::sporadic_job<ticks>*>(nullptr), ticks{10}, ticks{17}, first));
  CHECK(first.pending == 10);
  CHECK(first.response() == 7);
  CHECK(first.lateness() == 1);
  CHECK(first.tardiness() == 1);
  CHECK_FALSE(takt::next_job(t, &first, ticks{13}, ticks{20}, second));
  CHECK_FALSE(takt::next_job(t, &first, ticks{14}, ticks{16}, second));
  REQUIRE(takt::next_job(t, &first, ticks{14}, ticks{19}, second));
  CHECK(second.pending == 17);
  CHECK(second.lateness() == -1);
  CHECK(second.tardiness() == 0);
}

TEST_CASE("a list of arrivals keeps a rate or not" * takt_tests::traces("GSD-02")) {
  CHECK(legal({0, 0, 10, 10, 20}, 2, 10));
  CHECK_FALSE(legal({0, 0, 9, 20}, 2, 10));
  CHECK_FALSE(legal({0, 5, 9}, 2, 10));
  CHECK(legal({0, 5}, 2, 10));
  CHECK(legal({}, 1, 10));
  CHECK(legal({3, 13, 23}, 1, 10));
  CHECK_FALSE(legal({3, 13, 22}, 1, 10));
  constexpr takt::job_rate<rational> rate{rational{4}, rational{12}};
  static_assert(rate.utilization(rational{2}) == rational{2, 3});
}

TEST_CASE("a processing graph with a cycle, a wrong amount or unequal rates is refused" *
          takt_tests::traces("GSD-03")) {
  auto g = example();
  CHECK_FALSE(takt::validate(g));
  SUBCASE("cycle") {
    g.edges.unchecked_push_back({.from = 3, .to = 1});
    CHECK(takt::derive_rates(g).error.fault == model_fault::cycle_without_history);
  }
  SUBCASE("threshold below what is consumed") {
    g.edges[1].threshold = 2;
    CHECK(takt::derive_rates(g).error == takt::model_error{model_fault::amount_out_of_range, 0, takt::no_index, 1});
  }
  SUBCASE("nothing produced") {
    g.edges[2].produce = 0;
    CHECK(takt::derive_rates(g).error.edge == 2);
  }
  SUBCASE("a queue that grows: a->b (1,1), a->c (2,1), b->d (1,1), c->d (1,1)") {
    for (token_edge& edge : g.edges) { edge.produce = edge.consume = edge.threshold = 1; }
    CHECK_FALSE(takt::derive_rates(g).error);
    g.edges[1].produce = 2;
    CHECK(takt::derive_rates(g).error == takt::model_error{model_fault::rates_disagree, 0, 3, 3});
  }
  SUBCASE("a second source") {
    g.nodes.unchecked_push_back({.name = "5", .arrivals = 2, .window = 24});
    g.edges.unchecked_push_back({.from = 4, .to = 3, .produce = 2, .consume = 1, .threshold = 1});
    const auto rates = takt::derive_rates(g);
    REQUIRE_FALSE(rates.error);
    CHECK(rates.nodes[3].period() == rational{6});
  }
}

TEST_CASE("tokens are counted, and a job starts at its threshold" * takt_tests::traces("GSD-03")) {
  const auto g = example();
  takt::token_counter<8> tokens{std::span<const token_edge>(g.edges.data(), g.edges.size())};
  REQUIRE(tokens.edges() == 4);
  CHECK(tokens.enabled(0));
  CHECK_FALSE(tokens.start(1));
  REQUIRE(tokens.complete(0));
  CHECK(tokens.tokens(0) == 4);
  REQUIRE(tokens.start(1));
  CHECK(tokens.tokens(0) == 1);
  CHECK_FALSE(tokens.enabled(1));
  REQUIRE(tokens.complete(1));
  CHECK_FALSE(tokens.enabled(3));
  // As many completed jobs of the producer as `jobs_needed` says, and not one less.
  for (const token_edge& edge : {token_edge{0, 1, 4, 3, 5}, token_edge{0, 1, 2, 7, 9}, token_edge{0, 1, 1, 1, 1, 2}}) {
    takt::token_counter<1> one{std::span<const token_edge>(&edge, 1)};
    std::int64_t done = 0;
    for (std::int64_t job = 1; job <= 12; ++job) {
      for (; !one.start(1); ++done) { REQUIRE(one.complete(0)); }
      CHECK(done == takt::jobs_needed(edge, job));
    }
  }
  const token_edge huge{0, 1, std::numeric_limits<std::int64_t>::max(), 1, 1};
  takt::token_counter<1> full{std::span<const token_edge>(&huge, 1)};
  CHECK(full.complete(0));
  CHECK_FALSE(full.complete(0));
}

TEST_CASE("Example 2.1 becomes rate-based tasks and sporadic tasks" * takt_tests::traces("GSD-04 GSD-05")) {
  const auto rates = takt::derive_rates(example());
  REQUIRE_FALSE(rates.error);
  for (std::uint32_t k = 0; k < 4; ++k) { CHECK(rates.order[k] == k); }
  const std::array<ticks, 4> windows{4, 12, 12, 12};
  const std::array<ticks, 4> arrivals{1, 4, 4, 2};
  const std::array<ticks, 4> periods{4, 3, 3, 6};
  const std::array<rational, 4> loads{rational{1, 2}, rational{1, 3}, rational{2, 3}, rational{1, 2}};
  for (std::size_t v = 0; v < 4; ++v) {
    CHECK(rates.nodes[v].window == rational{windows[v]});
    CHECK(rates.nodes[v].arrivals == rational{arrivals[v]});
    CHECK(rates.nodes[v].period() == rational{periods[v]});
    CHECK(rates.nodes[v].utilization(rational{example().nodes[v].wcet}) == loads[v]);
  }
}

TEST_CASE("the pedestrian detector at 30 frames per second has a period of 100/3 ms at every node" *
          takt_tests::traces("GSA-35")) {
  takt::pgm_table<rational, 4, 3> g;
  g.nodes.unchecked_push_back({.name = "yuv", .arrivals = 1, .window = rational{100, 3}});
  for (const auto* name : {"gray", "detect", "show"}) { g.nodes.unchecked_push_back({.name = name}); }
  for (std::uint32_t v = 0; v < 3; ++v) { g.edges.unchecked_push_back({.from = v, .to = v + 1}); }
  const auto rates = takt::derive_rates(g);
  REQUIRE_FALSE(rates.error);
  for (std::size_t v = 0; v < 4; ++v) {
    CHECK(rates.nodes[v].arrivals == rational{1});
    CHECK(rates.nodes[v].period() == rational{100, 3});
  }
  // With gray frames divided in two halves, and a picture shown for every three halves that were searched.
  g.edges[0].produce = 2;
  g.edges[2].consume = g.edges[2].threshold = 3;
  const auto other = takt::derive_rates(g);
  REQUIRE_FALSE(other.error);
  CHECK(other.nodes[0].period() == rational{100, 3});
  CHECK(other.nodes[1].arrivals == rational{2});
  CHECK(other.nodes[1].window == rational{100, 3});
  CHECK(other.nodes[1].period() == rational{50, 3});
  CHECK(other.nodes[2].period() == rational{50, 3});
  CHECK(other.nodes[3].arrivals == rational{2});
  CHECK(other.nodes[3].window == rational{100});
  CHECK(other.nodes[3].period() == rational{50});
}

TEST_CASE("a release moves to its tokens and never comes closer than a period to the one before" *
          takt_tests::traces("GSD-06")) {
  takt::release_rule<ticks> rule{3, 5};
  takt::node_release<ticks> r;
  REQUIRE(rule.next(10, true, r));
  CHECK(r.release == 10);
  CHECK(r.deadline == 15);
  REQUIRE(rule.next(10, true, r));  // a second job enabled at the same instant
  CHECK(r.release == 13);
  CHECK(r.deadline == 18);
  REQUIRE(rule.next(20, true, r));
  CHECK(r.release == 20);
  CHECK(r.deadline == 25);
  CHECK_FALSE(rule.next(std::numeric_limits<ticks>::max() - 1, true, r));
}

TEST_CASE("an early job keeps its deadline, and only a job that waited for tokens shifts it" *
          takt_tests::traces("GSA-40")) {
  takt::release_rule<ticks> rule{10, 10};
  takt::node_release<ticks> r;
  REQUIRE(rule.next(0, true, r));
  REQUIRE(rule.next(4, true, r));
  CHECK(r.eligible == 4);
  CHECK(r.release == 10);
  CHECK(r.deadline == 20);
  REQUIRE(rule.next(27, false, r));  // late, but its tokens were there
  CHECK(r.release == 20);
  CHECK(r.deadline == 30);
  REQUIRE(rule.next(37, true, r));
  CHECK(r.eligible == 37);
  CHECK(r.release == 37);
  CHECK(r.deadline == 47);
}

TEST_CASE("under fixed priorities a node ranks by its longest distance from a source" * takt_tests::traces("GSA-46")) {
  const std::array<token_edge, 5> edges{token_edge{0, 1}, token_edge{1, 2}, token_edge{0, 2}, token_edge{2, 4},
                                        token_edge{3, 4}};
  const auto f = takt::make_feedback<8, 16>(5, std::span<const token_edge>(edges), {});
  REQUIRE(f.complete);
  const std::array<std::int32_t, 5> depth{0, 1, 2, 0, 3};
  for (std::size_t v = 0; v < 5; ++v) {
    CHECK(f.depth[v] == depth[v]);
    CHECK(f.fifo_priority(v, 26) == 26 + depth[v]);
  }
  CHECK(f.copies == 4);
}

TEST_CASE("whoever still reads a copy holds back whoever would overwrite it" * takt_tests::traces("GSA-44")) {
  // Elliott 2015, Figure 5.6: the object that node 0 writes is still read by node 2 when node 1 is done with it.
  const std::array<token_edge, 2> edges{token_edge{0, 1}, token_edge{1, 2}};
  const std::array<takt::object_use, 3> uses{takt::object_use{"image", 0}, takt::object_use{"image", 1},
                                             takt::object_use{"image", 2}};
  const auto f =
      takt::make_feedback<4, 8>(3, std::span<const token_edge>(edges), std::span<const takt::object_use>(uses), 2);
  REQUIRE(f.complete);
  CHECK(f.copies == 2);
  REQUIRE(f.edges.size() == 3);
  CHECK(f.edges[2].from == 2);
  CHECK(f.edges[2].to == 0);
  for (const auto& e : f.edges) { CHECK(e.initial == 2); }
  const std::array<token_edge, 2> cycle{token_edge{0, 1}, token_edge{1, 0}};
  CHECK_FALSE(takt::make_feedback<4, 8>(2, std::span<const token_edge>(cycle), {}).complete);
  CHECK_FALSE(takt::make_feedback<4, 2>(3, std::span<const token_edge>(edges), std::span<const takt::object_use>(uses))
                  .complete);
}

TEST_CASE("readers of a two-frame window never find their past overwritten in a ring of M + N places" *
          takt_tests::traces("GSA-45")) {
  constexpr std::int64_t past = 2;
  // 0 writes frames, 1 compares each with the one two before it.
  const std::array<token_edge, 2> forward{token_edge{0, 1}, token_edge{.from = 0, .to = 1, .initial = past}};
  const auto f = takt::make_feedback<4, 8>(2, std::span<const token_edge>(forward), {}, 3);
  REQUIRE(f.complete);
  REQUIRE(f.edges.size() == 1);
  const std::int64_t places = takt::ring_size(f.copies, past);
  CHECK(places == 5);
  const auto overwritten = [&](std::int64_t size) {
    std::vector<token_edge> all(forward.begin(), forward.end());
    all.insert(all.end(), f.edges.begin(), f.edges.end());
    takt::token_counter<8> tokens{std::span<const token_edge>(all)};
    std::vector<std::int64_t> ring(static_cast<std::size_t>(size), -1);
    bool lost = false;
    std::int64_t written = 0;
    for (std::int64_t read = 0; read < 20; ++read) {
      for (; tokens.start(0); ++written) {  // the writer runs ahead as far as it may
        ring[static_cast<std::size_t>(written % size)] = written;
        REQUIRE(tokens.complete(0));
      }
      REQUIRE(tokens.start(1));
      if (read >= past) { lost = lost || ring[static_cast<std::size_t>((read - past) % size)] != read - past; }
      lost = lost || ring[static_cast<std::size_t>(read % size)] != read;
      REQUIRE(tokens.complete(1));
    }
    return lost;
  };
  CHECK_FALSE(overwritten(places));
  CHECK(overwritten(places - 1));
}

TEST_CASE("results that end out of order are handed on in order" * takt_tests::traces("OVX-13")) {
  takt::reorder_buffer<3> results;
  std::int64_t job = -1;
  CHECK(results.complete(2));
  CHECK_FALSE(results.complete(2));
  CHECK_FALSE(results.complete(3));
  CHECK_FALSE(results.take(job));
  CHECK(results.complete(0));
  REQUIRE(results.take(job));
  CHECK(job == 0);
  CHECK_FALSE(results.take(job));
  CHECK_FALSE(results.complete(0));
  CHECK(results.complete(1));
  REQUIRE(results.take(job));
  REQUIRE(results.take(job));
  CHECK(job == 2);
  CHECK(results.complete(3));
}

TEST_CASE("as many places as periods fit into the response bound are enough to restore the order" *
          takt_tests::traces("OVX-13")) {
  constexpr ticks period = 10;
  constexpr ticks bound = 77;
  takt::random_stream random{13};
  std::vector<std::pair<ticks, std::int64_t>> ends;
  ticks released = 0;
  for (std::int64_t job = 0; job < 500; ++job) {
    ends.emplace_back(released + (random.chance(1, 4) ? bound : random.between(1, bound)), job);
    released += period + (random.chance(1, 5) ? random.below(30) : 0);
  }
  std::ranges::sort(ends);
  CHECK_FALSE(std::ranges::is_sorted(ends, {}, &std::pair<ticks, std::int64_t>::second));
  const auto restores = [&]<std::size_t Places>(takt::reorder_buffer<Places> results) {
    std::int64_t expected = 0;
    for (const auto& [at, job] : ends) {
      if (!results.complete(job)) { return false; }
      for (std::int64_t next = 0; results.take(next); ++expected) { CHECK(next == expected); }
    }
    return expected == 500;
  };
  CHECK(restores(takt::reorder_buffer<(bound + period - 1) / period>{}));
  CHECK_FALSE(restores(takt::reorder_buffer<bound / period>{}));
}
