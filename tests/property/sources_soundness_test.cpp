// SPDX-License-Identifier: Apache-2.0
// Random tables of chains and of graphs, with typed tasks beside them, go through the composed doors: no run exceeds
// what was proven. What a graph becomes is held against its own longest paths.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <takt/kernels.hpp>
#include <takt/simulation.hpp>
#include <takt/takt.hpp>

#include "property/composed_systems.hpp"

namespace {

using composed_systems::draws;
using takt::duration;
using takt::ticks;

struct little {};

using chain_table = takt::task_table<ticks, 2, 8, 4>;
using dag_table = takt::graph_table<ticks, 12, 30, 2>;

auto random_chains(draws& d, ticks load) -> chain_table {
  chain_table out;
  for (int i = 0; i < 2; ++i) {
    std::array<takt::segment_record<ticks>, 4> chain{};
    const auto length = static_cast<std::size_t>(d.between(1, 4));
    ticks sum = 0;
    for (std::size_t j = 0; j < length; ++j) {
      auto& s = chain[j];
      s.where = static_cast<takt::stage>(j == 0 ? 0 : d.between(0, 2));
      s.direction = static_cast<takt::copy_direction>(d.between(0, 2));
      s.time.upper = d.one_in(8) ? 0 : d.between(1, 6) * (s.where == takt::stage::kernel ? 4 : 1);
      s.time.lower = d.between(0, s.time.upper);
      if (s.where == takt::stage::kernel) { s.overhead = d.between(0, s.time.upper); }
      if (s.where == takt::stage::kernel && d.one_in(3)) {
        s.first_sample = static_cast<std::uint32_t>(out.samples.size());
        s.samples = 1;
        out.samples.unchecked_push_back(s.time);
        if (out.samples.size() == 4) { out.samples.pop_back(), s.samples = 0; }
      }
      sum += s.time.upper;
    }
    const ticks period = sum * load / 4 + d.between(4, 16);
    REQUIRE(out.add_task(i == 0 ? "a" : "b", period, period - d.between(0, period / 8), takt::no_priority,
                         static_cast<std::int32_t>(d.between(0, 1))));
    for (std::size_t j = 0; j < length; ++j) { REQUIRE(out.add_segment(chain[j])); }
  }
  return out;
}

/// Edges lead to nodes of any position, so that the given order is no topological one.
auto random_graphs(draws& d, ticks load, bool only_processors) -> dag_table {
  dag_table out;
  for (int g = 0; g < 2; ++g) {
    const auto nodes = static_cast<std::uint32_t>(d.between(1, 6));
    REQUIRE(out.add_graph(g == 0 ? "g" : "h", 1, static_cast<std::int32_t>(d.between(0, 1))));
    const auto first = static_cast<std::uint32_t>(out.nodes.size());
    static constexpr std::array<std::string_view, 6> names{"u", "v", "w", "x", "y", "z"};
    ticks sum = 0;
    for (std::uint32_t v = 0; v < nodes; ++v) {
      takt::graph_node<ticks> n{.name = names[v]};
      n.kind = v == 0 ? takt::node_kind::processor : static_cast<takt::node_kind>(d.between(0, 3));
      if (only_processors && n.kind == takt::node_kind::copy) { n.kind = takt::node_kind::processor; }
      if (only_processors && n.kind == takt::node_kind::kernel) { n.kind = takt::node_kind::junction; }
      n.wcet = n.kind == takt::node_kind::junction ? 0 : d.between(0, 6);
      if (n.kind == takt::node_kind::kernel) {
        n.wcet = 0;
        n.blocks = d.between(1, 5);
        n.block_threads = 32;
        n.block_length = d.between(1, 3);
        n.split = d.one_in(2);
        n.launch = n.split ? d.between(0, 2) : 0;
        n.await = n.split ? d.between(0, 2) : 0;
      }
      sum += n.wcet + n.blocks * n.block_length + n.launch + n.await;
      REQUIRE(out.add_node(n));
    }
    std::array<std::uint32_t, 6> rank{0, 1, 2, 3, 4, 5};
    for (std::uint32_t v = nodes; v-- > 1;) { std::swap(rank[v], rank[static_cast<std::size_t>(d.between(0, v))]); }
    for (std::uint32_t a = 0; a < nodes; ++a) {
      for (std::uint32_t b = a + 1; b < nodes; ++b) {
        if (d.one_in(2)) { REQUIRE(out.add_edge(first + rank[a], first + rank[b])); }
      }
    }
    out.graphs[static_cast<std::size_t>(g)].period = sum * load / 4 + d.between(4, 16);
  }
  return out;
}

auto random_typed(draws& d, ticks load) {
  const ticks a = d.between(1, 4);
  const ticks b = d.between(1, 4);
  const ticks c = d.between(1, 8);
  const ticks period = (a + b + c) * load / 4 + d.between(4, 16);
  using namespace takt;
  return task_set(task("late", takt::period(duration{period}), deadline(duration{period - d.between(0, period / 8)}),
                       release_jitter(duration{d.one_in(2) ? d.between(0, period / 4) : 0}),
                       cpu(duration{d.between(0, a)}, duration{a}),
                       kernel(wcet_by_share(wcet_row::scaling(c, 500)), wcet(duration{c}), work(duration{3 * c}))),
                  task("small", takt::period(duration{(a + b) * load / 2 + d.between(4, 16)}),
                       visit<little>(takes(duration{a}, duration{a + b})), cpu(duration{b})));
}

struct counts {
  std::uint64_t refused = 0;
  std::uint64_t proven = 0;
  std::uint64_t jobs = 0;
  std::uint64_t reached = 0;
  std::uint64_t violations = 0;
};

/// What a verdict about tasks that `change` made weaker says, against runs of the tasks as they are.
template <class P, class T, class Change>
void hold(const P& board, const T& tasks, std::uint64_t seed, draws& d, const Change& change, counts& count) {
  constexpr std::size_t n = takt::tasks_of<T>;
  constexpr std::size_t v = takt::visits_of<T>;
  takt::plan<n, v> p;
  std::array<std::int32_t, 4> gpus{};
  int known = 0;
  board.each([&](const auto& pool) {
    using pool_type = std::remove_cvref_t<decltype(pool)>;
    if constexpr (std::same_as<typename pool_type::resource_type, takt::virtual_sms_resource>) {
      gpus[static_cast<std::size_t>(known++)] = takt::detail::hands_out_sms<typename pool_type::rule_type>() ? 1 : 0;
    }
  });
  const auto users = takt::detail::plan_space_of(board, tasks);
  for (std::size_t i = 0; i < users.asks.size(); ++i) {
    const auto gpu = static_cast<std::int32_t>(d.between(0, known - 1));
    const bool takes_sms = users.asks[i] && gpus[static_cast<std::size_t>(gpu)] != 0;
    REQUIRE(p.shares.try_push_back({gpu, takes_sms ? static_cast<std::int32_t>(d.between(1, 2)) : 0}));
  }
  auto flat = takt::flatten(board, tasks, p);
  if (flat.error) {
    CHECK(flat.error.fault == takt::model_fault::plan_does_not_fit);  // more SMs than there are
    ++count.refused;
    return;
  }
  const takt::analysis::detail::bounded_stations<std::remove_cvref_t<decltype(flat.stations)>> stations{flat.stations};
  auto weaker = flat.table;
  change(weaker);
  const auto verdict =
      takt::analysis::detail::best_of(takt::analysis::detail::no_known_method{}, weaker, stations, true);
  REQUIRE_FALSE(verdict.error);
  if (!verdict.schedulable()) { return; }
  ++count.proven;
  for (int run = 0; run < 4; ++run) {
    composed_systems::adversary choices{seed * 8 + static_cast<std::uint64_t>(run), flat.table,
                                        run == 0 ? 0 : 1 + run % 2};
    takt::host::engine<std::remove_cvref_t<decltype(flat.stations)>, n, v, composed_systems::adversary> engine{
        flat.table,
        flat.stations,
        choices,
        {verdict.plan.offsets.data(), verdict.plan.offsets.size()},
        {verdict.plan.local_deadlines.data(), verdict.plan.local_deadlines.size()}};
    const auto seen = engine.run(1500);
    count.violations += seen.misses();
    for (std::size_t i = 0; i < flat.table.size(); ++i) {
      count.jobs += seen.tasks[i].completed;
      count.violations += seen.tasks[i].worst_response > verdict.tasks[i].bound.value ? 1U : 0U;
      count.reached += seen.tasks[i].worst_response == verdict.tasks[i].bound.value ? 1U : 0U;
    }
  }
}

constexpr auto little_cores = takt::pool(little{}, takt::rate_monotonic);

/// The same workload on boards of different rules, one of them with two GPUs that differ in theirs.
template <class Change>
auto hold_all(std::uint64_t systems, const Change& change) -> counts {
  using namespace takt;
  const auto by_deadline = platform(pool(processors(2), edf), little_cores, pool(copy_engines(2), fifo),
                                    pool(virtual_sms(12, 2), federated));
  const auto by_priority =
      platform(pool(processors(2), deadline_monotonic), little_cores, pool(copy_engines(1), nonpreemptive(edf)),
               pool(virtual_sms(2, 2), nonpreemptive(rate_monotonic)));
  const auto two_gpus = platform(
      pool(processors(2), nonpreemptive(deadline_monotonic)), little_cores, pool(copy_engines(1), fifo),
      pool(virtual_sms(2, 2), time_slices(duration{3}, duration{1})), pool(virtual_sms(3, 2), federated_virtual));
  counts count;
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    draws d{seed};
    const ticks load = d.between(4, 20);
    const auto tasks = workload(random_chains(d, load), random_graphs(d, load, false), random_typed(d, load));
    switch (seed % 3) {
      case 0: hold(by_deadline, tasks, seed, d, change, count); break;
      case 1: hold(by_priority, tasks, seed, d, change, count); break;
      default: hold(two_gpus, tasks, seed, d, change, count);
    }
  }
  return count;
}

}  // namespace

TEST_CASE("no run exceeds what was proven of chains and graphs from tables and of typed tasks on one board") {
  const auto count = hold_all(composed_systems::systems_or(900), [](auto& /*table*/) {});
  MESSAGE(count.proven << " workloads proven, " << count.refused << " plans refused, " << count.jobs << " jobs, "
                       << count.reached << " bounds reached");
  CHECK(count.violations == 0);
  CHECK(count.proven > 100);
  CHECK(count.reached > 100);
}

TEST_CASE("the harness catches a flattening that leaves something out") {
  const auto jitter = hold_all(900, [](auto& table) {
    for (auto& t : table.tasks) { t.jitter = 0; }
  });
  MESSAGE(jitter.violations << " violations without jitter");
  CHECK(jitter.violations > 0);
  const auto last_part = hold_all(900, [](auto& table) {
    for (auto& t : table.tasks) {
      auto& last = table.visits[t.first_visit + t.visit_count - 1];
      last.lower = last.upper = 0;
    }
  });
  MESSAGE(last_part.violations << " without the last visit of each job");
  CHECK(last_part.violations > 0);
  const auto ordered = hold_all(900, [](auto& table) {  // as if every job were a chain
    for (auto& v : table.visits) { v.ancestors = (takt::visit_mask{1} << v.position) - 1; }
  });
  MESSAGE(ordered.violations << " with branches taken for chains");
  CHECK(ordered.violations > 0);
}

TEST_CASE("a graph alone with processors enough takes its longest path, and on one core the sum of its nodes") {
  using namespace takt;
  const auto many = platform(pool(processors(16), fifo));
  const auto one = platform(pool(processors(1), fifo));
  for (std::uint64_t seed = 1; seed <= composed_systems::systems_or(500); ++seed) {
    draws d{seed};
    const auto graphs = random_graphs(d, 400, true);
    for (std::size_t g = 0; g < 2; ++g) {
      dag_table alone;
      const auto& from = graphs.graphs[g];
      REQUIRE(alone.add_graph("g", from.period));
      for (std::uint32_t v = 0; v < from.nodes; ++v) { REQUIRE(alone.add_node(graphs.nodes[from.first_node + v])); }
      for (std::uint32_t e = from.first_edge; e < from.first_edge + from.edges; ++e) {
        REQUIRE(alone.add_edge(graphs.edges[e].from - from.first_node, graphs.edges[e].to - from.first_node));
      }
      std::array<ticks, 12> end{};
      ticks longest = 0;
      ticks sum = 0;
      for (int pass = 0; pass < 12; ++pass) {  // Bellman and Ford need no order
        for (std::uint32_t v = 0; v < from.nodes; ++v) {
          ticks ready = 0;
          for (const auto& e : alone.edges) { ready = e.to == v ? std::max(ready, end[e.from]) : ready; }
          end[v] = ready + alone.nodes[v].wcet;
          longest = std::max(longest, end[v]);
        }
      }
      for (const auto& n : alone.nodes) { sum += n.wcet; }
      const auto response = [&](const auto& board) {
        const auto seen = simulate(board, alone, plan<2, 36>{}, {.horizon = duration{from.period - 1}});
        REQUIRE_FALSE(seen.error);
        return seen.tasks[0].worst_response;
      };
      CHECK(response(many) == longest);
      CHECK(response(one) == sum);
    }
  }
}
