// SPDX-License-Identifier: Apache-2.0
// Bounds of systems with non-preemptive regions are held against the engine, whose regions begin when it hurts.
#include <doctest/doctest.h>

#include <cstdint>

#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include <takt/rules/clusters.hpp>
#include "property/composed_systems.hpp"
#include "property/mistaken_bounds.hpp"
#include "property/searching_adversary.hpp"

namespace {

namespace an = takt::analysis;
using namespace composed_systems;
using namespace mistaken_bounds;

using priority = takt::fixed_priority_rule<takt::by_relative_deadline>;

auto preemptive_rule(draws& d) -> takt::any_rule<visits> {
  switch (d.between(0, 4)) {
    case 0: return takt::deadline_monotonic;
    case 1: return takt::fixed_priority;
    case 2: return takt::edf;
    case 3: return takt::g_edf;
    default: return takt::g_fl;
  }
}

/// Processors under a preemptive rule, alone or beside devices, and jobs that keep them for a while.
template <class RuleOf>
auto random_regions(std::uint64_t seed, std::int32_t most_units, const RuleOf& rule_of) -> random_system {
  draws d{seed};
  random_system out;
  const auto places = static_cast<std::uint32_t>(d.between(1, 3));
  for (std::uint32_t s = 0; s < places; ++s) {
    const takt::any_rule<visits> rule = s == 0 ? takt::any_rule<visits>{rule_of(d)} : random_rule(d);
    REQUIRE(out.places.add(rule, s == 0 ? static_cast<std::int32_t>(d.between(1, most_units)) : 1));
  }
  const ticks count = d.between(2, 5);
  const ticks slack = d.between(1, 5);
  for (ticks i = 0; i < count; ++i) {
    const ticks length = d.one_in(2) ? 1 : d.between(1, 4);
    std::array<ticks, 4> upper{};
    ticks sum = 0;
    for (ticks j = 0; j < length; ++j) { sum += upper[static_cast<std::size_t>(j)] = d.between(1, 8); }
    const ticks period = sum * count * d.between(2, 2 + slack) / (4 * most_units) + d.between(1, 12) + sum;
    const bool is_late = most_units == 1 && d.one_in(4);  // jobs may wait for those before
    REQUIRE(out.set.add_task({.name = "t",
                              .period = period,
                              .deadline = is_late ? period * d.between(1, 4) + d.between(0, period)
                                                  : period - (d.one_in(2) ? d.between(0, period / 8) : 0),
                              .jitter = d.one_in(3) ? d.between(0, period / 4) : 0,
                              .priority = static_cast<std::int32_t>(i)}));
    const bool graph = d.one_in(4);
    for (ticks j = 0; j < length; ++j) {
      const ticks most = upper[static_cast<std::size_t>(j)];
      const auto before = (takt::visit_mask{1} << j) - 1;
      const auto after = graph    ? static_cast<takt::visit_mask>(d.between(0, 15)) & before
                         : j == 0 ? 0
                                  : before ^ (before >> 1);
      const auto station = static_cast<std::uint32_t>(d.one_in(2) ? 0 : d.between(0, places - 1));
      REQUIRE(out.set.add_visit(station, d.between(0, most), most, after));
      if (station == 0 && !d.one_in(3)) { out.set.visits.back().region = d.one_in(3) ? most : d.between(0, most); }
    }
  }
  return out;
}

auto without_regions(random_system s) -> random_system {
  for (auto& v : s.set.visits) { v.region = 0; }
  return s;
}

/// Regions of parts of visits may be shorter than what is said of them.
auto with_shorter_regions(random_system s, std::uint64_t seed) -> random_system {
  draws d{seed};
  for (auto& v : s.set.visits) {
    if (v.region < v.upper) { v.region = d.between(0, v.region); }
  }
  return s;
}

/// Whether a run exceeds a holistic bound of what `seen` makes of one of so many systems.
template <class RuleOf, class Seen>
auto is_caught(std::uint64_t systems, std::int32_t most_units, const RuleOf& rule_of, const Seen& seen) -> bool {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems && count.violations == 0; ++seed) {
    const auto s = random_regions(seed, most_units, rule_of);
    const auto verdict = seen(s);
    if (verdict.schedulable()) { watch(s, verdict, seed, count); }
  }
  return count.violations > 0;
}

/// Own regions are no blockers, so that no backlog of theirs is seen.
struct leaves_own_regions_out {
  static void change(changed all, std::size_t i) {
    for (auto& d : all) {
      if (d.task == all[i].task) { d.region = d.region == d.wcet && &d == &all[i] ? d.region : 0; }
    }
  }
};
struct leaves_regions_of_others_out {
  static void change(changed all, std::size_t i) {
    for (auto& d : all) {
      if (d.task != all[i].task) { d.region = 0; }
    }
  }
};

template <class Rule, class Change>
auto is_caught_by(std::uint64_t systems, std::int32_t most_units) -> bool {
  return is_caught(
      systems, most_units, [](draws&) { return looks_away<Rule, Change>{}; },
      [](const random_system& s) { return an::holistic(s.set, s.places); });
}

}  // namespace

TEST_CASE("no run of the engine exceeds a holistic bound with non-preemptive regions, on one unit or several") {
  for (const std::int32_t units : {1, 3}) {
    CAPTURE(units);
    tally count;
    for (std::uint64_t seed = 1; seed <= systems_or(3000); ++seed) {
      const auto s = random_regions(seed, units, preemptive_rule);
      const auto verdict = an::holistic(s.set, s.places);
      hold(s, verdict, seed, count);
      hold(with_shorter_regions(s, seed), verdict, seed, count);
    }
    MESSAGE(count.proven << " systems proven, " << count.jobs << " jobs, " << count.tight << " bounds reached");
    CHECK(count.violations == 0);
    CHECK(count.proven > systems_or(3000) / 10);
  }
}

TEST_CASE("no run of the engine exceeds guards that hold with non-preemptive regions") {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems_or(2000); ++seed) {
    const auto s = random_regions(seed, 1 + static_cast<std::int32_t>(seed % 2), preemptive_rule);
    hold(s, an::guarded(s.set, s.places), seed, count);
  }
  CHECK(count.violations == 0);
  CHECK(count.proven > systems_or(2000) / 10);
}

TEST_CASE("suspensions count as execution on no processor with non-preemptive regions") {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems_or(2000); ++seed) {
    const auto s = random_regions(seed, 2, preemptive_rule);
    hold(s, an::inflated(s.set, s.places), seed, count);
  }
  CHECK(count.violations == 0);
  CHECK(count.proven > 0);
}

TEST_CASE("an adversary that climbs exceeds no bound with non-preemptive regions") {
  std::uint64_t proven = 0;
  for (std::uint64_t seed = 1; seed <= systems_or(60); ++seed) {
    const auto s = random_regions(seed, 1 + static_cast<std::int32_t>(seed % 3), preemptive_rule);
    const auto prove = [](const random_system& x) { return an::holistic(x.set, x.places); };
    if (!prove(s).schedulable()) { continue; }
    const auto tight = searching::tightened(s, prove);
    ++proven;
    CHECK_MESSAGE(searching::worst_excess(tight, prove(tight), seed, {.restarts = 2, .steps = 60}) <= 0, seed);
  }
  CHECK(proven > systems_or(60) / 10);
}

TEST_CASE("the harness catches regions that are left out") {
  const auto blind = [](const random_system& s) {
    const auto plain = without_regions(s);
    return an::holistic(plain.set, plain.places);
  };
  const auto guarded = [](const random_system& s) {
    const auto plain = without_regions(s);
    return an::guarded(plain.set, plain.places);
  };
  CHECK(is_caught(500, 1, [](draws&) { return takt::deadline_monotonic; }, blind));
  CHECK(is_caught(500, 1, [](draws&) { return takt::edf; }, blind));
  CHECK(is_caught(500, 3, [](draws&) { return takt::deadline_monotonic; }, blind));
  CHECK(is_caught(500, 3, [](draws&) { return takt::g_edf; }, blind));
  CHECK(is_caught(500, 3, [](draws&) { return takt::g_fl; }, blind));
  CHECK(is_caught(500, 1, [](draws&) { return takt::edf; }, guarded));
  CHECK(is_caught_by<priority, leaves_regions_of_others_out>(500, 1));
  CHECK(is_caught_by<priority, leaves_own_regions_out>(60'000, 1));
  CHECK(is_caught_by<takt::edf_rule, leaves_regions_of_others_out>(500, 1));
}

TEST_CASE("visits that are regions from their start to their end have the bounds of rules that do not preempt") {
  std::uint64_t proven = 0;
  for (std::uint64_t seed = 1; seed <= systems_or(2000); ++seed) {
    auto s = random_regions(seed, 1, [](draws& d) {
      return d.one_in(2) ? takt::any_rule<visits>{takt::deadline_monotonic} : takt::any_rule<visits>{takt::edf};
    });
    for (auto& v : s.set.visits) { v.region = v.station == 0 ? v.upper : 0; }
    random_system patient{s.set, {}};
    draws d{seed};
    static_cast<void>(d.between(1, 3));
    const bool fixed = d.one_in(2);
    if (s.places.size() > 1) { continue; }
    REQUIRE(patient.places.add(fixed ? takt::any_rule<visits>{takt::nonpreemptive(takt::deadline_monotonic)}
                                     : takt::any_rule<visits>{takt::nonpreemptive(takt::edf)}));
    for (auto& v : patient.set.visits) { v.region = 0; }
    const auto found = an::holistic(s.set, s.places);
    const auto known = an::holistic(patient.set, patient.places);
    CHECK(found.status == known.status);
    proven += found.schedulable() ? 1U : 0U;
    for (std::size_t i = 0; found.schedulable() && i < s.set.size(); ++i) {
      CHECK(found.tasks[i].bound.value == known.tasks[i].bound.value);
    }
  }
  CHECK(proven > systems_or(2000) / 20);
}
