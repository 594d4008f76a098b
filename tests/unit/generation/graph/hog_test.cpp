// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/systems/graphs/analysis/coarse.hpp>
#include <takt/systems/graphs/analysis/fine.hpp>
#include <takt/systems/graphs/figures/hog.hpp>
#include "support/traces.hpp"

namespace {

namespace an = takt::analysis;
namespace gen = takt::generation;

template <std::size_t Cameras>
using fine_table = takt::refined_table<gen::hog_table<Cameras>>;
template <std::size_t Cameras>
using coarse_result =
    an::coarse_timing<takt::ticks, gen::hog_table<Cameras>::max_nodes, gen::hog_table<Cameras>::max_edges, Cameras>;

[[nodiscard]] auto titan_v(std::int32_t clusters) -> takt::graph_platform {
  takt::graph_platform p;
  for (std::int32_t c = 0; c < clusters; ++c) { p.clusters.unchecked_push_back(16 / clusters); }
  p.sms = 80;
  p.threads_per_sm = 2048;
  return p;
}

template <std::size_t Cameras>
[[nodiscard]] auto coarse(const an::coarse_options& options, std::int32_t clusters = 1) {
  const auto graphs = std::make_unique<gen::hog_table<Cameras>>(gen::hog_graphs<Cameras>(clusters));
  return std::make_unique<coarse_result<Cameras>>(an::coarse_bounds(*graphs, titan_v(clusters), options));
}
template <std::size_t Cameras>
[[nodiscard]] auto fine(const an::fine_options& options, std::int32_t clusters = 1) {
  const auto graphs = std::make_unique<gen::hog_table<Cameras>>(gen::hog_graphs<Cameras>(clusters));
  const auto refined = std::make_unique<fine_table<Cameras>>(takt::refine(*graphs));
  return std::make_unique<an::timing_of<fine_table<Cameras>>>(an::fine_bounds(*refined, titan_v(clusters), options));
}

/// Whether a bound in nanoseconds reads as so many hundredths of a millisecond.
[[nodiscard]] auto reads_as(takt::ticks bound, takt::ticks hundredths) -> bool {
  return (bound + 5'000) / 10'000 == hundredths;
}

[[nodiscard]] auto published(takt::gel_policy policy) -> an::fine_options {
  return {.policy = policy, .shift = an::point_shift::if_negative, .kernels = an::kernel_bound::separated};
}
constexpr auto g_fl = takt::gel_policy::fair_lateness;
constexpr auto g_edf = takt::gel_policy::earliest_deadline;
constexpr an::coarse_options whole_graphs{.grain = an::graph_grain::graph};
constexpr an::coarse_options whole_graphs_published{.grain = an::graph_grain::graph,
                                                    .kernels = an::coarse_kernel_bound::separated};
constexpr an::coarse_options coarse_published{.kernels = an::coarse_kernel_bound::separated};

}  // namespace

TEST_CASE("the pedestrian detector has 13 scales, six kinds of nodes, and a launch and an await per kernel" *
          takt_tests::traces("OVX-31")) {
  constexpr auto graphs = gen::hog_graphs<1>();
  static_assert(graphs.nodes.size() == gen::hog_nodes);
  static_assert(graphs.edges.size() == gen::hog_edges);
  REQUIRE_FALSE(takt::validate(graphs));
  CHECK(graphs.owners == 3 + 3 * gen::hog_levels);
  std::set<std::string> kinds;
  int kernels = 0;
  for (const auto& n : graphs.nodes) {
    kinds.insert(std::string{n.name.substr(0, n.name.find(' '))});
    kernels += n.kind == takt::node_kind::kernel ? 1 : 0;
  }
  CHECK(kinds.size() == 6);
  CHECK(kernels == 65);
  const auto refined = std::make_unique<fine_table<1>>(takt::refine(graphs));
  CHECK(refined->nodes.size() == gen::hog_nodes + 2 * 65);
  int launches = 0;
  int awaits = 0;
  for (const auto& n : refined->nodes) {
    launches += n.part == takt::node_part::launch ? 1 : 0;
    awaits += n.part == takt::node_part::await ? 1 : 0;
  }
  CHECK(launches == 65);
  CHECK(awaits == 65);
  CHECK(graphs.nodes[2].blocks == 168);
  CHECK(graphs.nodes[2].blocks > graphs.nodes[7].blocks);
}

TEST_CASE("no camera as whole graphs, one as coarse nodes, six as fine nodes" * takt_tests::traces("OVX-09 OVX-10")) {
  for (const auto& options : {whole_graphs, whole_graphs_published}) {
    CHECK(coarse<1>(options)->reason == an::overload::one_task);
  }
  CHECK(reads_as(coarse<1>(whole_graphs_published)->table.nodes[0].wcet, 42880));
  CHECK(reads_as(coarse<1>(whole_graphs)->table.nodes[0].wcet, 6264));
  CHECK(reads_as(coarse<2>(whole_graphs)->table.nodes[0].wcet, 7641));
  CHECK(reads_as(coarse<6>(whole_graphs)->table.nodes[0].wcet, 13148));

  CHECK(reads_as(coarse<1>(coarse_published)->timing.end_to_end[0], 38499));
  CHECK(reads_as(coarse<1>({})->timing.end_to_end[0], 27384));
  CHECK(coarse<2>(coarse_published)->reason == an::overload::one_task);
  CHECK(coarse<2>({})->reason == an::overload::cluster);
  CHECK(coarse<6>(coarse_published)->reason == an::overload::one_task);
  CHECK(coarse<6>({})->reason == an::overload::one_task);
  CHECK(coarse<1>({}, 2)->reason == an::overload::cluster);

  const auto six = fine<6>(published(g_fl));
  REQUIRE(six->bounded());
  for (std::size_t i = 0; i < 6; ++i) { CHECK(reads_as(six->end_to_end[i], 59481)); }
}

TEST_CASE("bounds of fine graphs: fair lateness and EDF, plain and normalized, one cluster and two" *
          takt_tests::traces("OVX-31")) {
  const auto bound = [](const auto& timing) { return timing->end_to_end[0]; };
  const an::fine_options normal_fl{.kernels = an::kernel_bound::separated};
  const an::fine_options normal_edf{.policy = g_edf, .kernels = an::kernel_bound::separated};
  CHECK(reads_as(bound(fine<1>(published(g_fl))), 45606));
  CHECK(reads_as(bound(fine<1>(published(g_edf))), 46067));
  CHECK(reads_as(bound(fine<1>(normal_fl)), 9093));
  CHECK(reads_as(bound(fine<1>(normal_edf)), 5307));
  CHECK(reads_as(bound(fine<2>(published(g_fl))), 48921));
  CHECK(reads_as(bound(fine<2>(published(g_edf))), 49558));
  CHECK(reads_as(bound(fine<2>(normal_fl)), 13123));
  CHECK(reads_as(bound(fine<2>(normal_edf)), 9428));
  CHECK(reads_as(bound(fine<6>(published(g_edf))), 59882));
  CHECK(reads_as(bound(fine<6>(normal_fl)), 28627));
  CHECK(reads_as(bound(fine<6>(normal_edf)), 25294));
  CHECK(reads_as(bound(fine<6>({})), 28131));
  CHECK(reads_as(bound(fine<6>({.policy = g_edf})), 24798));
  CHECK(reads_as(bound(fine<1>(published(g_fl), 2)), 45683));
  CHECK(reads_as(bound(fine<2>(published(g_fl), 2)), 48110));
  CHECK(reads_as(bound(fine<2>(published(g_edf), 2)), 48494));
  CHECK(reads_as(bound(fine<6>(published(g_fl), 2)), 59149));
  CHECK(reads_as(bound(fine<6>(published(g_edf), 2)), 59523));
}
