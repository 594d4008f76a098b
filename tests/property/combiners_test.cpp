// SPDX-License-Identifier: Apache-2.0
// Bounds of random systems under random rules are held against the engine, with releases and lengths that are meant to
// break them.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include "property/composed_systems.hpp"

namespace {

namespace an = takt::analysis;
using namespace composed_systems;

/// A rule whose bound looks at other demands than there are.
template <class Rule, class Change>
struct looks_away : Rule {
  void responds(std::span<takt::visit_demand> given, std::int32_t units) const {
    std::array<takt::visit_demand, visits> kept{};
    std::ranges::copy(given, kept.begin());
    for (std::size_t i = 0; i < given.size(); ++i) {
      std::array<takt::visit_demand, visits> seen = kept;
      const std::size_t at = Change::change(seen, given.size(), i);
      seen[at].response = seen[at].wcet;
      for (auto& d : seen) { d.moved = true; }
      an::pool_bounds<Rule>::responds(Rule{}, {seen.data(), given.size()}, units);
      given[i].response = std::max(kept[i].response, seen[at].response);
    }
  }
};

using demands = std::array<takt::visit_demand, visits>;

struct leaves_jitter_out {
  static auto change(demands& all, std::size_t /*n*/, std::size_t i) -> std::size_t {
    for (auto& d : all) { d.jitter = 0; }
    return i;
  }
};
struct leaves_own_branches_out {
  static auto change(demands& all, std::size_t n, std::size_t i) -> std::size_t {
    for (std::size_t k = 0; k < n; ++k) {
      if (all[k].task == all[i].task) { all[k].ancestors = (takt::visit_mask{1} << all[k].position) - 1; }
    }
    return i;
  }
};
/// Own ordered visits take no time, so that no backlog of theirs is seen.
struct leaves_own_backlog_out {
  static auto change(demands& all, std::size_t n, std::size_t i) -> std::size_t {
    for (std::size_t k = 0; k < n; ++k) {
      if (k != i && takt::ordered(all[k], all[i])) { all[k].wcet = 0; }
    }
    return i;
  }
};
struct leaves_blockers_out {
  static auto change(demands& all, std::size_t n, std::size_t i) -> std::size_t {
    for (std::size_t k = i + 1; k < n; ++k) { all[k].wcet = all[k].task == all[i].task ? all[k].wcet : 0; }
    return i;
  }
};

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
auto violations_of(std::uint64_t systems) -> std::uint64_t {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems && count.violations == 0; ++seed) {
    const auto s = random_system_of(seed, [](draws&) { return looks_away<Rule, Change>{}; });
    const auto verdict = an::holistic(s.set, s.places);
    if (verdict.schedulable()) { watch(s, verdict, seed, count); }
  }
  return count.violations;
}

}  // namespace

TEST_CASE("the harness catches bounds that leave something out") {
  using priority = takt::fixed_priority_rule<takt::by_relative_deadline>;
  using patient = takt::nonpreemptive_rule<priority>;
  constexpr std::uint64_t systems = 60'000;
  CHECK(violations_of<priority, leaves_jitter_out>(systems) > 0);
  CHECK(violations_of<patient, leaves_jitter_out>(systems) > 0);
  CHECK(violations_of<priority, leaves_own_branches_out>(systems) > 0);
  CHECK(violations_of<patient, leaves_own_branches_out>(systems) > 0);
  CHECK(violations_of<takt::fifo_rule, leaves_own_branches_out>(systems) > 0);
  CHECK(violations_of<takt::federated_rule<false>, leaves_own_branches_out>(systems) > 0);
  CHECK(violations_of<patient, leaves_own_backlog_out>(systems) > 0);
  CHECK(violations_of<patient, leaves_blockers_out>(systems) > 0);
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
