// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/model/graph/refine.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>
#include <takt/systems/graphs/analysis/coarse.hpp>
#include <takt/systems/graphs/analysis/fine.hpp>
#include <takt/systems/graphs/figures/hog.hpp>
#include "support/traces.hpp"

namespace {

namespace an = takt::analysis;
namespace sim = takt::simulation;
using takt::ticks;
using described = takt::generation::hog_table<6>;
using refined = takt::refined_table<described>;
using timing = an::timing_of<refined>;

constexpr int invocations = 4;

[[nodiscard]] auto platform(std::int32_t clusters) -> takt::graph_platform {
  takt::graph_platform p;
  for (std::int32_t c = 0; c < clusters; ++c) { REQUIRE(p.clusters.try_push_back(16 / clusters)); }
  p.sms = 80;
  p.threads_per_sm = 2048;
  return p;
}
[[nodiscard]] auto clusters_of(const takt::graph_platform& p) -> std::span<const std::int32_t> {
  return {p.clusters.data(), p.clusters.size()};
}
[[nodiscard]] auto cameras(std::int32_t count, std::int32_t clusters = 1) -> std::unique_ptr<described> {
  constexpr std::array<std::string_view, 6> names{"front", "rear", "left", "right", "left rear", "right rear"};
  auto out = std::make_unique<described>();
  for (std::int32_t c = 0; c < count; ++c) {
    REQUIRE(takt::generation::add_hog_graph(*out, names.at(static_cast<std::size_t>(c)), c % clusters));
  }
  return out;
}
[[nodiscard]] auto coarse_is_bounded(const described& t, an::graph_grain grain) -> bool {
  return an::coarse_bounds(t, platform(1), {.grain = grain}).timing.bounded();
}
[[nodiscard]] auto fine(const refined& t, std::int32_t clusters, an::point_shift shift) -> std::unique_ptr<timing> {
  return std::make_unique<timing>(
      an::fine_bounds(t, platform(clusters), {.shift = shift, .kernels = an::kernel_bound::separated}));
}

struct response {
  ticks longest = 0;
  ticks mean = 0;
};
[[nodiscard]] auto run(const sim::graph_workload<ticks>& w, bool early) -> response {
  sim::invocations<ticks> releases(w.clocks.size());
  for (auto& clock : releases) {
    for (int j = 0; j < invocations; ++j) { clock.push_back(j * takt::generation::hog_period); }
  }
  sim::graph_options o;
  o.gpu = {.sms = 80, .each = {2048}};
  o.early_release = early;
  const auto result = sim::simulate_graphs(w, releases, o, sim::random_lengths{1, 90});
  REQUIRE(result.ok());
  CHECK(result.late == 0);
  response out;
  for (std::size_t g = 0; g < w.clocks.size(); ++g) {
    out.longest = std::max(out.longest, result.worst_response(g));
    for (const ticks r : result.responses[g]) { out.mean += r / invocations; }
  }
  out.mean /= static_cast<ticks>(w.clocks.size());
  return out;
}

}  // namespace

TEST_CASE("monolithic, coarse and fine graphs have bounds for 0, 1 and 6 cameras" * takt_tests::traces("OVX-35")) {
  CHECK_FALSE(coarse_is_bounded(*cameras(1), an::graph_grain::graph));
  CHECK(coarse_is_bounded(*cameras(1), an::graph_grain::node));
  CHECK_FALSE(coarse_is_bounded(*cameras(2), an::graph_grain::node));
  const auto six = std::make_unique<refined>(takt::refine(*cameras(6)));
  CHECK(fine(*six, 1, an::point_shift::if_negative)->bounded());
}

TEST_CASE("with six fine cameras, runs stay within their bounds, clusters lower these, and early releasing responses" *
          takt_tests::traces("OVX-35 OVX-33")) {
  for (const std::int32_t clusters : {1, 2}) {
    const auto p = platform(clusters);
    const auto table = std::make_unique<refined>(takt::refine(*cameras(6, clusters)));
    const auto plain = fine(*table, clusters, an::point_shift::if_negative);
    const auto normalized = fine(*table, clusters, an::point_shift::to_zero);
    REQUIRE(plain->bounded());
    REQUIRE(normalized->bounded());
    CHECK(plain->end_to_end[0] / 10'000 == (clusters == 1 ? 59480 : 59148));
    CHECK(normalized->end_to_end[0] < plain->end_to_end[0] / 2 + 1'000'000);
    const auto points = sim::node_points(*table, clusters_of(p), takt::gel_policy::fair_lateness);
    const auto w = sim::fine_workload<ticks>(*table, clusters_of(p), normalized->offset, points);
    const auto early = run(w, true);
    const auto by_offsets = run(w, false);
    CHECK(by_offsets.longest <= normalized->end_to_end[0]);
    CHECK(early.longest < by_offsets.longest);
    CHECK(early.mean < by_offsets.mean / 2);
  }
}

TEST_CASE("the responses of a monolithic camera grow with each invocation" * takt_tests::traces("OVX-35")) {
  const auto one = cameras(1);
  const auto p = platform(1);
  sim::graph_options o;
  o.gpu = {.sms = 80, .each = {2048}};
  const sim::invocations<ticks> releases{
      {0, takt::generation::hog_period, 2 * takt::generation::hog_period, 3 * takt::generation::hog_period}};
  const auto result = sim::simulate_graphs(sim::monolithic_workload(*one, clusters_of(p)), releases, o);
  REQUIRE(result.ok());
  for (std::size_t j = 1; j < 4; ++j) { CHECK(result.responses[0][j] > result.responses[0][j - 1] + 1'000'000); }
}
