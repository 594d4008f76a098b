// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/duration.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/platform.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/simulation/graph/simulate.hpp>
#include <takt/simulation/trace.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt::literals;
using takt::model_fault;
using takt::ticks;
using times = std::vector<ticks>;

constexpr auto two_cpus = takt::platform(takt::pool(takt::processors(2), takt::g_edf));

template <std::size_t N>
[[nodiscard]] auto planned(std::initializer_list<ticks> offsets, std::initializer_list<std::int32_t> instances = {})
    -> takt::plan<1, N> {
  takt::plan<1, N> out;
  for (const ticks o : offsets) { REQUIRE(out.offsets.try_push_back(o)); }
  for (const std::int32_t i : instances) { REQUIRE(out.instances.try_push_back(i)); }
  return out;
}

constexpr auto chain = takt::graph_set(takt::graph("g", takt::period(10_ns), takt::node("x", takt::cpu(4_ns)),
                                                   takt::node("y", takt::cpu(3_ns)), takt::edge("x", "y")));
/// Two jobs can be under way, as each takes longer than a period.
constexpr auto long_node = takt::graph_set(takt::graph("g", takt::period(10_ns), takt::node("x", takt::cpu(15_ns))));

TEST_CASE("nodes of a planned graph start at their offsets, or as soon as they can where releases are hostile" *
          takt_tests::traces("OVX-33")) {
  const auto p = planned<2>({0, 6});
  const auto run = takt::simulate(two_cpus, chain, p, {.horizon = 30_ns});
  REQUIRE_FALSE(run.error);
  CHECK(run.tasks[0].name == "g");
  CHECK(run.tasks[0].released == 3);
  CHECK(run.tasks[0].completed == 3);
  CHECK(run.tasks[0].worst_response == 9);
  CHECK(run.tasks[0].best_response == 9);
  CHECK(run.visit_response(0, 0) == 4);
  CHECK(run.visit_response(0, 1) == 3);
  CHECK(run.responses == std::vector<times>{{9, 9, 9}});
  CHECK(run.late == 0);
  CHECK(run.end == 29);
  const auto early =
      takt::simulate(two_cpus, chain, p, {.horizon = 30_ns, .releases = takt::release_pattern::adversarial});
  CHECK(early.tasks[0].worst_response == 7);
}

TEST_CASE("a node whose offset is too small for its predecessor is late, and the graph takes no shorter") {
  const auto run = takt::simulate(two_cpus, chain, planned<2>({0, 1}), {.horizon = 30_ns});
  REQUIRE_FALSE(run.error);
  CHECK(run.tasks[0].worst_response == 7);
  CHECK(run.visit_response(0, 1) == 6);
  CHECK(run.late == 3);
}

TEST_CASE("a job of a node waits until fewer than its planned instances are under way") {
  const takt::simulation_options options{.horizon = 30_ns};
  const auto free = takt::simulate(two_cpus, long_node, planned<1>({0}), options);
  CHECK(free.responses == std::vector<times>{{15, 15, 15}});
  const auto two = takt::simulate(two_cpus, long_node, planned<1>({0}, {2}), options);
  CHECK(two.responses == free.responses);
  const auto one = takt::simulate(two_cpus, long_node, planned<1>({0}, {1}), options);
  CHECK(one.responses == std::vector<times>{{15, 20, 25}});
}

TEST_CASE("deadlines are given to a simulation of graphs, and none of them is missed otherwise") {
  const auto p = planned<1>({0}, {1});
  const auto without = takt::simulate(two_cpus, long_node, p, {.horizon = 30_ns});
  CHECK(without.status() == takt::observation_status::no_miss);
  const std::array deadlines{19_ns};
  const auto run = takt::simulate(two_cpus, long_node, p, {.horizon = 30_ns, .deadlines = deadlines});
  CHECK(run.status() == takt::observation_status::missed);
  CHECK(run.misses() == 2);
  CHECK(run.tasks[0].first_miss == 10 + 19);
  const std::array none{0_ns};
  CHECK(takt::simulate(two_cpus, long_node, p, {.horizon = 30_ns, .deadlines = none}).misses() == 0);
}

TEST_CASE("invocations come at their offsets, a period or more apart, and before the horizon") {
  const auto p = planned<2>({0, 4});
  const std::array offsets{7_ns};
  takt::trace seen;
  const auto run = takt::simulate(two_cpus, chain, p, {.horizon = 30_ns, .offsets = offsets}, seen);
  CHECK(run.tasks[0].released == 3);
  CHECK(seen.slices().front().start == 7);
  for (const auto pattern : {takt::release_pattern::sporadic, takt::release_pattern::adversarial}) {
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
      takt::trace t;
      const auto sparse = takt::simulate(two_cpus, chain, p, {.horizon = 200_ns, .releases = pattern, .seed = seed}, t);
      CHECK(sparse.tasks[0].released > 8);
      ticks before = -10;
      for (const takt::slice& s : t.slices()) {
        if (s.task != 0) { continue; }
        CHECK(s.start - before >= 10);
        CHECK(s.start < 200);
        before = s.start;
      }
    }
  }
}

TEST_CASE("jobs take their longest times, one tick, or anything between, as asked") {
  const auto p = planned<2>({0, 0});
  const auto worst = [&](takt::execution_times e, std::uint64_t seed = 1) {
    return takt::simulate(two_cpus, chain, p, {.horizon = 100_ns, .execution = e, .seed = seed}).tasks[0];
  };
  CHECK(worst(takt::execution_times::upper).best_response == 7);
  CHECK(worst(takt::execution_times::lower).worst_response == 2);
  bool between = false;
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    const auto seen = worst(takt::execution_times::random, seed);
    CHECK(seen.worst_response <= 7);
    CHECK(seen.best_response >= 2);
    between = between || (2 < seen.best_response && seen.best_response < seen.worst_response);
  }
  CHECK(between);
}

TEST_CASE("a plan for graphs needs offsets, none below zero, instances of at least one, and one entry per node") {
  const auto fault = [](const auto& p) { return takt::simulate(two_cpus, chain, p, {.horizon = 30_ns}).error; };
  CHECK(fault(planned<2>({})).fault == model_fault::plan_does_not_fit);
  CHECK(fault(planned<2>({}, {1, 1})).fault == model_fault::plan_does_not_fit);
  CHECK(fault(planned<2>({0})).fault == model_fault::plan_does_not_fit);
  CHECK(fault(planned<2>({0, -1})) == takt::fault_at(model_fault::plan_does_not_fit, 0, 1));
  CHECK(fault(planned<2>({0, 4}, {1, 0})) == takt::fault_at(model_fault::plan_does_not_fit, 0, 1));
  CHECK_FALSE(fault(planned<2>({0, 4}, {1, 1})));
}

TEST_CASE("graphs that do not fit their platform, too many SMs and too many jobs are refused") {
  constexpr auto with_kernel = takt::graph_set(takt::graph(
      "g", takt::period(10_ns), takt::node("k", takt::kernel(takt::grid(2, 32), takt::block_length(2_ns)))));
  CHECK(takt::simulate(two_cpus, with_kernel, planned<1>({0})).error.fault == model_fault::kernel_without_gpu);
  const auto on_sms = [&](std::int32_t sms) {
    const auto board =
        takt::platform(takt::pool(takt::processors(1), takt::g_edf),
                       takt::pool(takt::block_slots(sms, 64), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));
    return takt::simulate(board, with_kernel, planned<1>({0}), {.horizon = 30_ns});
  };
  CHECK(on_sms(1025).error.fault == model_fault::too_many_processors);
  const auto run = on_sms(132);
  REQUIRE_FALSE(run.error);
  CHECK(run.tasks[0].worst_response == 2);
  CHECK(takt::simulate(two_cpus, chain, planned<2>({0, 4}), {.horizon = 1_s}).error.fault ==
        model_fault::too_many_jobs);
}

}  // namespace
