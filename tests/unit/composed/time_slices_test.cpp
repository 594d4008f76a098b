// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/analysis/any_stations.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/host/engine.hpp>
#include <takt/kernels.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace {

using namespace takt::literals;
using takt::ticks;

struct piece {
  takt::client who = 0;
  ticks from = 0;
  ticks to = 0;
  friend auto operator==(const piece&, const piece&) -> bool = default;
};
using pieces = std::vector<piece>;

auto into(pieces& out) -> takt::slice_sink {
  return {&out, [](void* at, takt::client who, std::int32_t /*unit*/, ticks from, ticks to) {
            static_cast<pieces*>(at)->push_back({who, from, to});
          }};
}

struct asked {
  ticks at = 0;
  std::uint32_t task = 0;
  ticks length = 0;
  takt::slice_view view{};
};
constexpr auto named(std::uint32_t number, ticks slice = 0) -> takt::slice_view {
  return {takt::slice_view::first_named + number, slice};
}

/// What a server does with requests, which stand in the order of their instants.
template <std::size_t N>
auto served(const takt::time_slice_rule& rule, const std::array<asked, N>& requests) -> pieces {
  pieces out;
  const auto sink = into(out);
  auto server = rule.make_server<N>(1);
  std::size_t next = 0;
  while (next < N || server.next() != takt::no_event) {
    ticks now = server.next();
    if (next < N && requests[next].at < now) { now = requests[next].at; }
    while (server.next() <= now && server.fire(now, sink) != takt::no_client) {}
    for (; next < N && requests[next].at == now; ++next) {
      const asked& r = requests[next];
      const auto view = r.view.context == 0 ? takt::view_values{{0, r.view.slice}} : r.view.values();
      server.arrive({.who = static_cast<takt::client>(next), .context = r.task, .length = r.length, .view = view});
    }
    server.decide(now, sink);
  }
  return out;
}

constexpr auto plain = takt::time_slices(takt::duration{2}, takt::duration{1});
constexpr auto fixed = takt::runlist_slices(takt::duration{2}, takt::duration{0});

constexpr ticks us = 1000;
auto board(const takt::time_slice_rule& rule) {
  return takt::platform(takt::pool(takt::processors(3), takt::fixed_priority),
                        takt::pool(takt::virtual_sms(4, 2), rule));
}

}  // namespace

TEST_CASE("contexts are served slice by slice, with a switch between two and none where one goes on alone") {
  // 0 has the GPU to 2. 1 comes in at 3, after a switch; 0 again at 6, 1 at 9, and 0 ends alone, in two slices.
  CHECK(served<2>(plain, {{{0, 0, 7}, {1, 1, 3}}}) ==
        pieces{{0, 0, 2}, {1, 3, 5}, {0, 6, 8}, {1, 9, 10}, {0, 11, 13}, {0, 13, 14}});
  // A context that comes back to an idle GPU pays for a switch only if it is another one.
  CHECK(served<3>(plain, {{{0, 0, 1}, {5, 0, 1}, {10, 1, 1}}}) == pieces{{0, 0, 1}, {1, 5, 6}, {2, 11, 12}});
}

TEST_CASE("a context that wakes up goes to the tail, or has its turn where its number stands") {
  const std::array<asked, 3> requests{{{0, 1, 4}, {1, 0, 1}, {1, 2, 1}}};
  const auto tail = takt::time_slices(takt::duration{2}, takt::duration{0});
  CHECK(served(tail, requests) == pieces{{0, 0, 2}, {1, 2, 3}, {2, 3, 4}, {0, 4, 6}});
  CHECK(served(fixed, requests) == pieces{{0, 0, 2}, {2, 2, 3}, {1, 3, 4}, {0, 4, 6}});
}

TEST_CASE("kernels of one context share its slice in the order of their arrival, and may give it another length") {
  // 0 and 1 are of context 7, 2 is its own.
  CHECK(served<3>(plain, {{{0, 0, 1, named(7)}, {0, 1, 3, named(7)}, {0, 2, 1}}}) ==
        pieces{{0, 0, 1}, {1, 1, 2}, {2, 3, 4}, {1, 5, 7}});
  CHECK(served<2>(plain, {{{0, 0, 5, named(7, 4)}, {0, 1, 2}}}) == pieces{{0, 0, 4}, {1, 5, 7}, {0, 8, 9}});
  // The second kernel finds more of the slice used than it has itself.
  CHECK(served<3>(plain, {{{0, 0, 3, named(7, 4)}, {0, 1, 3, named(7, 2)}, {0, 2, 1}}}) ==
        pieces{{0, 0, 3}, {2, 4, 5}, {1, 6, 8}, {1, 8, 9}});
}

TEST_CASE("a simulation shows the slices of each context, and the worked example reaches its bound") {
  // B has had the GPU when A (5) comes at 10 and B (3) again at 11: a switch to 11, A to 13, B from 14 to 16, A from 17
  // to 19, B from 20 to 21, A from 22 to 23. Three slices of A wait for two of B, at the cost of five switches:
  // 5 + 3 + 5 = 13. Full turns would be 5 + 3 (2 + 1 + 1) = 17.
  takt::visit_table<2, 2> set;
  REQUIRE(set.add_task({.name = "A", .period = 1000, .deadline = 1000}));
  REQUIRE(set.add_next(0, 5, 5));
  REQUIRE(set.add_task({.name = "B", .period = 500, .deadline = 500}));
  REQUIRE(set.add_next(0, 3, 3));
  takt::any_stations<1, 2> places;
  REQUIRE(places.add(plain));
  struct script {
    static auto gap(std::uint32_t task, std::uint64_t job, ticks period) -> ticks {
      return job == 0 ? (task == 0 ? 1010 : 511) : period;
    }
    static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
    static auto length(const takt::visit_record& v, std::uint64_t /*job*/) -> ticks { return v.upper; }
  } choices;
  takt::host::engine<takt::any_stations<1, 2>, 2, 2, script> engine{set, places, choices};
  pieces seen;
  const auto run = engine.run(1400, into(seen));
  CHECK(seen == pieces{{1, 511, 513},
                       {1, 513, 514},
                       {0, 1011, 1013},
                       {1, 1014, 1016},
                       {0, 1017, 1019},
                       {1, 1020, 1021},
                       {0, 1022, 1023}});
  CHECK(run.tasks[0].worst_response == 13);
  const auto verdict = takt::analysis::holistic(set, places);
  REQUIRE(verdict.schedulable());
  CHECK(verdict.tasks[0].bound.value == 13);
  CHECK(verdict.tasks[1].bound.value == 3 + 2 * (2 + 1 + 1));
}

TEST_CASE("others take what they ask for, or full turns where they could ask for more") {
  const auto bound = [](ticks period) {
    takt::visit_table<3, 3> set;
    for (const ticks t : {ticks{10'000}, period, period}) {
      REQUIRE(set.add_task({.name = "t", .period = t, .deadline = t}));
      REQUIRE(set.add_next(0, 10, 10));
    }
    takt::any_stations<1, 3> places;
    REQUIRE(places.add(takt::time_slices(takt::duration{4}, takt::duration{1})));
    const auto verdict = takt::analysis::holistic(set, places);
    REQUIRE(verdict.schedulable());
    return verdict.tasks[0].bound.value;
  };
  CHECK(bound(200) == 10 + 2 * 10 + 9);            // a job of each, in three turns, and a switch before all nine
  CHECK(bound(60) == 10 + 3 * (2 * (4 + 1) + 1));  // two jobs of each would not fit into three turns
}

TEST_CASE("kernels say their contexts and slices, and what they say is proven and simulated") {
  constexpr auto mine = takt::kernel(takt::work(8_ms), takt::interleave(1), takt::in_context(0));
  constexpr auto other =
      takt::kernel(takt::work(16_ms), takt::interleave(1), takt::in_context(0), takt::own_slice(2_ms));
  constexpr auto third = takt::kernel(takt::wcet(3_ms), takt::own_slice(500_us));
  const auto tasks =
      takt::task_set(takt::task("mine", takt::period(100_ms), takt::on_core(0), mine),
                     takt::task("other", takt::period(100_ms), takt::on_core(1), other),
                     takt::task("third", takt::period(100_ms), takt::on_core(2), takt::cpu(0_ms), third));
  const auto places = board(takt::time_slices(1_ms, 100_us));
  const auto verdict = takt::analyze(places, tasks, takt::published_methods);
  REQUIRE(verdict.schedulable());
  // 1 ms behind 2 ms of the same context, in slices of at least 1 ms: 3 waits, each for a slice of 500 us of "third".
  CHECK(verdict.tasks[0].bound.value == 3000 * us + 3 * (500 + 100 + 100) * us);
  CHECK(verdict.tasks[1].bound.value == verdict.tasks[0].bound.value);
  // 3 ms in six slices: one job of each of the others, three ms in all, in three turns at most, as each is head of at
  // most one (1 ms by 1 ms, 2 ms by 2 ms).
  CHECK(verdict.tasks[2].bound.value == 3000 * us + 3000 * us + (2 + 3) * 100 * us);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    takt::simulation_options options;
    options.horizon = 1_s;
    options.seed = seed;
    options.releases = takt::release_pattern::sporadic;
    const auto seen = takt::simulate(places, tasks, takt::plan<3>{}, options);
    REQUIRE_FALSE(seen.error);
    for (std::size_t i = 0; i < 3; ++i) { CHECK(seen.tasks[i].worst_response <= verdict.tasks[i].bound.value); }
  }
  CHECK(takt::analyze(board(takt::runlist_slices(1_ms, 100_us)), tasks, takt::published_methods).tasks[0].bound.value ==
        verdict.tasks[0].bound.value);
  // The same as values.
  auto described = takt::to_runtime_tasks(tasks);
  REQUIRE_FALSE(described.error);
  const auto same = takt::analyze(places, described.tasks, takt::published_methods);
  REQUIRE(same.schedulable());
  for (std::size_t i = 0; i < 3; ++i) { CHECK(same.tasks[i].bound.value == verdict.tasks[i].bound.value); }
  described.tasks.visits[1].slice = 0;
  CHECK(takt::analyze(places, described.tasks, takt::published_methods).error.fault ==
        takt::model_fault::slice_out_of_range);
  described.tasks.visits[1].slice = 2'000 * us;
  described.tasks.visits[1].context = -1;
  CHECK(takt::analyze(places, described.tasks, takt::published_methods).error.fault ==
        takt::model_fault::negative_context);
}

TEST_CASE("a slice of nothing, a switch in negative time and a negative context are refused by name") {
  using takt::model_fault;
  const auto tasks = takt::task_set(
      takt::task("a", takt::period(9_ms), takt::cpu(1_ms), takt::kernel(takt::work(8_ms), takt::interleave(1))));
  const auto fault = [&](takt::duration slice, takt::duration switching) {
    return takt::analyze(board(takt::time_slices(slice, switching)), tasks, takt::published_methods).error.fault;
  };
  CHECK(fault(1_ms, 0_ms) == model_fault::none);
  CHECK(fault(0_ms, 0_ms) == model_fault::slice_out_of_range);
  CHECK(fault(takt::duration{-1}, 0_ms) == model_fault::slice_out_of_range);
  CHECK(fault(takt::duration{(ticks{1} << 40) + 1}, 0_ms) == model_fault::slice_out_of_range);
  CHECK(fault(1_ms, takt::duration{-1}) == model_fault::switch_out_of_range);
  CHECK(fault(1_ms, takt::duration{(ticks{1} << 40) + 1}) == model_fault::switch_out_of_range);
  const auto of_kernel = [](const auto& kernel) {
    return takt::analyze(board(plain), takt::task_set(takt::task("a", takt::period(9_ms), kernel)),
                         takt::published_methods)
        .error;
  };
  CHECK(of_kernel(takt::kernel(takt::work(8_ms), takt::interleave(1), takt::in_context(-1))) ==
        takt::fault_at(model_fault::negative_context, 0, 0));
  CHECK(of_kernel(takt::kernel(takt::work(8_ms), takt::interleave(1), takt::own_slice(0_ms))) ==
        takt::fault_at(model_fault::slice_out_of_range, 0, 0));
}
