// SPDX-License-Identifier: Apache-2.0
#include <concepts>
#include <cstddef>
#include <type_traits>

#include <doctest/doctest.h>

#include <takt/analysis/analyze.hpp>
#include <takt/core/duration.hpp>
#include <takt/graphs.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/platform.hpp>
#include <takt/rules/graph/refine_for.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/systems/graphs/analysis/fine.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace {

using namespace takt::literals;
namespace an = takt::analysis;

constexpr auto two_cpus = [](const auto& rule) { return takt::platform(takt::pool(takt::processors(2), rule)); };
constexpr auto one_long_node =
    takt::graph_set(takt::graph("long", takt::period(2_ms), takt::node("a", takt::cpu(3_ms))));

}  // namespace

TEST_CASE("without preemption the bound counts a job on every processor, and preemption has one less") {
  constexpr auto preemptive = takt::analysis::analyze_by<takt::published>(two_cpus(takt::g_fl), one_long_node);
  constexpr auto rigid =
      takt::analysis::analyze_by<takt::published>(two_cpus(takt::nonpreemptive(takt::g_fl)), one_long_node);
  // W = ceil(3/2) - 1 or 2 jobs of 3 ms, and the early work of 3 ms: R = 3 + (W - 3) / 2.
  CHECK(preemptive.visits[0].response == 4'500'000);
  CHECK(rigid.visits[0].response == 6'000'000);
  CHECK(rigid.plan.instances[0] == 3);
  CHECK(rigid.method != preemptive.method);
}

TEST_CASE("without preemption points are whole ticks, so that a run has the ones that are bounded") {
  constexpr auto graphs = takt::graph_set(takt::graph("odd", takt::period(5_ns), takt::node("a", takt::cpu(3_ns)),
                                                      takt::node("b", takt::cpu(1_ns)), takt::edge("a", "b")));
  const auto platform = two_cpus(takt::nonpreemptive(takt::g_fl));
  takt::refined_table<decltype(graphs)::table_type<takt::ticks>> refined;
  REQUIRE(takt::refine_for(platform, graphs.flat(), refined));
  CHECK(refined.nodes[0].point == 4);  // 5 - 3/2
  CHECK(refined.nodes[1].point == 5);  // 5 - 1/2
  const auto verdict = takt::analysis::analyze_by<takt::published>(platform, graphs);
  const auto of_whole_points = an::fine_bounds(refined, takt::graph_platform_of(platform),
                                               {.policy = takt::gel_policy::given_points, .preemptive = false});
  REQUIRE(of_whole_points.bounded());
  for (std::size_t v = 0; v < 2; ++v) { CHECK(verdict.visits[v].response == of_whole_points.response[v]); }
}

TEST_CASE("both spellings of clusters without preemption are one rule, and keep the clusters") {
  constexpr auto outer = takt::nonpreemptive(takt::clustered(takt::g_edf, 2));
  constexpr auto inner = takt::clustered(takt::nonpreemptive(takt::g_edf), 2);
  static_assert(std::same_as<decltype(outer), decltype(inner)>);
  static_assert(outer.processors == 2);
  static_assert(!takt::is_preemptive<std::remove_const_t<decltype(outer)>>);
  static_assert(takt::is_preemptive<std::remove_const_t<decltype(takt::clustered(takt::g_edf, 2))>>);
  const auto platform = takt::platform(takt::pool(takt::processors(4), outer));
  CHECK(takt::graph_platform_of(platform).clusters.size() == 2);
  CHECK(takt::analysis::analyze_by<takt::published>(platform, one_long_node).bounded());
}

TEST_CASE("without preemption no bound is known for a node that limits its parallelism") {
  const auto graphs =
      takt::graph_set(takt::graph("g", takt::period(5_ms), takt::node("a", takt::cpu(3_ms), takt::parallelism(2))));
  CHECK(takt::analysis::analyze_by<takt::published>(two_cpus(takt::g_edf), graphs).bounded());
  CHECK(takt::analysis::analyze_by<takt::published>(two_cpus(takt::nonpreemptive(takt::g_edf)), graphs).why ==
        takt::obstacle::processors);
}
