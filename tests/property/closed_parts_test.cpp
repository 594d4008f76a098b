// SPDX-License-Identifier: Apache-2.0
// Systems of which one part has too much to do: bounds of what that part cannot delay are held against the engine,
// where jobs of the others queue up.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include <takt/analysis/combiners/asked_stations.hpp>
#include <takt/analysis/combiners/closed_part.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include "property/composed_systems.hpp"

namespace {

namespace an = takt::analysis;
using namespace composed_systems;
using relation = an::delay_relation<tasks, visits>;

auto random_tokens(draws& d) -> takt::any_token_rule<visits> {
  switch (d.between(0, 3)) {
    case 0: return takt::fifo_order;
    case 1: return takt::k_fmlp_order;
    case 2: return takt::r2dglp_order;
    default: return takt::ck_omlp_order;
  }
}

/// Four to six tasks with few visits each on three or four stations, so that some have nothing to do with others; one
/// or two ask for more than there is.
template <class RuleOf>
auto overloaded_system_of(std::uint64_t seed, const RuleOf& rule_of) -> random_system {
  draws d{seed};
  random_system out;
  const auto places = static_cast<std::uint32_t>(d.between(3, stations));
  for (std::uint32_t s = 0; s < places; ++s) {
    const takt::any_rule<visits> rule = rule_of(d);
    REQUIRE(out.places.add(rule, rule.serves(2) && d.one_in(4) ? 2 : 1));
  }
  const bool has_tokens = d.one_in(3);
  if (has_tokens) { REQUIRE(out.places.add_tokens(random_tokens(d), static_cast<std::int32_t>(d.between(1, 2)))); }
  const ticks count = d.between(4, tasks);
  const ticks overloaded = d.between(1, 2);
  for (ticks i = 0; i < count; ++i) {
    const ticks length = d.between(1, 3);
    const auto home = static_cast<std::uint32_t>(d.between(0, places - 1));
    const auto device = static_cast<std::uint32_t>(d.between(0, places - 1));
    ticks upper[3]{};
    ticks sum = 0;
    for (ticks j = 0; j < length; ++j) { sum += upper[j] = d.between(1, 6); }
    const bool is_too_much = i < overloaded;
    const ticks period = is_too_much ? d.between(sum / 2 + 1, sum) : sum * d.between(2, 5) + d.between(1, 10);
    REQUIRE(out.set.add_task({.name = "t",
                              .period = period,
                              .deadline = period,
                              .jitter = d.one_in(4) ? d.between(0, period / 4) : 0,
                              .priority = static_cast<std::int32_t>(d.between(0, 9))}));
    for (ticks j = 0; j < length; ++j) {
      const ticks lower = d.between(0, upper[j]);
      REQUIRE(out.set.add_next(j == 1 ? device : home, is_too_much ? upper[j] : lower, upper[j]));
    }
    if (has_tokens && d.one_in(2)) {
      const ticks held = d.between(0, length - 1);
      REQUIRE(out.set.sections.try_push_back({static_cast<std::uint32_t>(i), 0, takt::visit_mask{1} << held}));
    }
  }
  return out;
}

struct partial_tally {
  std::uint64_t systems = 0;  ///< with some bound
  std::uint64_t bounds = 0;
  std::uint64_t tight = 0;
  std::uint64_t late = 0;  ///< runs in which some task without bound missed a deadline
  std::uint64_t violations = 0;
};

/// Counts what runs show above the bounds that the part has under such a relation.
void watch_part(const random_system& s, const relation& reach, std::uint64_t seed, partial_tally& count) {
  auto verdict = an::holistic(s.set, s.places);
  if (verdict.schedulable() || verdict.error) { return; }
  an::bound_closed_part(s.set, reach, [&](const table& part) { return an::holistic(part, s.places); }, "part", verdict);
  std::size_t bounded = 0;
  for (const auto& t : verdict.tasks) {
    bounded += t.bound.exists ? 1U : 0U;
    CHECK(t.bound.exists == t.meets);
    CHECK(t.method == (t.meets ? "part" : ""));
  }
  CHECK_FALSE(verdict.schedulable());
  if (bounded == 0) { return; }
  ++count.systems;
  count.bounds += bounded;
  for (int run = 0; run < 4; ++run) {
    adversary choices{seed * 8 + static_cast<std::uint64_t>(run), s.set, run == 0 ? 0 : 1 + run % 2};
    takt::host::engine<board, tasks, visits, adversary> engine{s.set, s.places, choices, {}, {}};
    const auto seen = engine.run(1500);
    count.late += seen.misses() > 0 ? 1U : 0U;
    for (std::size_t v = 0; v < verdict.visits.size(); ++v) {
      count.violations += seen.visit_responses[v] > verdict.visits[v].response ? 1U : 0U;
    }
    for (std::size_t i = 0; i < s.set.size(); ++i) {
      const auto& bound = verdict.tasks[i].bound;
      if (!bound.exists) { continue; }
      count.violations += seen.tasks[i].worst_response > bound.value ? 1U : 0U;
      count.tight += seen.tasks[i].worst_response == bound.value ? 1U : 0U;
    }
  }
}

/// Violations in the first of many systems where there are any, under what `relation_of(system)` takes for the truth.
template <class RuleOf, class RelationOf>
auto violations_under(const RuleOf& rule_of, const RelationOf& relation_of) -> std::uint64_t {
  partial_tally count;
  for (std::uint64_t seed = 1; seed <= 20'000 && count.violations == 0; ++seed) {
    const auto s = overloaded_system_of(seed, rule_of);
    watch_part(s, relation_of(s), seed, count);
  }
  return count.violations;
}

/// Tokens that are taken to lend no priorities.
struct selfish : board {
  explicit selfish(const board& given) : board{given} {}
  [[nodiscard]] auto token_inherits(std::size_t /*pool*/) const noexcept -> bool { return false; }
};
/// Stations that claim more than their rules do; of one, where `all` is false, no more.
struct boastful : board {
  takt::delayed_by from = takt::delayed_by::no_other;
  bool all = true;

  boastful(const board& given, takt::delayed_by claimed, bool everywhere)
      : board{given}, from{claimed}, all{everywhere} {}
  [[nodiscard]] auto delays_from(std::size_t s) const noexcept -> takt::delayed_by {
    return !all && s == 0 ? board::delays_from(s) : from;
  }
};

}  // namespace

TEST_CASE("no run exceeds a bound of what an overload cannot delay, whatever the rules") {
  partial_tally count;
  for (std::uint64_t seed = 1; seed <= systems_or(4000); ++seed) {
    const auto s = overloaded_system_of(seed, random_rule);
    const auto before = count.violations;
    watch_part(s, relation{s.set, s.places}, seed, count);
    CHECK_MESSAGE(count.violations == before, "system " << seed);
  }
  MESSAGE(count.systems << " systems with bounds, " << count.bounds << " bounds, " << count.tight << " reached, "
                        << count.late << " runs with misses elsewhere");
  CHECK(count.violations == 0);
  CHECK(count.bounds > 2000);
  CHECK(count.tight > 1000);
  CHECK(count.late > 2000);
}

TEST_CASE("the harness catches relations that leave a way to delay out") {
  using takt::delayed_by;
  const auto sees_points_where_nobody_is_preempted = [](const random_system& s) {
    return relation{s.set, boastful{s.places, delayed_by::no_later_points, true}};
  };
  const auto forgets_shared_engines = [](const random_system& s) {
    return relation{s.set, boastful{s.places, delayed_by::no_other, false}};
  };
  const auto forgets_tokens = [](const random_system& s) {
    table set = s.set;
    set.sections.clear();
    return relation{set, s.places};
  };
  const auto forgets_lending = [](const random_system& s) { return relation{s.set, selfish{s.places}}; };
  const auto patient = [](draws&) { return takt::any_rule<visits>{takt::nonpreemptive(takt::fixed_priority)}; };
  const auto eager = [](draws&) { return takt::any_rule<visits>{takt::fixed_priority}; };
  const auto fifo = [](draws&) { return takt::any_rule<visits>{takt::fifo}; };
  const auto edf = [](draws&) { return takt::any_rule<visits>{takt::edf}; };
  CHECK(violations_under(patient, sees_points_where_nobody_is_preempted) > 0);
  CHECK(violations_under(fifo, sees_points_where_nobody_is_preempted) == 0);  // one point for all
  CHECK(violations_under(edf, forgets_shared_engines) > 0);
  CHECK(violations_under(fifo, forgets_shared_engines) > 0);
  CHECK(violations_under(eager, forgets_tokens) > 0);
  CHECK(violations_under(eager, forgets_lending) > 0);
}
