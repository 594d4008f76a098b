// SPDX-License-Identifier: Apache-2.0
// Whole kernels by stream levels, in slots and as gangs beside processors and copies: bounds are held against the
// engine, bounds that leave something out are caught, and single kernels respond as on an accelerator that stands
// alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include "property/composed_systems.hpp"
#include "property/mistaken_bounds.hpp"

namespace {

namespace an = takt::analysis;
using namespace composed_systems;
using namespace mistaken_bounds;
using takt::preemption_cost_model;

constexpr std::int32_t cores = 2;
constexpr takt::accelerator_resource gpu = takt::accelerator(cores, 2);

template <class Policy>
auto random_slots(draws& d, const Policy& policy) {
  const ticks period = d.between(4, 20);
  const ticks border = d.between(1, period - 1);
  const ticks gap = d.one_in(2) ? 0 : d.between(0, (period - border) / 2);
  const takt::duration none{};
  const takt::duration first{border};
  const takt::duration rest{period - border - gap};
  const takt::period_attribute every = takt::period(takt::duration{period});
  return (d.one_in(2) ? takt::slots(policy, takt::pinned_slot(none, first), takt::gang_slot(first, rest), every)
                      : takt::slots(policy, takt::pinned_slot(first, rest), takt::gang_slot(none, first), every))
      .on(gpu);
}
template <class Policy>
auto random_levels(draws& d, const Policy& policy) {
  constexpr std::array models{preemption_cost_model::ideal, preemption_cost_model::race,
                              preemption_cost_model::overhead};
  return takt::levels(policy, models[static_cast<std::size_t>(d.between(0, 2))])
      .on(takt::accelerator(cores, static_cast<std::int32_t>(d.between(1, 4))));
}
template <class Policy>
auto random_gang(draws& d, const Policy& policy) -> takt::any_rule<visits> {
  if (d.one_in(2)) { return takt::gang(policy, takt::strict).on(gpu); }
  return takt::gang(policy).on(gpu);
}
template <class Use>
auto with_policy(draws& d, const Use& use) -> takt::any_rule<visits> {
  switch (d.between(0, 3)) {
    case 0: return use(takt::fixed_priority);
    case 1: return use(takt::deadline_monotonic);
    default: return use(takt::edf);
  }
}

auto levels_of(draws& d) -> takt::any_rule<visits> {
  return with_policy(d, [&](auto policy) -> takt::any_rule<visits> { return random_levels(d, policy); });
}
auto slots_of(draws& d) -> takt::any_rule<visits> {
  return with_policy(d, [&](auto policy) -> takt::any_rule<visits> { return random_slots(d, policy); });
}
auto gang_of(draws& d) -> takt::any_rule<visits> {
  return with_policy(d, [&](auto policy) { return random_gang(d, policy); });
}

constexpr std::uint32_t on_gpu = 0;

auto needs_of(draws& d, ticks upper, ticks costs) -> takt::view_values {
  takt::kernel_needs needs;
  needs.cost = costs == 0 ? 0 : costs == 1 ? upper : d.between(0, std::min<ticks>(upper, 4));
  needs.core = static_cast<std::int32_t>(d.between(-1, cores - 1));
  return needs.values();
}

/// Chains or DAGs whose kernels run under one rule, mostly beside processors and a copy engine.
template <class RuleOf>
auto kernel_system(std::uint64_t seed, const RuleOf& rule_of) -> random_system {
  draws d{seed};
  random_system out;
  REQUIRE(out.places.add(rule_of(d)));
  std::uint32_t places = 1;
  const bool bare = d.one_in(4);  // single kernels that come late, and nothing else
  if (!bare && !d.one_in(3)) {
    REQUIRE(out.places.add(d.one_in(2) ? takt::any_rule<visits>{takt::edf} : takt::deadline_monotonic));
    REQUIRE(out.places.add(takt::fifo));
    places = 3;
  }
  const ticks count = bare ? d.between(2, 3) : d.between(2, 5);
  const ticks slack = d.between(0, 6);
  const ticks costs = d.between(0, 4);
  const bool one_kind = d.one_in(4);
  const bool alike = d.one_in(3);
  const bool graph = d.one_in(2);
  std::array<std::array<ticks, 4>, tasks> upper{};
  std::array<ticks, tasks> length{};
  ticks total = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    length[i] = bare || d.one_in(3) ? 1 : d.between(1, 4);
    const ticks most = d.one_in(3) ? 24 : d.between(1, 8);
    for (ticks j = 0; j < length[i]; ++j) { total += upper[i][static_cast<std::size_t>(j)] = d.between(1, most); }
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    ticks own = 0;
    for (const ticks time : upper[i]) { own += time; }
    const ticks period = (alike ? total : own * count) * d.between(3, 4 + slack * 2) / 4 + d.between(1, 6);
    REQUIRE(out.set.add_task({.name = "t",
                              .period = period,
                              .deadline = period - (d.one_in(2) ? d.between(0, period / 4) : 0),
                              .jitter = bare || d.one_in(3) ? d.between(0, period / 2) : 0,
                              .priority = static_cast<std::int32_t>(d.between(0, 3))}));
    for (ticks j = 0; j < length[i]; ++j) {
      const ticks time = upper[i][static_cast<std::size_t>(j)];
      const auto before = (takt::visit_mask{1} << j) - 1;
      const auto after = graph    ? static_cast<takt::visit_mask>(d.between(0, 15)) & before
                         : j == 0 ? 0
                                  : before ^ (before >> 1);
      const auto station = d.one_in(2) ? on_gpu : static_cast<std::uint32_t>(d.between(0, places - 1));
      takt::view_values needs = needs_of(d, time, costs);
      if (one_kind) { needs.at[1] = takt::kernel_needs{}.values().at[1]; }
      REQUIRE(out.set.add_visit(station, d.between(0, time), time, after, needs));
    }
  }
  return out;
}

template <class RuleOf>
void expect_sound(const char* what, const RuleOf& rule_of, std::uint64_t systems) {
  tally holistic;
  tally guarded;
  tally inflated;
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    const auto s = kernel_system(seed, rule_of);
    hold(s, an::holistic(s.set, s.places), seed, holistic);
    hold(s, an::guarded(s.set, s.places), seed, guarded);
    hold(s, an::inflated(s.set, s.places), seed, inflated);
  }
  for (const auto& [how, seen] : {std::pair{"holistic", holistic}, {"guarded", guarded}, {"inflated", inflated}}) {
    MESSAGE(std::string{what} << ", " << std::string{how} << ": " << seen.proven << " systems proven, " << seen.jobs
                              << " jobs, " << seen.tight << " bounds reached, " << seen.violations << " violations");
    CHECK(seen.violations == 0);
    CHECK(seen.proven * 50 > systems);
  }
}

}  // namespace

TEST_CASE("no run exceeds a bound of kernels on stream levels, beside processors and copies") {
  expect_sound("levels", levels_of, systems_or(2000));
}

TEST_CASE("no run exceeds a bound of kernels in slots, beside processors and copies") {
  expect_sound("slots", slots_of, systems_or(2000));
}

TEST_CASE("no run exceeds a bound of gangs, beside processors and copies") {
  expect_sound("gang", gang_of, systems_or(2000));
}

namespace {

struct leaves_costs_out {
  static void change(changed all, std::size_t /*i*/) {
    for (auto& d : all) { d.view.at[0] = 0; }
  }
};
/// Less important visits stop at once, even from the top of a full stack.
struct leaves_blockers_out {
  static void change(changed all, std::size_t i) {
    for (auto& d : all) {
      if (d.task != all[i].task && all[i].point < d.point) { d.wcet = d.view.at[0] = 0; }
    }
  }
};
struct leaves_own_visits_out {
  static void change(changed all, std::size_t i) {
    for (auto& d : all) {
      if (d.task == all[i].task && d.position != all[i].position) { d.wcet = d.view.at[0] = 0; }
    }
  }
};
/// A slot as if it always began when a visit becomes ready.
struct leaves_offsets_out {
  static void change(changed /*all*/, std::size_t /*i*/) {}
  static auto saved(const auto& rule, const takt::visit_demand& v) -> ticks {
    if (v.response >= takt::unbounded_response) { return 0; }
    const auto& slot = takt::kernel_needs_of(v.view).core == takt::unassigned_core ? rule.gang : rule.pinned;
    return slot.period - slot.budget;
  }
};
/// Nobody is told of the core that is asked for, so that pinned kernels and gangs seem not to meet.
struct leaves_gangs_out {
  static void change(changed all, std::size_t i) {
    for (auto& d : all) {
      if (d.view.at[1] != all[i].view.at[1] && d.task != all[i].task) { d.wcet = d.view.at[0] = 0; }
    }
  }
};

/// Violations of proofs by one combiner when the rule of the GPU looks away.
template <class Change, class RuleOf, class Combiner>
auto violations_of(const RuleOf& rule_of, const Combiner& combine) -> std::uint64_t {
  tally count;
  constexpr std::uint64_t systems = 5'000;
  for (std::uint64_t seed = 1; seed <= systems && count.violations == 0; ++seed) {
    const auto s = kernel_system(seed, [&](draws& d) -> takt::any_rule<visits> {
      return looks_away<std::remove_cvref_t<decltype(rule_of(d))>, Change>{rule_of(d)};
    });
    const auto verdict = combine(s);
    if (verdict.schedulable()) { watch(s, verdict, seed, count); }
  }
  return count.violations;
}

constexpr auto holistically = [](const random_system& s) { return an::holistic(s.set, s.places); };
constexpr auto with_guards = [](const random_system& s) { return an::guarded(s.set, s.places); };

template <class Policy>
auto levels_with(preemption_cost_model model) {
  return [model](draws& d) {
    return takt::levels(Policy{}, model).on(takt::accelerator(cores, static_cast<std::int32_t>(d.between(1, 4))));
  };
}
constexpr auto edf_slots = [](draws& d) { return random_slots(d, takt::edf); };
constexpr auto priority_slots = [](draws& d) { return random_slots(d, takt::deadline_monotonic); };
constexpr auto edf_gang = [](draws& /*d*/) { return takt::gang(takt::edf).on(gpu); };
constexpr auto priority_gang = [](draws& /*d*/) { return takt::gang(takt::deadline_monotonic, takt::strict).on(gpu); };

}  // namespace

TEST_CASE("the harness catches bounds of whole kernels that leave something out") {
  using priority = std::remove_cvref_t<decltype(takt::deadline_monotonic)>;
  for (const auto model :
       {preemption_cost_model::ideal, preemption_cost_model::race, preemption_cost_model::overhead}) {
    CAPTURE(static_cast<int>(model));
    const auto by_priority = levels_with<priority>(model);
    const auto by_deadline = levels_with<takt::edf_rule>(model);
    CHECK(violations_of<leaves_costs_out>(by_priority, holistically) > 0);
    CHECK(violations_of<leaves_jitter_out>(by_priority, holistically) > 0);
    CHECK(violations_of<leaves_own_branches_out>(by_priority, holistically) > 0);
    CHECK(violations_of<leaves_blockers_out>(by_priority, holistically) > 0);
    CHECK(violations_of<leaves_costs_out>(by_deadline, holistically) > 0);
    CHECK(violations_of<leaves_costs_out>(by_deadline, with_guards) > 0);
    CHECK(violations_of<leaves_jitter_out>(by_deadline, holistically) > 0);
    CHECK(violations_of<leaves_own_visits_out>(by_deadline, holistically) > 0);
  }
  CHECK(violations_of<leaves_costs_out>(priority_slots, holistically) > 0);
  CHECK(violations_of<leaves_costs_out>(edf_slots, with_guards) > 0);
  CHECK(violations_of<leaves_jitter_out>(priority_slots, holistically) > 0);
  CHECK(violations_of<leaves_offsets_out>(priority_slots, holistically) > 0);
  CHECK(violations_of<leaves_offsets_out>(edf_slots, holistically) > 0);
  CHECK(violations_of<leaves_own_branches_out>(priority_slots, holistically) > 0);
  CHECK(violations_of<leaves_blockers_out>(priority_slots, holistically) > 0);
  CHECK(violations_of<leaves_costs_out>(priority_gang, holistically) > 0);
  CHECK(violations_of<leaves_costs_out>(edf_gang, with_guards) > 0);
  CHECK(violations_of<leaves_jitter_out>(priority_gang, holistically) > 0);
  CHECK(violations_of<leaves_own_branches_out>(priority_gang, holistically) > 0);
  CHECK(violations_of<leaves_gangs_out>(priority_gang, holistically) > 0);
  CHECK(violations_of<leaves_gangs_out>(edf_gang, holistically) > 0);
  CHECK(violations_of<leaves_own_visits_out>(edf_gang, holistically) > 0);
}
