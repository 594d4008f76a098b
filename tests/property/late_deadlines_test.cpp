// SPDX-License-Identifier: Apache-2.0
// Random systems with deadlines before and after the period, without deadlines, and with jitter of several periods, on
// processors, copies and kernels under any rules: no run exceeds a bound.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/analysis/combiners/closed_part.hpp>
#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include "property/composed_systems.hpp"
#include "property/searching_adversary.hpp"

namespace {

namespace an = takt::analysis;
using namespace composed_systems;

using own_rule = takt::any_rule<visits>;
using rule_source = own_rule (*)(draws&);

auto any_queue(draws& d) -> own_rule { return random_rule(d); }
auto any_global(draws& d) -> own_rule {
  switch (d.between(0, 5)) {
    case 0: return takt::g_edf;
    case 1: return takt::g_fl;
    case 2: return takt::g_fifo;
    case 3: return takt::nonpreemptive(takt::g_edf);
    case 4: return takt::clustered(takt::deadline_monotonic, 2);
    default: return takt::clustered(takt::edf, 2);
  }
}
template <class Levels>
auto stack_of(draws& d, Levels rule) -> own_rule {
  rule.nesting = d.count(1, 4);
  rule.cost = d.one_in(3)   ? takt::preemption_cost_model::ideal
              : d.one_in(2) ? takt::preemption_cost_model::race
                            : takt::preemption_cost_model::overhead;
  return rule;
}
auto any_kernels(draws& d) -> own_rule {
  switch (d.between(0, 7)) {
    case 0: return takt::levels(takt::edf);
    case 1: return takt::levels(takt::fixed_priority);
    case 2: return stack_of(d, takt::levels(takt::edf));
    case 3: return stack_of(d, takt::levels(takt::fixed_priority));
    case 4: return takt::gang(takt::edf);
    case 5: return takt::gang(takt::fixed_priority);
    case 6: return takt::nonpreemptive(takt::edf);
    default: return takt::nonpreemptive(takt::deadline_monotonic);
  }
}
auto any_edf(draws& d) -> own_rule {
  if (d.one_in(2)) { return takt::edf; }
  return takt::nonpreemptive(takt::edf);
}
auto any_fixed(draws& d) -> own_rule {
  if (d.one_in(2)) { return takt::deadline_monotonic; }
  return takt::nonpreemptive(takt::deadline_monotonic);
}

/// Of `places` stations under rules that `rule_of` draws, of so many units. Half of the jobs are one visit.
auto late_system(std::uint64_t seed, ticks places, const rule_source& rule_of, std::int32_t units = 1)
    -> random_system {
  draws d{seed};
  random_system out;
  for (ticks s = 0; s < places; ++s) { REQUIRE(out.places.add(rule_of(d), units)); }
  const ticks count = d.between(2, 4);
  const ticks load = d.between(2, 6);
  const ticks common = d.one_in(3) ? d.between(20, 120) : 0;  // the deadline of all tasks, so that jobs are often tied
  for (ticks i = 0; i < count; ++i) {
    const ticks length = d.one_in(2) ? 1 : d.between(2, 4);
    std::array<ticks, 4> upper{};
    ticks sum = 0;
    for (ticks j = 0; j < length; ++j) { sum += upper[static_cast<std::size_t>(j)] = d.between(1, 9); }
    const ticks period = sum * count * d.between(2, 2 + load) / (places * units * 3) + d.between(1, 8);
    REQUIRE(out.set.add_task({.name = "t",
                              .period = period,
                              .deadline = d.one_in(4) ? d.between(period / 2, period) : d.between(period, 4 * period),
                              .jitter = d.one_in(3) ? d.between(0, 2 * period) : 0,
                              .limited = !d.one_in(6),
                              .priority = static_cast<std::int32_t>(i)}));
    if (common > 0) { out.set.tasks.back().deadline = common; }
    if (out.set.tasks.back().deadline < 1) { out.set.tasks.back().deadline = 1; }
    for (ticks j = 0; j < length; ++j) {
      const ticks most = upper[static_cast<std::size_t>(j)];
      REQUIRE(out.set.add_next(static_cast<std::uint32_t>(d.between(0, places - 1)), d.between(0, most), most,
                               takt::kernel_needs{d.between(0, most), d.count(-1, 1)}.values()));
    }
  }
  return out;
}

struct kind {
  std::string_view name;
  rule_source rule_of;
  std::int32_t units = 1;
};
constexpr kind kinds[]{{"EDF", any_edf},
                       {"deadline monotonic", any_fixed},
                       {"any queues", any_queue},
                       {"kernels", any_kernels},
                       {"two processors together", any_global, 2}};

auto bounds_after_periods(const random_system& s, const auto& verdict) -> std::uint64_t {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < s.set.size(); ++i) {
    out += verdict.tasks[i].bound.value > s.set.tasks[i].period ? 1U : 0U;
  }
  return out;
}

}  // namespace

TEST_CASE("no run exceeds a bound of tasks whose deadlines come before or after their periods") {
  for (const kind& k : kinds) {
    CAPTURE(k.name);
    tally count;
    std::uint64_t after = 0;
    for (std::uint64_t seed = 1; seed <= systems_or(800); ++seed) {
      const auto s = late_system(seed, seed % 2 == 0 ? 1 : 2, k.rule_of, k.units);
      const auto first = an::holistic(s.set, s.places);
      REQUIRE_FALSE(first.error);
      hold(s, first, seed, count);
      after += first.schedulable() ? bounds_after_periods(s, first) : 0;
      hold(s, an::guarded(s.set, s.places), seed, count);
      hold(s, an::inflated(s.set, s.places), seed, count);
    }
    MESSAGE(k.name << ": " << count.proven << " proofs, " << count.jobs << " jobs, " << count.tight
                   << " bounds reached, " << after << " after the period");
    CHECK(count.violations == 0);
    CHECK(count.proven > systems_or(800) / 20);
    CHECK(after > 0);
  }
}

TEST_CASE("an adversary that climbs finds no response above a bound after the period") {
  std::uint64_t runs = 0;
  for (const kind& k : kinds) {
    CAPTURE(k.name);
    for (std::uint64_t seed = 1; seed <= systems_or(60); ++seed) {
      const auto s = late_system(seed, seed % 2 == 0 ? 1 : 2, k.rule_of, k.units);
      const auto verdict = an::holistic(s.set, s.places);
      if (!verdict.schedulable()) { continue; }
      CAPTURE(seed);
      CHECK(searching::worst_excess(s, verdict, seed, {.restarts = 2, .steps = 80}, &runs) <= 0);
    }
  }
  CHECK(runs > 0);
}

namespace {

/// Each job of a busy period is as long as the first.
struct counts_first_jobs_only : takt::fixed_priority_rule<takt::by_relative_deadline> {
  static void responds(std::span<takt::visit_demand> given, std::int32_t /*units*/) {
    for (auto& d : given) { d.may_queue = false; }
    an::preemptive_priority_responses(given);
    for (auto& d : given) { d.late = std::max(d.late, d.response); }
  }
};

/// Violations where another table is proven than the one that runs, in the first system where there are any.
template <class Change>
auto first_violations_of(rule_source proven, rule_source running, const Change& change) -> std::uint64_t {
  tally count;
  for (std::uint64_t seed = 1; seed <= 20'000 && count.violations == 0; ++seed) {
    const ticks places = seed % 2 == 0 ? 1 : 2;
    const auto s = late_system(seed, places, running);
    auto other = late_system(seed, places, proven);
    for (auto& t : other.set.tasks) { change(t); }
    const auto verdict = an::holistic(other.set, other.places);
    if (verdict.schedulable()) { watch(s, verdict, seed, count); }
  }
  return count.violations;
}

}  // namespace

TEST_CASE("the harness catches orders by the lesser of deadline and period, bounds of first jobs and lost jitter") {
  const rule_source only_edf = [](draws&) -> own_rule { return takt::edf; };
  const rule_source only_fixed = [](draws&) -> own_rule { return takt::deadline_monotonic; };
  const rule_source first_only = [](draws&) -> own_rule { return counts_first_jobs_only{}; };
  const auto as_it_is = [](takt::flow_record&) {};
  const auto by_the_lesser = [](takt::flow_record& t) { t.deadline = std::min(t.deadline, t.period); };
  const auto punctual = [](takt::flow_record& t) { t.jitter = 0; };
  CHECK(first_violations_of(only_edf, only_edf, by_the_lesser) > 0);
  CHECK(first_violations_of(only_fixed, only_fixed, by_the_lesser) > 0);
  CHECK(first_violations_of(first_only, only_fixed, as_it_is) > 0);
  CHECK(first_violations_of(only_edf, only_edf, punctual) > 0);
  CHECK(first_violations_of(only_fixed, only_fixed, punctual) > 0);
}
