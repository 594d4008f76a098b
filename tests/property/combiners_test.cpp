// SPDX-License-Identifier: Apache-2.0
// Bounds of random systems under random rules are held against the engine, with releases and lengths that are meant to
// break them.
#include <doctest/doctest.h>

#include <cstdint>

#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include "property/composed_systems.hpp"
#include "property/mistaken_bounds.hpp"

namespace {

namespace an = takt::analysis;
using namespace composed_systems;
using namespace mistaken_bounds;

}  // namespace

TEST_CASE("no run of the engine exceeds a holistic bound, whatever the rules and the shape of jobs") {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems_or(3000); ++seed) {
    const auto s = random_system_of(seed, random_rule);
    hold(s, an::holistic(s.set, s.places), seed, count);
  }
  MESSAGE(count.proven << " systems proven, " << count.jobs << " jobs, " << count.tight << " bounds reached");
  CHECK(count.violations == 0);
  CHECK(count.proven > 500);
}

TEST_CASE("no run of the engine that honours guards exceeds them") {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems_or(3000); ++seed) {
    const auto s = random_system_of(seed, random_rule);
    hold(s, an::guarded(s.set, s.places), seed, count);
  }
  MESSAGE(count.proven << " systems proven, " << count.jobs << " jobs, " << count.tight << " bounds reached");
  CHECK(count.violations == 0);
  CHECK(count.proven > 300);
}

TEST_CASE("no run of the engine misses a deadline of tasks that are proven with suspensions as execution") {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems_or(6000); ++seed) {
    const auto s = random_system_of(seed, random_rule);
    hold(s, an::inflated(s.set, s.places), seed, count);
  }
  MESSAGE(count.proven << " systems proven, " << count.jobs << " jobs, " << count.tight << " bounds reached");
  CHECK(count.violations == 0);
  CHECK(count.proven > 300);
}

namespace {

/// Violations when one rule looks away and all others do not.
template <class Rule, class Change>
auto violations_of() -> std::uint64_t {
  return first_violations(60'000, [](std::uint64_t seed) {
    return random_system_of(seed, [](draws&) { return looks_away<Rule, Change>{}; });
  });
}

}  // namespace

TEST_CASE("the harness catches bounds that leave something out") {
  using priority = takt::fixed_priority_rule<takt::by_relative_deadline>;
  using patient = takt::nonpreemptive_rule<priority>;
  CHECK(violations_of<priority, leaves_jitter_out>() > 0);
  CHECK(violations_of<patient, leaves_jitter_out>() > 0);
  CHECK(violations_of<priority, leaves_own_branches_out>() > 0);
  CHECK(violations_of<patient, leaves_own_branches_out>() > 0);
  CHECK(violations_of<takt::fifo_rule, leaves_own_branches_out>() > 0);
  CHECK(violations_of<takt::federated_rule<false>, leaves_own_branches_out>() > 0);
  CHECK(violations_of<patient, leaves_own_backlog_out>() > 0);
  CHECK(violations_of<patient, leaves_later_ones_out>() > 0);
}

TEST_CASE("the harness catches runs that do not honour guards") {
  tally count;
  for (std::uint64_t seed = 1; seed <= 60'000 && count.violations == 0; ++seed) {
    const auto s = random_system_of(seed, [](draws&) { return takt::deadline_monotonic; });
    auto verdict = an::guarded(s.set, s.places);
    if (!verdict.schedulable()) { continue; }
    verdict.plan.offsets.clear();
    verdict.plan.local_deadlines.clear();
    watch(s, verdict, seed, count);
  }
  CHECK(count.violations > 0);
}

TEST_CASE("the harness catches deadlines that count from late releases") {
  tally count;
  for (std::uint64_t seed = 1; seed <= 60'000 && count.violations == 0; ++seed) {
    const auto s = random_system_of(seed, [](draws&) { return takt::deadline_monotonic; });
    auto punctual = s;
    for (auto& t : punctual.set.tasks) { t.jitter = 0; }
    const auto verdict = an::holistic(punctual.set, s.places);
    if (verdict.schedulable()) { watch(s, verdict, seed, count); }
  }
  CHECK(count.violations > 0);
}
