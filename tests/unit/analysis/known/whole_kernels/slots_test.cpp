// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <takt/analysis/methods/whole_kernels/fixed_priority.hpp>
#include <takt/analysis/methods/whole_kernels/slot_edf.hpp>
#include <takt/systems/accelerators/analysis/as_published.hpp>
#include <takt/systems/accelerators/analysis/harmonic_edf.hpp>
#include <takt/systems/accelerators/analysis/slot_periodic_edf.hpp>
#include <takt/systems/accelerators/analysis/slot_simulated_edf.hpp>

#include "support/accelerator_examples.hpp"
#include "support/traces.hpp"

using namespace takt::analysis;
using namespace takt_examples;
using takt::rational;

namespace {

constexpr kernels core_0 = takt::analysis::detail::pinned_tasks(table_1, 0);
constexpr kernels core_1 = takt::analysis::detail::pinned_tasks(table_1, 1);
constexpr kernels all_cores = gang_tasks(table_1);

// Zahaf and Lipari 2020, Theorem 5, the first and the second pair.
constexpr kernels gaps_suit = set_of({{4, 5, 10}, {6, 40, 40}});
constexpr slot wide{0, 16, 20};
constexpr kernels phases_differ = set_of({{3, 10, 10}, {4, 15, 15}});
constexpr kernels harmonic = set_of({{1, 6, 6}, {2, 10, 12}, {3, 20, 24}, {6, 36, 36}});

template <class Number>
void accepts(const edf_verdict<Number>& v, const Number& at, const Number& slack) {
  CHECK(v.schedulable());
  CHECK(v.at == at);
  CHECK(v.slack == slack);
}
template <class Number>
void fails(const edf_verdict<Number>& v, const Number& at, const Number& slack) {
  CHECK(v.reason == edf_reason::demand_exceeds_supply);
  CHECK(v.at == at);
  CHECK(v.slack == slack);
}

using list = std::vector<ticks>;

auto responses(const slot_run<ticks, 8>& run) -> list {
  list out;
  for (const auto& r : run.worst) { out.push_back(r.exists ? r.value : -1); }
  return out;
}
auto responses(const takt::verdict<ticks, 8>& v) -> list {
  list out;
  for (const auto& t : v.tasks) { out.push_back(t.bound.exists ? t.bound.value : -1); }
  return out;
}

using chunk_list = std::vector<std::array<ticks, 3>>;

auto chunks_of(const chunk_graph<ticks>& graph) -> chunk_list {
  chunk_list out;
  for (const auto& c : graph.chunks) { out.push_back({c.offset, c.length, c.job}); }
  return out;
}
template <class Number>
auto is(const sporadic_task<Number>& t, const Number& wcet, const Number& deadline, const Number& period) -> bool {
  return t.wcet == wcet && t.deadline == deadline && t.period == period;
}
auto abstraction(const kernels& part, std::size_t i, const slot& s) -> sporadic_task<ticks> {
  return sporadic_abstraction(part.tasks[i].wcet, longest_chunks(make_chunk_graph(part.tasks[i], s)));
}
auto conversion(const kernels& part, std::size_t i, const slot& s) -> sporadic_task<rational> {
  const auto c = convert_harmonic(as_fractions(part).tasks[i], as_fractions(s));
  CHECK(c.applicable);
  return c.task;
}

}  // namespace

TEST_CASE("the four-task example: loads, supply values and verdicts" * takt_tests::traces("AP-04")) {
  const static_slot<ticks> supply{pinned_of_example_2};
  const linear_slot<rational> line{as_fractions(pinned_of_example_2)};
  const std::array<ticks, 13> windows{2, 4, 5, 10, 12, 15, 16, 20, 24, 28, 30, 36, 60};
  const std::array<ticks, 13> supplied{0, 0, 1, 6, 8, 8, 8, 12, 16, 16, 18, 24, 40};
  const std::array<rational, 13> linear{0,
                                        0,
                                        rational{2, 3},
                                        4,
                                        rational{16, 3},
                                        rational{22, 3},
                                        8,
                                        rational{32, 3},
                                        rational{40, 3},
                                        16,
                                        rational{52, 3},
                                        rational{64, 3},
                                        rational{112, 3}};
  for (std::size_t i = 0; i < windows.size(); ++i) {
    CHECK(supply.supply(windows[i]) == supplied[i]);
    CHECK(line.supply(windows[i]) == linear[i]);
  }
  fails(slot_supply_edf(core_0, pinned_of_example_2), ticks{30}, ticks{-1});
  accepts(slot_supply_edf(core_1, pinned_of_example_2), ticks{10}, ticks{5});
  accepts(slot_supply_edf(all_cores, gang_of_example_2), ticks{12}, ticks{0});
  CHECK(utilization(table_1) == rational{16, 15});
}

TEST_CASE("demand against the supply of a static slot" * takt_tests::traces("AP-17")) {
  fails(slot_supply_edf(gaps_suit, wide), ticks{5}, ticks{-3});
  accepts(slot_supply_edf(phases_differ, pinned_of_example_2), ticks{15}, ticks{1});
  accepts(slot_supply_edf(harmonic, slot{0, 9, 12}), ticks{6}, ticks{2});
  CHECK(slot_supply_edf(set_of({{9, 12, 12}}), pinned_of_example_2).reason == edf_reason::load_exceeds_supply);
  CHECK(slot_supply_edf(kernels{}, pinned_of_example_2).schedulable());
  CHECK(slot_supply_edf(core_1, slot{0, 0, 12}).reason == edf_reason::load_exceeds_supply);
}

TEST_CASE("the linear supply bound accepts less, never more" * takt_tests::traces("AP-18")) {
  fails(slot_linear_edf(core_0, pinned_of_example_2), rational{15}, rational{-2, 3});
  fails(slot_linear_edf(all_cores, gang_of_example_2), rational{12}, rational{-8, 3});
  fails(slot_linear_edf(gaps_suit, wide), rational{5}, rational{-16, 5});
  accepts(slot_linear_edf(phases_differ, pinned_of_example_2), rational{15}, rational{1, 3});
  accepts(slot_linear_edf(harmonic, slot{0, 9, 12}), rational{6}, rational{5, 4});
}

TEST_CASE("whatever the linear supply bound accepts the exact supply accepts, over all pairs of small tasks" *
          takt_tests::traces("AP-18")) {
  int linear = 0;
  int exact = 0;
  for (const ticks budget : {2, 5, 8, 11}) {
    const slot s{0, budget, 12};
    for (ticks a = 1; a <= 6; ++a) {
      for (ticks b = 1; b <= 12; ++b) {
        for (const auto& [short_deadline, long_deadline] : {std::pair<ticks, ticks>{12, 40}, {15, 30}, {18, 20}}) {
          const kernels pair = set_of({{a, short_deadline, 18}, {b, long_deadline, 40}});
          const bool by_line = slot_linear_edf(pair, s).schedulable();
          const bool by_supply = slot_supply_edf(pair, s).schedulable();
          CHECK((by_supply || !by_line));
          linear += by_line ? 1 : 0;
          exact += by_supply ? 1 : 0;
        }
      }
    }
  }
  CHECK(linear > 50);
  CHECK(exact > linear);
}

TEST_CASE("the chunks of the example, vertex by vertex" * takt_tests::traces("AP-19")) {
  const auto t1 = make_chunk_graph(core_0.tasks[0], pinned_of_example_2);
  CHECK(t1.pattern == 60);
  CHECK(chunks_of(t1) ==
        chunk_list{{0, 8, 0}, {12, 8, 1}, {24, 6, 2}, {30, 2, 3}, {36, 4, 3}, {40, 4, 4}, {48, 2, 4}, {50, 6, 5}});
  const auto t2 = make_chunk_graph(core_0.tasks[1], pinned_of_example_2);
  CHECK(chunks_of(t2) == chunk_list{{0, 8, 0}, {12, 3, 0}, {15, 5, 1}, {24, 6, 1}, {30, 2, 2}, {36, 8, 2}, {48, 8, 3}});
  CHECK(chunks_of(make_chunk_graph(all_cores.tasks[0], gang_of_example_2)) == chunk_list{{8, 4, 0}});
  // A slot that crosses the edge of its period begins before time 0.
  CHECK(chunks_of(make_chunk_graph(set_of({{1, 12, 12}}).tasks[0], slot{10, 4, 12})) ==
        chunk_list{{0, 2, 0}, {10, 2, 0}});
  const auto starved = make_chunk_graph(set_of({{3, 4, 4}}).tasks[0], pinned_of_example_2);
  CHECK(starved.jobs == 3);
  CHECK(starved.starved == 1);
  const auto small = make_chunk_graph<4>(core_0.tasks[0], pinned_of_example_2);
  CHECK(small.status == chunk_status::too_many);
  CHECK(slot_proportional_edf<edf_report::least_slack, 4>(core_0, pinned_of_example_2).reason ==
        edf_reason::too_many_chunks);
}

TEST_CASE("the demand of a chunk graph repeats with the pattern" * takt_tests::traces("AP-20")) {
  takt::analysis::detail::chunk_demand<ticks, 1, 8> demand;
  REQUIRE(demand.add_task(60));
  for (const auto& c : longest_chunks(make_chunk_graph(phases_differ.tasks[0], pinned_of_example_2)).chunks) {
    REQUIRE(demand.add_chunk({c.offset, c.length, 3}));
  }
  const std::array<ticks, 11> windows{3, 4, 8, 14, 18, 20, 24, 26, 30, 36, 60};
  const std::array<ticks, 11> work{0, 3, 6, 6, 6, 9, 9, 9, 9, 12, 18};
  for (std::size_t i = 0; i < windows.size(); ++i) {
    CHECK(demand.work(windows[i]) == work[i]);
    CHECK(demand.work(windows[i] + 60) == work[i] + 18);
  }
}

TEST_CASE("longest chunks and the sporadic abstraction" * takt_tests::traces("AP-21 AP-22")) {
  const auto kept = longest_chunks(make_chunk_graph(core_0.tasks[0], pinned_of_example_2));
  CHECK(chunks_of(kept) == chunk_list{{0, 8, 0}, {12, 8, 1}, {24, 6, 2}, {36, 4, 3}, {40, 4, 4}, {50, 6, 5}});
  CHECK(is<ticks>(abstraction(core_0, 0, pinned_of_example_2), 3, 4, 4));
  CHECK(is<ticks>(abstraction(core_0, 1, pinned_of_example_2), 5, 6, 12));
  CHECK(is<ticks>(abstraction(all_cores, 0, gang_of_example_2), 4, 4, 12));
  CHECK(is<ticks>(abstraction(core_1, 0, pinned_of_example_2), 1, 4, 4));
  CHECK(is<ticks>(abstraction(gaps_suit, 0, wide), 4, 5, 10));
  CHECK(is<ticks>(abstraction(gaps_suit, 1, wide), 6, 16, 40));
  // Chunks at 0, 12 and 27 of a pattern of 30: the distance over its edge is the least.
  CHECK(is<ticks>(abstraction(set_of({{1, 10, 10}}), 0, slot{12, 4, 15}), 1, 1, 3));
}

TEST_CASE("the abstraction test rejects starved jobs, which the print drops" * takt_tests::traces("AP-23")) {
  CHECK(slot_abstraction_edf(core_0, pinned_of_example_2).reason == edf_reason::load_exceeds_supply);
  CHECK(slot_abstraction_edf(core_1, pinned_of_example_2).schedulable());
  CHECK(slot_abstraction_edf(all_cores, gang_of_example_2).schedulable());
  fails(slot_abstraction_edf(harmonic, slot{0, 9, 12}), ticks{9}, ticks{-4});
  fails(slot_abstraction_edf(harmonic, slot{3, 9, 12}), ticks{9}, ticks{-5});
  CHECK(slot_abstraction_edf(set_of({{5, 10, 10}}), pinned_of_example_2).reason == edf_reason::job_exceeds_deadline);

  const kernels starved = set_of({{3, 4, 4}});
  CHECK(slot_abstraction_edf(starved, pinned_of_example_2).reason == edf_reason::starved_job);
  CHECK(as_published::slot_abstraction_edf(starved, pinned_of_example_2).schedulable());
  CHECK(takt::analysis::detail::slot_simulated_edf(starved, pinned_of_example_2).status ==
        takt::verdict_status::unschedulable);
}

TEST_CASE("supply test and abstraction test are incomparable" * takt_tests::traces("AP-24")) {
  CHECK(!slot_supply_edf(gaps_suit, wide).schedulable());
  accepts(slot_abstraction_edf(gaps_suit, wide), ticks{5}, ticks{1});
  CHECK(slot_harmonic_edf(gaps_suit, wide).schedulable());
  CHECK(responses(takt::analysis::detail::slot_simulated_edf(gaps_suit, wide)) == list{4, 10});

  CHECK(slot_supply_edf(phases_differ, pinned_of_example_2).schedulable());
  CHECK(is<ticks>(abstraction(phases_differ, 0, pinned_of_example_2), 3, 4, 4));
  CHECK(is<ticks>(abstraction(phases_differ, 1, pinned_of_example_2), 4, 6, 12));
  CHECK(slot_abstraction_edf(phases_differ, pinned_of_example_2).reason == edf_reason::load_exceeds_supply);
  CHECK(slot_harmonic_edf(phases_differ, pinned_of_example_2).reason == edf_reason::not_applicable);
  CHECK(responses(takt::analysis::detail::slot_simulated_edf(phases_differ, pinned_of_example_2)) == list{7, 11});
}

TEST_CASE("the harmonic conversion, and where it does not apply" * takt_tests::traces("AP-25")) {
  for (const auto& [s, second] : {std::pair<slot, rational>{{0, 9, 12}, 9}, {{3, 9, 12}, 7}}) {
    CHECK(is<rational>(conversion(harmonic, 0, s), 1, 3, 6));
    CHECK(is<rational>(conversion(harmonic, 1, s), 2, second, 12));
    CHECK(is<rational>(conversion(harmonic, 2, s), 3, 9, 12));
    CHECK(is<rational>(conversion(harmonic, 3, s), 2, 9, 12));
  }
  CHECK(is<rational>(conversion(set_of({{7, 30, 36}}), 0, slot{0, 9, 12}), rational{7, 2}, 9, 12));
  CHECK(slot_harmonic_edf(harmonic, slot{1, 9, 12}).reason == edf_reason::not_applicable);
  CHECK(slot_harmonic_edf(set_of({{1, 5, 5}}), slot{0, 9, 12}).reason == edf_reason::not_applicable);
}

TEST_CASE("the harmonic test is sound below the period and agrees at it" * takt_tests::traces("AP-26")) {
  accepts(slot_harmonic_edf(harmonic, slot{0, 9, 12}), rational{9}, rational{0});
  accepts(slot_harmonic_edf(harmonic, slot{3, 9, 12}), rational{9}, rational{0});
  const kernels two = set_of({{4, 6, 12}, {4, 6, 12}});
  fails(slot_harmonic_edf(two, pinned_of_example_2), rational{6}, rational{-2});
  CHECK(as_published::slot_harmonic_edf(two, pinned_of_example_2).schedulable());
  CHECK(responses(takt::analysis::detail::slot_simulated_edf(two, pinned_of_example_2)) == list{4, 8});
  CHECK(takt::analysis::detail::slot_simulated_edf(two, pinned_of_example_2).misses == 1);

  // Every pair of implicit-deadline tasks of periods 6 and 24 in every slot of period 12 that touches an edge.
  int accepted = 0;
  int rejected = 0;
  for (ticks budget = 1; budget <= 12; ++budget) {
    for (const ticks offset : {ticks{0}, budget == 12 ? ticks{0} : ticks{12 - budget}}) {
      for (ticks a = 1; a <= 4; ++a) {
        for (ticks b = 1; b <= 16; b += 3) {
          const kernels pair = set_of({{a, 6, 6}, {b, 24, 24}});
          const bool proven = slot_harmonic_edf(pair, slot{offset, budget, 12}).schedulable();
          REQUIRE(proven == slot_supply_edf(pair, slot{offset, budget, 12}).schedulable());
          REQUIRE(proven == takt::analysis::detail::slot_simulated_edf(pair, slot{offset, budget, 12}).schedulable());
          ++(proven ? accepted : rejected);
        }
      }
    }
  }
  CHECK(accepted > 50);
  CHECK(rejected > 50);
}

TEST_CASE("fixed priorities inside a slot" * takt_tests::traces("AP-X03")) {
  const auto bounds = [](const kernels& part, const slot& s) {
    return responses(slot_fixed_priority(part, rank(part), s));
  };
  CHECK(bounds(core_0, pinned_of_example_2) == list{7, -1});
  CHECK(bounds(gaps_suit, wide) == list{-1, 18});
  CHECK(bounds(harmonic, slot{0, 9, 12}) == list{4, 6, 10, 23});
  CHECK(slot_fixed_priority(harmonic, rank(harmonic), slot{3, 9, 12}).schedulable());
  CHECK(!slot_fixed_priority(harmonic, rank(harmonic), slot{0, 0, 12}).schedulable());
}

TEST_CASE("limited preemption inside a slot keeps a guard band" * takt_tests::traces("AP-X04")) {
  const kernels waves = set_of({{3, 20, 20, 1}, {4, 36, 40, 2}});
  CHECK(takt::analysis::detail::guard_band(waves) == 2);
  CHECK(takt::analysis::detail::slot_guarded_edf(waves, pinned_of_example_2).schedulable());
  CHECK(takt::analysis::detail::slot_guarded_edf(waves, slot{0, 2, 12}).reason == edf_reason::guard_fills_slot);
  CHECK(takt::analysis::detail::slot_guarded_edf(waves, slot{0, 4, 12}).reason == edf_reason::load_exceeds_supply);
  // Six units of budget in ten: 4 without the guard band, and two of blocking at 10.
  const kernels tight = set_of({{2, 10, 10, 0}, {2, 40, 40, 2}});
  fails(takt::analysis::detail::slot_guarded_edf(tight, slot{0, 5, 10}), ticks{10}, ticks{-1});
  CHECK(slot_supply_edf(tight, slot{0, 3, 10}).schedulable());
}

TEST_CASE("the chunk graph with work in proportion to length" * takt_tests::traces("AP-X05")) {
  const std::array<rational, 8> first{3, 3, 3, 1, 2, 2, 1, 3};
  const std::array<rational, 7> second{
      rational{32, 11}, rational{12, 11}, rational{20, 11}, rational{24, 11}, rational{4, 5}, rational{16, 5}, 4};
  const auto tasks = as_fractions(phases_differ).tasks;
  const auto s = as_fractions(pinned_of_example_2);
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK(takt::analysis::detail::proportional_share(rational{3}, make_chunk_graph(tasks[0], s), i) == first[i]);
  }
  for (std::size_t i = 0; i < second.size(); ++i) {
    CHECK(takt::analysis::detail::proportional_share(rational{4}, make_chunk_graph(tasks[1], s), i) == second[i]);
  }
  CHECK(slot_proportional_edf(phases_differ, pinned_of_example_2).schedulable());
  fails(slot_proportional_edf(core_0, pinned_of_example_2), rational{8}, rational{-1});
  CHECK(slot_proportional_edf(set_of({{3, 4, 4}}), pinned_of_example_2).reason == edf_reason::starved_job);
}

TEST_CASE("EDF simulated over one hyper-period decides synchronous sets" * takt_tests::traces("AP-X06")) {
  constexpr auto run = takt::analysis::detail::slot_simulated_edf(core_0, pinned_of_example_2);
  static_assert(run.status == takt::verdict_status::unschedulable);
  CHECK(responses(run) == list{11, 12});
  CHECK(responses(takt::analysis::detail::slot_simulated_edf(core_1, pinned_of_example_2)) == list{5});
  CHECK(responses(takt::analysis::detail::slot_simulated_edf(all_cores, gang_of_example_2)) == list{12});
  CHECK(responses(takt::analysis::detail::slot_simulated_edf(harmonic, slot{0, 9, 12})) == list{1, 3, 6, 20});
  CHECK(responses(takt::analysis::detail::slot_simulated_edf(harmonic, slot{3, 9, 12})) == list{4, 6, 10, 23});
  CHECK(takt::analysis::detail::slot_simulated_edf(core_0, pinned_of_example_2, run_extent::first_miss).status ==
        takt::verdict_status::unschedulable);
  CHECK(takt::analysis::detail::slot_simulated_edf(harmonic, slot{0, 9, 12}, run_extent::first_miss, 3).status ==
        takt::verdict_status::not_proven);
}

TEST_CASE("longest chunks at their exact distances" * takt_tests::traces("AP-X07")) {
  fails(takt::analysis::detail::slot_longest_chunk_edf(core_0, pinned_of_example_2), ticks{6}, ticks{-2});
  fails(takt::analysis::detail::slot_longest_chunk_edf(phases_differ, pinned_of_example_2), ticks{6}, ticks{-1});
  CHECK(takt::analysis::detail::slot_longest_chunk_edf(gaps_suit, wide).schedulable());
  CHECK(takt::analysis::detail::slot_longest_chunk_edf(core_1, pinned_of_example_2).schedulable());
}
