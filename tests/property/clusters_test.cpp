// SPDX-License-Identifier: Apache-2.0
// Bounds of rules that schedule several units together are held against runs that are meant to break them.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include <takt/rules/clusters.hpp>
#include "property/composed_systems.hpp"

namespace {

namespace an = takt::analysis;
using namespace composed_systems;

/// Any order that leaves no unit idle while somebody waits, of which nothing else is known.
struct eager : takt::fixed_priority_rule<takt::priority_order::assigned> {
  static constexpr bool takes_suspensions = false;
  static void responds(std::span<takt::visit_demand> visits, std::int32_t units) {
    an::global_responses(visits, units);
  }
};
struct eager_and_patient : takt::nonpreemptive_rule<takt::fixed_priority_rule<takt::priority_order::assigned>> {
  static void responds(std::span<takt::visit_demand> visits, std::int32_t units) {
    an::nonpreemptive_global_responses(visits, units);
  }
};

auto global_rule_of(draws& d) -> takt::any_rule<visits> {
  switch (d.between(0, 12)) {
    case 0: return takt::fixed_priority;
    case 1: return takt::deadline_monotonic;
    case 2: return takt::edf;
    case 3: return takt::g_fl;
    case 4: return takt::g_fifo;
    case 5: return takt::nonpreemptive(takt::deadline_monotonic);
    case 6: return takt::nonpreemptive(takt::edf);
    case 7: return takt::nonpreemptive(takt::g_fl);
    case 8: return takt::nonpreemptive(takt::g_fifo);
    case 9: return eager{};
    case 10: return eager_and_patient{};
    case 11: return takt::fifo;
    default: return takt::clustered(takt::rate_monotonic, 2);
  }
}

/// Tasks on one or two clusters of one to four units, and on a station that some of them visit in between.
template <class RuleOf>
auto random_clusters(std::uint64_t seed, const RuleOf& rule_of) -> random_system {
  draws d{seed};
  random_system out;
  const auto clusters = static_cast<std::uint32_t>(d.one_in(4) ? 2 : 1);
  std::int32_t units = 0;
  for (std::uint32_t s = 0; s < clusters; ++s) {
    const auto together = static_cast<std::int32_t>(d.one_in(8) ? 1 : d.between(2, d.one_in(3) ? 4 : 2));
    units += together;
    REQUIRE(out.places.add(rule_of(d), together));
  }
  const bool has_device = d.one_in(2);
  if (has_device) { REQUIRE(out.places.add(d.one_in(2) ? takt::any_rule<visits>{takt::federated} : takt::fifo)); }
  const ticks count = d.between(2, tasks);
  const ticks load = d.between(2, 8);  // in eighths of the units, roughly
  for (ticks i = 0; i < count; ++i) {
    std::array<ticks, 4> upper{};
    const ticks length = has_device ? d.between(1, 4) : d.between(1, 2);
    ticks sum = 0;
    for (ticks j = 0; j < length; ++j) {
      sum += upper[static_cast<std::size_t>(j)] = d.one_in(10) ? 0 : d.between(1, d.one_in(4) ? 12 : 5);
    }
    const ticks period = std::max(sum, sum * count * 8 / (load * units)) + d.between(0, d.one_in(2) ? 12 : 3) + 1;
    REQUIRE(out.set.add_task({.name = "t",
                              .period = period,
                              .deadline = period - (d.one_in(3) ? d.between(0, (period - sum) / 2) : 0),
                              .jitter = d.one_in(3) ? d.between(0, (period - sum) / 2) : 0,
                              .priority = static_cast<std::int32_t>(d.between(0, 3))}));
    const bool graph = d.one_in(3);
    const auto home = static_cast<std::uint32_t>(d.between(0, clusters - 1));
    for (ticks j = 0; j < length; ++j) {
      const ticks most = upper[static_cast<std::size_t>(j)];
      const auto before = (takt::visit_mask{1} << j) - 1;
      const auto after = graph    ? static_cast<takt::visit_mask>(d.between(0, 15)) & before
                         : j == 0 ? 0
                                  : before ^ (before >> 1);
      const bool away = has_device && j % 2 == 1 && !d.one_in(4);
      REQUIRE(out.set.add_visit(away ? clusters : home, d.one_in(2) ? most : d.between(0, most), most, after));
    }
  }
  return out;
}

}  // namespace

TEST_CASE("no run exceeds a holistic bound of clusters, whatever the order on them") {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems_or(4000); ++seed) {
    const auto s = random_clusters(seed, global_rule_of);
    hold(s, an::holistic(s.set, s.places), seed, count);
  }
  MESSAGE(count.proven << " systems proven, " << count.jobs << " jobs, " << count.tight << " bounds reached");
  CHECK(count.violations == 0);
  CHECK(count.proven > 500);
}

TEST_CASE("no run that honours guards exceeds them on clusters") {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems_or(4000); ++seed) {
    const auto s = random_clusters(seed, global_rule_of);
    hold(s, an::guarded(s.set, s.places), seed, count);
  }
  MESSAGE(count.proven << " systems proven, " << count.jobs << " jobs, " << count.tight << " bounds reached");
  CHECK(count.violations == 0);
  CHECK(count.proven > 500);
}

TEST_CASE("no run misses a deadline of tasks on clusters that are proven with suspensions as execution") {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems_or(6000); ++seed) {
    const auto s = random_clusters(seed, global_rule_of);
    hold(s, an::inflated(s.set, s.places), seed, count);
  }
  MESSAGE(count.proven << " systems proven, " << count.jobs << " jobs, " << count.tight << " bounds reached");
  CHECK(count.violations == 0);
  CHECK(count.proven > 300);
}
