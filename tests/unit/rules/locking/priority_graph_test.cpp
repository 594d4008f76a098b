// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/rules/locking/priority_graph.hpp>
#include "support/environment.hpp"
#include "support/traces.hpp"

namespace {

using takt::edge_status;
using takt::lowest_priority;
using takt::priority_edge;
using takt::priority_node;
using takt::priority_point;

[[nodiscard]] auto runs(const char* name, int standard) -> int {
  return takt_tests::from_environment<int>(name, standard);
}

[[nodiscard]] constexpr auto point(std::int64_t p) -> priority_point { return {p, 0}; }

/// The definition: starts from the base priorities and pulls along every edge until nothing changes.
struct plain_graph {
  struct edge {
    priority_node from;
    priority_node to;
  };
  std::vector<priority_point> base;
  std::map<priority_edge, edge> edges;

  [[nodiscard]] auto fixpoint() const -> std::vector<priority_point> {
    auto best = base;
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [id, e] : edges) {
        auto& to = best[static_cast<std::size_t>(e.to)];
        const auto& from = best[static_cast<std::size_t>(e.from)];
        if (from < to) {
          to = from;
          changed = true;
        }
      }
    }
    return best;
  }
  [[nodiscard]] auto reaches(priority_node start, priority_node goal) const -> bool {
    if (start == goal) { return true; }
    return std::ranges::any_of(edges,
                               [&](const auto& e) { return e.second.from == start && reaches(e.second.to, goal); });
  }
};

constexpr std::size_t nodes = 9;
constexpr std::size_t edges = 14;

class random_history {
 public:
  explicit random_history(std::uint64_t seed) : random_{seed} { plain_.base.assign(nodes, lowest_priority); }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      step();
      const auto expected = plain_.fixpoint();
      for (priority_node n = 0; n < std::ssize(expected); ++n) {
        REQUIRE(graph_.effective(n) == expected[static_cast<std::size_t>(n)]);
        check_giver(n, expected);
      }
      if (random_.chance(1, 3)) { check_report(expected); }
    }
  }
  [[nodiscard]] auto cycles() const -> int { return cycles_; }
  [[nodiscard]] auto full() const -> int { return full_; }

 private:
  void step() {
    const auto n = static_cast<priority_node>(random_.below(nodes));
    switch (random_.below(4)) {
      case 0: {
        const auto p = random_.chance(1, 5) ? lowest_priority : point(random_.below(12));
        graph_.set_base(n, p);
        plain_.base[static_cast<std::size_t>(n)] = p;
        break;
      }
      case 1: remove_any(); break;
      default: add(n, static_cast<priority_node>(random_.below(nodes))); break;
    }
  }
  void add(priority_node from, priority_node to) {
    const bool no_room = plain_.edges.size() == edges;
    const bool closes = plain_.reaches(to, from);
    const auto added = graph_.add_edge(from, to);
    if (no_room) {
      REQUIRE(added == takt::added_edge{edge_status::full, takt::no_edge});
      ++full_;
    } else if (closes) {
      REQUIRE(added == takt::added_edge{edge_status::cycle, takt::no_edge});
      ++cycles_;
    } else {
      REQUIRE(added.status == edge_status::added);
      REQUIRE(!plain_.edges.contains(added.edge));
      REQUIRE(graph_.source(added.edge) == from);
      REQUIRE(graph_.target(added.edge) == to);
      plain_.edges[added.edge] = {from, to};
    }
  }
  void remove_any() {
    if (plain_.edges.empty()) { return; }
    auto it = plain_.edges.begin();
    std::advance(it, random_.below(std::ssize(plain_.edges)));
    graph_.remove_edge(it->first);
    plain_.edges.erase(it);
  }
  void check_giver(priority_node n, const std::vector<priority_point>& expected) const {
    const auto giver = graph_.giver(n);
    const auto value = expected[static_cast<std::size_t>(n)];
    if (giver == n) {
      REQUIRE(graph_.base(n) == value);
    } else {
      REQUIRE(expected[static_cast<std::size_t>(giver)] == value);
      REQUIRE(value < graph_.base(n));
    }
  }
  void check_report(const std::vector<priority_point>& expected) {
    auto told = told_;
    graph_.report_changes([&](priority_node n, const priority_point& p) {
      REQUIRE(told[static_cast<std::size_t>(n)] != p);
      told[static_cast<std::size_t>(n)] = p;
    });
    REQUIRE(told == expected);
    told_ = told;
    graph_.report_changes([&](priority_node, const priority_point&) { FAIL("nothing has changed since"); });
  }

  takt::random_stream random_;
  takt::priority_graph<nodes, edges> graph_;
  plain_graph plain_;
  std::vector<priority_point> told_ = std::vector<priority_point>(nodes, lowest_priority);
  int cycles_ = 0;
  int full_ = 0;
};

/// Figure 3.10 of the source: tasks 1 to 9, a callback thread of task 8 and the daemon of its GPU.
struct dependency_chain {
  static constexpr priority_node callback = 10;
  static constexpr priority_node daemon = 11;

  takt::priority_graph<12, 12> graph;
  priority_edge from_4_to_5 = takt::no_edge;

  explicit dependency_chain(const std::array<std::int64_t, 10>& base) {
    for (priority_node t = 1; t <= 9; ++t) { graph.set_base(t, point(base[static_cast<std::size_t>(t)])); }
    for (const auto& [from, to] : {std::pair{1, 2}, {2, 3}, {3, 6}, {5, 6}, {6, 8}, {7, 8}, {8, callback}}) {
      REQUIRE(graph.add_edge(from, to).status == edge_status::added);
    }
    from_4_to_5 = graph.add_edge(4, 5).edge;
    REQUIRE(graph.add_edge(8, daemon).status == edge_status::added);
    REQUIRE(graph.add_edge(9, daemon).status == edge_status::added);
  }
};

constexpr auto in_a_constant_expression() -> bool {
  takt::priority_graph<3, 2> g;
  g.set_base(0, point(1));
  g.set_base(1, point(5));
  const auto first = g.add_edge(0, 1);
  const auto second = g.add_edge(1, 2);
  const bool up = g.effective(2) == point(1) && g.giver(2) == 1 && g.giver(1) == 0;
  const bool full = g.add_edge(0, 2).status == edge_status::full;
  g.remove_edge(first.edge);
  const bool down = g.effective(2) == point(5);
  const bool cycle = g.add_edge(2, 1).status == edge_status::cycle && g.add_edge(1, 1).status == edge_status::cycle;
  g.remove_edge(second.edge);
  return up && full && down && cycle && g.effective(2) == lowest_priority;
}
static_assert(in_a_constant_expression());

}  // namespace

TEST_CASE("Elliott 2015, Figure 3.10: a callback thread and daemon run at the best priority behind them") {
  dependency_chain c{{0, 7, 6, 5, 1, 8, 9, 4, 3, 2}};
  CHECK(c.graph.effective(dependency_chain::callback) == point(1));
  CHECK(c.graph.effective(dependency_chain::daemon) == point(1));
  CHECK(c.graph.effective(5) == point(1));
  CHECK(c.graph.effective(3) == point(5));
  CHECK(c.graph.giver(dependency_chain::daemon) == 8);

  SUBCASE("stealing task 4 away lowers what came from it") {
    c.graph.remove_edge(c.from_4_to_5);
    CHECK(c.graph.effective(5) == point(8));
    CHECK(c.graph.effective(6) == point(5));
    CHECK(c.graph.effective(dependency_chain::callback) == point(3));
    CHECK(c.graph.effective(dependency_chain::daemon) == point(2));
    CHECK(c.graph.effective(4) == point(1));
  }
  SUBCASE("an exhausted budget lowers a base priority") {
    c.graph.set_base(4, point(20));
    CHECK(c.graph.effective(dependency_chain::callback) == point(3));
    CHECK(c.graph.effective(dependency_chain::daemon) == point(2));
    CHECK(c.graph.effective(4) == point(20));
  }
  SUBCASE("each exhausted budget hands the chain to the next best") {
    const std::array<std::int64_t, 8> order{4, 9, 8, 7, 3, 2, 1, 5};
    const std::array<std::int64_t, 8> daemon_after{2, 3, 4, 5, 6, 7, 8, 9};
    for (std::size_t i = 0; i < order.size(); ++i) {
      c.graph.set_base(static_cast<priority_node>(order[i]), point(100 + static_cast<std::int64_t>(i)));
      CHECK(c.graph.effective(dependency_chain::daemon) == point(daemon_after[i]));
    }
  }
}

TEST_CASE("effective priorities equal a full recomputation after every change, up or down" *
          takt_tests::traces("GSD-89")) {
  const int histories = runs("TAKT_GRAPH_RUNS", 60);
  int cycles = 0;
  int full = 0;
  for (int i = 0; i < histories; ++i) {
    random_history h{static_cast<std::uint64_t>(i)};
    h.run(200);
    cycles += h.cycles();
    full += h.full();
  }
  CHECK(cycles > histories);
  CHECK(full > histories);
}

TEST_CASE("a priority that fell and rose again is not reported") {
  takt::priority_graph<2, 1> g;
  g.set_base(0, point(3));
  std::vector<priority_node> seen;
  const auto note = [&](priority_node n, const priority_point&) { seen.push_back(n); };
  g.report_changes(note);
  CHECK(seen == std::vector<priority_node>{0});
  seen.clear();
  const auto e = g.add_edge(0, 1);
  g.remove_edge(e.edge);
  g.report_changes(note);
  CHECK(seen.empty());
  REQUIRE(g.add_edge(0, 1).status == edge_status::added);
  g.report_changes(note);
  CHECK(seen == std::vector<priority_node>{1});
}

TEST_CASE("a change crosses a ladder of diamonds in steps, not in paths") {
  constexpr priority_node rungs = 1000;
  static takt::priority_graph<3 * rungs + 1, 4 * rungs> g;
  priority_edge first = takt::no_edge;
  for (priority_node i = 0; i < rungs; ++i) {
    const priority_node top = 3 * i;
    for (const priority_node side : {top + 1, top + 2}) {
      const auto e = g.add_edge(top, side);
      if (i == 0 && side == top + 1) { first = e.edge; }
      REQUIRE(g.add_edge(side, top + 3).status == edge_status::added);
    }
  }
  const priority_node last = 3 * rungs;
  g.set_base(0, point(4));
  CHECK(g.effective(last) == point(4));
  g.set_base(0, point(2));
  CHECK(g.effective(last) == point(2));
  g.set_base(0, point(9));
  CHECK(g.effective(last) == point(9));
  g.remove_edge(first);
  CHECK(g.effective(1) == lowest_priority);
  CHECK(g.effective(last) == point(9));
  CHECK(g.add_edge(last, 0).status == edge_status::cycle);
}

TEST_CASE("a heap over many sources keeps the best of them on top") {
  constexpr priority_node sources = 200;
  static takt::priority_graph<sources + 1, sources> g;
  std::array<priority_edge, sources> edge{};
  takt::random_stream random{7};
  for (priority_node n = 0; n < sources; ++n) {
    g.set_base(n, {random.below(50), n});
    edge[static_cast<std::size_t>(n)] = g.add_edge(n, sources).edge;
  }
  for (priority_node left = sources; left > 0; --left) {
    const priority_node best = g.giver(sources);
    for (priority_node n = 0; n < sources; ++n) {
      if (edge[static_cast<std::size_t>(n)] != takt::no_edge) { REQUIRE(!(g.base(n) < g.base(best))); }
    }
    REQUIRE(g.effective(sources) == g.base(best));
    g.remove_edge(edge[static_cast<std::size_t>(best)]);
    edge[static_cast<std::size_t>(best)] = takt::no_edge;
  }
  CHECK(g.effective(sources) == lowest_priority);
}
