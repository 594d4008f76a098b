// SPDX-License-Identifier: Apache-2.0
// Processors that are scheduled as clusters or globally.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <takt/analysis/any_stations.hpp>
#include <takt/graphs.hpp>
#include <takt/kernels.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace {

namespace an = takt::analysis;
using namespace takt::literals;
using takt::ticks;
using takt::visit_demand;

constexpr auto tasks =
    takt::task_set(takt::task("camera", takt::period(30_ms), takt::on_core(0), takt::cpu(2_ms), takt::copy(1_ms),
                              takt::kernel(takt::work(4_ms), takt::interleave(1)), takt::copy(1_ms), takt::cpu(2_ms)),
                   takt::task("radar", takt::period(20_ms), takt::on_core(1), takt::cpu(5_ms)),
                   takt::task("plan", takt::period(20_ms), takt::on_core(0), takt::cpu(6_ms)),
                   takt::task("log", takt::period(40_ms), takt::on_core(3), takt::cpu(9_ms)));
constexpr auto engine = takt::pool(takt::copy_engines(1), takt::fifo);
constexpr auto gpu = takt::pool(takt::virtual_sms(4, 2), takt::federated);

template <class Rule>
[[nodiscard]] constexpr auto board(std::int32_t processors, const Rule& rule) {
  return takt::platform(takt::pool(takt::processors(processors), rule), engine, gpu);
}

/// Sporadic visits without jitter, each of a task of its own with an implicit deadline.
template <std::size_t N>
[[nodiscard]] constexpr auto visits_of(const std::array<std::array<ticks, 2>, N>& given) {
  std::array<visit_demand, N> out{};
  for (std::size_t i = 0; i < N; ++i) {
    const auto [wcet, period] = given[i];
    out[i] = {.task = static_cast<std::uint32_t>(i),
              .point = {period, static_cast<std::int32_t>(i)},
              .wcet = wcet,
              .period = period,
              .deadline = period,
              .job_deadline = period,
              .limit = period,
              .response = wcet};
  }
  return out;
}
template <std::size_t N>
[[nodiscard]] constexpr auto responses_of(const std::array<visit_demand, N>& visits) -> std::array<ticks, N> {
  std::array<ticks, N> out{};
  for (std::size_t i = 0; i < N; ++i) { out[i] = visits[i].response; }
  return out;
}

}  // namespace

TEST_CASE("clusters and global rules are proven in constant expressions and simulated") {
  constexpr auto clusters = board(4, takt::clustered(takt::edf, 2));
  constexpr auto verdict = takt::analyze(clusters, tasks, takt::published_methods);
  static_assert(verdict.schedulable());
  constexpr auto seen = takt::simulate(clusters, tasks, verdict.plan, {.horizon = 120_ms});
  static_assert(!seen.error && seen.misses() == 0 && seen.tasks[1].completed == 6);
  static_assert(seen.tasks[3].worst_response == (9_ms).count());  // nobody shares its cluster
  static_assert(verdict.tasks[3].bound.value == (9_ms).count());
  static_assert(takt::analyze(board(2, takt::g_edf), tasks, takt::published_methods).schedulable());
  static_assert(takt::analyze(board(2, takt::g_fl), tasks, takt::published_methods).schedulable());
  static_assert(takt::analyze(board(2, takt::g_fifo), tasks, takt::published_methods).schedulable());
  static_assert(
      takt::analyze(board(2, takt::nonpreemptive(takt::g_edf)), tasks, takt::published_methods).schedulable());
  static_assert(takt::analyze(board(4, takt::clustered(takt::deadline_monotonic, 4)), tasks, takt::published_methods)
                    .schedulable());
}

TEST_CASE("a cluster of one processor is a processor by itself, whatever it is written as") {
  const auto apart = takt::analyze(board(4, takt::edf), tasks, takt::published_methods);
  const auto clusters = takt::analyze(board(4, takt::clustered(takt::edf, 1)), tasks, takt::published_methods);
  for (std::size_t i = 0; i < 4; ++i) { CHECK(apart.tasks[i].bound.value == clusters.tasks[i].bound.value); }
  static_assert(std::same_as<decltype(takt::clustered(takt::edf, 2)), decltype(takt::clustered(takt::g_edf, 2))>);
  static_assert(std::same_as<decltype(takt::nonpreemptive(takt::clustered(takt::edf, 2))),
                             decltype(takt::clustered(takt::nonpreemptive(takt::edf), 2))>);
}

TEST_CASE("clusters that do not fit the processors, and cores under a rule that uses all of them, are refused") {
  const auto fault = [](const auto& given) { return takt::analyze(given, tasks, takt::published_methods).error.fault; };
  for (const std::int32_t together : {-1, 0, 3, 8}) {
    const auto uneven = board(4, takt::clustered(takt::g_edf, together));
    CHECK(fault(uneven) == takt::model_fault::platform_size_out_of_range);
    CHECK(takt::simulate(uneven, tasks, takt::plan<4>{}).error.fault == takt::model_fault::platform_size_out_of_range);
  }
  auto plan = takt::analyze(board(4, takt::g_edf), tasks, takt::published_methods).plan;
  for (int i = 0; i < 4; ++i) { REQUIRE(plan.cores.try_push_back(0)); }
  CHECK(takt::analyze(board(4, takt::g_edf), tasks, plan, takt::published_methods).error.fault ==
        takt::model_fault::plan_part_unused);
  CHECK(takt::simulate(board(4, takt::g_edf), tasks, plan).error.fault == takt::model_fault::plan_part_unused);
  const auto clusters = board(4, takt::clustered(takt::g_edf, 2));
  CHECK(takt::analyze(clusters, tasks, plan, takt::published_methods).error.fault == takt::model_fault::none);
  plan.cores[2] = 4;
  CHECK(takt::analyze(clusters, tasks, plan, takt::published_methods).error.fault ==
        takt::model_fault::core_out_of_range);
  CHECK(fault(board(2, takt::clustered(takt::deadline_monotonic, 2))) == takt::model_fault::core_out_of_range);
  plan.cores[2] = -1;
  CHECK(takt::analyze(clusters, tasks, plan, takt::published_methods).error.fault == takt::model_fault::negative_core);
  const auto sliced =
      takt::platform(takt::pool(takt::processors(2), takt::clustered(takt::time_slices(1_ms, 0_ms), 2)), engine, gpu);
  CHECK(takt::analyze(sliced, tasks, takt::published_methods).error.fault ==
        takt::model_fault::platform_size_out_of_range);
}

TEST_CASE("a task runs on the processors of its core's cluster") {
  auto plan = takt::analyze(board(4, takt::clustered(takt::g_edf, 2)), tasks, takt::published_methods).plan;
  for (const std::int32_t core : {0, 1, 1, 1}) { REQUIRE(plan.cores.try_push_back(core)); }
  const auto clusters = board(4, takt::clustered(takt::g_edf, 2));
  const auto crowded = takt::simulate(clusters, tasks, plan, {.horizon = 1_s});
  CHECK(crowded.tasks[3].worst_response > (9_ms).count());
  plan.cores[3] = 2;
  const auto apart = takt::simulate(clusters, tasks, plan, {.horizon = 1_s});
  CHECK(apart.tasks[3].worst_response == (9_ms).count());
}

TEST_CASE("the bound of a window counts what began before it, and no visit beside itself") {
  // Three equal visits on two units: one waits for the first of the others to end, and each can be that one.
  constexpr auto equal = [] {
    auto v = visits_of<3>({{{2, 5}, {2, 5}, {2, 5}}});
    an::global_point_responses(v, 2);
    return responses_of(v);
  }();
  static_assert(equal == std::array<ticks, 3>{4, 4, 4});
  // As many visits as units never wait.
  constexpr auto few = [] {
    auto v = visits_of<2>({{{9, 10}, {9, 10}}});
    an::global_responses(v, 2);
    return responses_of(v);
  }();
  static_assert(few == std::array<ticks, 2>{9, 9});
  // Two visits of 3 that come every 6 keep both units busy for 3 of each 6: the third runs from 3 to 6 and in 10.
  constexpr auto ranked = [] {
    auto v = visits_of<3>({{{3, 6}, {3, 6}, {4, 12}}});
    an::global_priority_responses(v, 2);
    return responses_of(v);
  }();
  static_assert(ranked == std::array<ticks, 3>{3, 3, 10});
  // Nobody is preempted: the first waits for the earliest end of two of the three others.
  constexpr auto patient = [] {
    auto v = visits_of<4>({{{1, 20}, {5, 40}, {6, 41}, {2, 42}}});
    an::nonpreemptive_global_priority_responses(v, 2);
    return responses_of(v);
  }();
  static_assert(patient[0] == 6);  // behind 5 and 6 until the first of them ends
}

TEST_CASE("a chain of visits takes at most one unit at a time") {
  std::array<visit_demand, 3> v = visits_of<3>({{{4, 20}, {4, 20}, {6, 30}}});
  v[1].task = 0;
  v[1].position = 1;
  an::global_priority_responses(v, 2);
  CHECK(v[2].response == 10);  // beside each other they keep both units busy for 4
  v = visits_of<3>({{{4, 20}, {4, 20}, {6, 30}}});
  v[1].task = 0;
  v[1].position = 1;
  v[1].ancestors = 1;
  an::global_priority_responses(v, 2);
  CHECK(v[2].response == 6);
}

TEST_CASE("global EDF is decided by density where windows hold too much, and by windows where density is too large") {
  const auto windows = [](auto v, std::int32_t units) {
    an::detail::point_responses<true>(v, units, 1, nullptr);
    return std::ranges::all_of(v, [](const visit_demand& d) { return d.response <= d.deadline; });
  };
  const auto dense = visits_of<3>({{{3, 4}, {3, 4}, {1, 4}}});  // 7/4 > 2 - 3/4, and a window of 4 holds 3 + 1 ahead
  CHECK_FALSE(an::detail::density_decides(dense, 2));
  CHECK(windows(dense, 2));
  CHECK(an::global_edf_decides(dense, 2));
  const auto light = visits_of<4>({{{1, 11}, {3, 13}, {3, 10}, {5, 14}}});
  CHECK(an::global_edf_decides(light, 2));
  const auto limit = visits_of<3>({{{3, 4}, {1, 4}, {1, 4}}});  // 5/4 = 2 - 3/4
  CHECK(an::detail::density_decides(limit, 2));
  const auto beyond = visits_of<3>({{{9, 10}, {2, 10}, {2, 10}}});  // two of 2 at once, and the one of 9 ends at 11
  CHECK_FALSE(an::global_edf_decides(beyond, 2));
  CHECK(an::global_edf_decides(beyond, 3));
  const auto many = visits_of<6>({{{3, 13}, {3, 10}, {13, 36}, {1, 11}, {13, 32}, {1, 40}}});
  CHECK_FALSE(windows(many, 2));
  CHECK(an::global_edf_decides(many, 2));
}

TEST_CASE("a compliant vector bounds what windows do not") {
  constexpr std::int32_t units = 2;
  auto v = visits_of<6>({{{4, 32}, {11, 27}, {10, 31}, {2, 21}, {2, 15}, {2, 28}}});
  for (visit_demand& d : v) { d.point.point = units * d.deadline - (units - 1) * d.wcet; }
  auto windows = v;
  an::global_point_responses(windows, units, units);
  CHECK(windows[4].response == takt::unbounded_response);
  an::gel_responses(v, units, takt::gel_policy::fair_lateness);
  CHECK(responses_of(v) == std::array<ticks, 6>{21, 22, 22, 17, 15, 18});
  for (visit_demand& d : v) {
    d.jitter = 1;  // it needs to know when visits become ready
    d.response = d.wcet;
  }
  an::gel_responses(v, units, takt::gel_policy::fair_lateness);
  CHECK(v[4].response == takt::unbounded_response);
}

namespace {

constexpr std::size_t capacity = 8;

/// Two visits of 4, beside each other or the second after the first, and a task of 7.
[[nodiscard]] auto fork_beside_seven(takt::visit_mask after) -> takt::visit_table<2, capacity> {
  takt::visit_table<2, capacity> t;
  REQUIRE(t.add_task({.name = "a", .period = 9, .deadline = 9}));
  REQUIRE(t.add_visit(0, 4, 4, 0));
  REQUIRE(t.add_visit(0, 4, 4, after));
  REQUIRE(t.add_task({.name = "b", .period = 10, .deadline = 10}));
  REQUIRE(t.add_visit(0, 7, 7, 0));
  return t;
}

struct punctual {
  static auto gap(std::uint32_t /*task*/, std::uint64_t job, ticks period) -> ticks { return job == 0 ? 0 : period; }
  static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
  static auto length(const takt::visit_record& v, std::uint64_t /*job*/) -> ticks { return v.upper; }
};

}  // namespace

TEST_CASE("jobs whose visits run beside each other on one cluster do not count as sequences there") {
  takt::any_stations<1, capacity> cluster;
  REQUIRE(cluster.add(takt::g_edf, 2));
  const auto fork = fork_beside_seven(0);
  punctual choices;
  takt::host::engine<takt::any_stations<1, capacity>, 2, capacity, punctual> run{fork, cluster, choices};
  CHECK(run.run(20).tasks[1].worst_response == 11);  // both units are taken until 4
  CHECK_FALSE(an::inflated(fork, cluster).schedulable());
  CHECK(an::inflated(fork_beside_seven(1), cluster).schedulable());  // one after the other: 8 beside 7
  takt::any_stations<1, capacity> three;
  REQUIRE(three.add(takt::g_edf, 3));
  CHECK(an::inflated(fork, three).schedulable());  // by responses: nobody waits
}

TEST_CASE("visits as long as a table may hold prove nothing on several units and overflow nothing") {
  const std::array<takt::any_rule<40>, 9> rules{takt::fixed_priority,
                                                takt::nonpreemptive(takt::fixed_priority),
                                                takt::edf,
                                                takt::nonpreemptive(takt::edf),
                                                takt::g_fl,
                                                takt::nonpreemptive(takt::g_fl),
                                                takt::g_fifo,
                                                takt::nonpreemptive(takt::g_fifo),
                                                takt::fifo};
  for (const auto& rule : rules) {
    for (const std::int32_t units : {2, 3, 1'000'000}) {
      for (const ticks period : {ticks{1}, takt::longest_visit_time}) {
        takt::visit_table<4, 40> table;
        for (std::int32_t i = 0; i < 4; ++i) {
          REQUIRE(table.add_task(
              {.name = "t", .period = period, .deadline = period, .jitter = takt::longest_visit_time, .priority = i}));
          for (int v = 0; v < 10; ++v) { REQUIRE(table.add_visit(0, 0, takt::longest_visit_time, 0)); }
        }
        takt::any_stations<1, 40> place;
        REQUIRE(place.add(rule, units));
        CHECK(an::holistic(table, place).status == takt::verdict_status::not_proven);
        CHECK(an::guarded(table, place).status == takt::verdict_status::not_proven);
        CHECK(an::inflated(table, place).status == takt::verdict_status::not_proven);
      }
    }
  }
}
