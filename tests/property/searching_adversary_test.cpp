// SPDX-License-Identifier: Apache-2.0
// Bounds are held against an adversary that climbs, and bounds that leave something out do not get past it.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include "property/every_run.hpp"
#include "property/mistaken_bounds.hpp"
#include "property/searching_adversary.hpp"
#include "property/tick_systems.hpp"

namespace {

namespace an = takt::analysis;
using namespace mistaken_bounds;
using takt::ticks;

constexpr std::size_t tasks = 3;
constexpr std::size_t steps = 4;
constexpr std::size_t places = 2;
constexpr std::size_t visits = tasks * steps;
using system_type = tick_systems::both<tasks, steps, places>;
using rule_pair = tick_systems::rule_pair<visits>;

auto shape_of(int rule, std::uint64_t seed) -> tick_systems::shape {
  const auto n = static_cast<ticks>(seed);
  return {.rule = rule,
          .most_tasks = 2 + (n % 2),
          .most_steps = 2 + n % 3,
          .most_places = 1 + n / 3 % 2,
          .longest = 3 + n % 7,
          .most_jitter = n % 5 * 2,
          .spare_time = n % 6};
}

// Bounds that leave something out.

/// B - 1: as if a blocker always started a tick before what it blocks came.
struct shortens_blockers {
  static void change(changed all, std::size_t i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) { all[k].wcet -= all[k].task == all[i].task ? 0 : 1; }
  }
};
struct leaves_late_deadlines_out {
  static void change(changed all, std::size_t i) {
    for (auto& d : all) {
      if (d.task != all[i].task && d.deadline > all[i].deadline) { d.wcet = 0; }
    }
  }
};
struct leaves_a_task_out {
  static void change(changed all, std::size_t i) {
    const std::uint32_t other = all[all.size() - 1].task == all[i].task ? all[0].task : all[all.size() - 1].task;
    for (auto& d : all) { d.task = other != all[i].task && d.task == other ? all[i].task : d.task; }
  }
};
struct forgets_to_switch : takt::time_slice_rule {
  void responds(std::span<takt::visit_demand> given, std::int32_t /*units*/) const {
    an::time_slice_responses(given, slice.count(), 0);
  }
};
struct counts_a_unit_more : takt::fifo_rule {
  static void responds(std::span<takt::visit_demand> given, std::int32_t units) {
    an::arrival_order_responses(given, units + 1);
  }
};

using preemptive = takt::fixed_priority_rule<takt::by_relative_deadline>;
using patient = takt::nonpreemptive_rule<preemptive>;
using patient_edf = takt::nonpreemptive_rule<takt::edf_rule>;

/// What is analysed in place of what runs.
using disguise = void (*)(system_type&);

void keep(system_type& /*s*/) {}
void without_late_releases(system_type& s) {
  for (auto& t : s.set.tasks) { t.jitter = 0; }
}
void without_short_visits(system_type& s) {
  for (auto& v : s.set.visits) { v.lower = v.upper; }
}
void without_sections(system_type& s) { s.set.sections.clear(); }
void without_time_elsewhere(system_type& s) {
  for (auto& v : s.set.visits) {
    if (v.station != 0) { v.lower = v.upper = 0; }
  }
}

enum class by : std::uint8_t { holistic, guarded, inflated };
auto prove(const system_type& s, by how) {
  switch (how) {
    case by::guarded: return an::guarded(s.set, s.places);
    case by::inflated: return an::inflated(s.set, s.places);
    case by::holistic: break;
  }
  return an::holistic(s.set, s.places);
}

struct mutation {
  std::string_view name;
  int rule = -1;   ///< whose bound is wrong, -1: none
  int first = -1;  ///< of the first place, where that is another
  takt::any_rule<visits> wrong{};
  disguise shown = &keep;
  by how = by::holistic;
  bool honours_guards = true;
};

auto wrong_rule(const mutation& m, const rule_pair& right, tick_systems::small slice, tick_systems::small switching)
    -> rule_pair {
  rule_pair out{right.at, m.wrong};
  if (m.rule == 10) {
    forgets_to_switch turns{};
    turns.slice = takt::duration{slice};
    turns.switching = takt::duration{switching};
    out.rule = turns;
  }
  return out;
}

auto mutated_system(const mutation& m, std::uint64_t seed) -> system_type {
  return tick_systems::random_both<tasks, steps, places>(
      seed, shape_of(m.first >= 0 ? m.first : m.rule, seed),
      [&m](int k, tick_systems::small units, tick_systems::small slice, tick_systems::small switching) {
        const auto right = tick_systems::rule_number<visits>(k, units, slice, switching);
        return k == m.rule ? wrong_rule(m, right, slice, switching) : right;
      });
}

/// The number of the first system for which `judge` sees more than a wrong bound allows, 0 if there is none.
template <class Judge>
auto first_caught(const mutation& m, std::uint64_t most, const Judge& judge) -> std::uint64_t {
  for (std::uint64_t seed = 1; seed <= most; ++seed) {
    const auto by_it = [&m](system_type x) {
      m.shown(x);
      return prove(x, m.how);
    };
    system_type s = mutated_system(m, seed);
    if (!by_it(s).schedulable()) { continue; }
    s = searching::tightened(s, by_it);
    auto verdict = by_it(s);
    if (!m.honours_guards) {
      verdict.plan.offsets.clear();
      verdict.plan.local_deadlines.clear();
    }
    if (judge(s, verdict, seed)) { return seed; }
  }
  return 0;
}

}  // namespace

TEST_CASE("an adversary that climbs exceeds no bound") {
  std::uint64_t proven = 0;
  std::uint64_t reached = 0;
  std::uint64_t runs = 0;
  for (std::uint64_t seed = 1; seed <= composed_systems::systems_or(220); ++seed) {
    const int rule = static_cast<int>(seed) % tick_systems::rules;
    const auto s = tick_systems::random_both<tasks, steps, places>(seed, shape_of(rule, seed / 11));
    for (const by how : {by::holistic, by::guarded, by::inflated}) {
      const auto by_it = [how](const system_type& x) { return prove(x, how); };
      REQUIRE_FALSE(by_it(s).error);
      if (!by_it(s).schedulable()) { continue; }
      ++proven;
      const system_type tight = searching::tightened(s, by_it);
      const auto verdict = by_it(tight);
      const ticks excess = searching::worst_excess(tight, verdict, seed, {.restarts = 3, .steps = 200}, &runs);
      reached += excess == 0 ? 1U : 0U;
      CHECK_MESSAGE(excess <= 0, "system " << seed << " under " << verdict.method);
    }
  }
  MESSAGE(proven << " proofs, " << reached << " with a bound that is reached, " << runs << " runs");
  CHECK(reached > proven / 3);
}

TEST_CASE("bounds that leave something out are caught within few systems") {
  const mutation all[]{
      {.name = "priorities without jitter", .rule = 1, .wrong = looks_away<preemptive, leaves_jitter_out>{}},
      {.name = "priorities without own branches",
       .rule = 1,
       .wrong = looks_away<preemptive, leaves_own_branches_out>{}},
      {.name = "non-preemptive without jitter", .rule = 4, .wrong = looks_away<patient, leaves_jitter_out>{}},
      {.name = "non-preemptive without own branches",
       .rule = 4,
       .wrong = looks_away<patient, leaves_own_branches_out>{}},
      {.name = "non-preemptive without own backlog", .rule = 4, .wrong = looks_away<patient, leaves_own_backlog_out>{}},
      {.name = "non-preemptive without blockers", .rule = 4, .wrong = looks_away<patient, leaves_later_ones_out>{}},
      {.name = "EDF without jitter", .rule = 6, .wrong = looks_away<takt::edf_rule, leaves_jitter_out>{}},
      {.name = "EDF without own branches", .rule = 6, .wrong = looks_away<takt::edf_rule, leaves_own_backlog_out>{}},
      {.name = "non-preemptive EDF without jitter", .rule = 7, .wrong = looks_away<patient_edf, leaves_jitter_out>{}},
      {.name = "non-preemptive EDF without later deadlines",
       .rule = 7,
       .wrong = looks_away<patient_edf, leaves_late_deadlines_out>{}},
      {.name = "queue without own branches",
       .rule = 8,
       .wrong = looks_away<takt::fifo_rule, leaves_own_branches_out>{}},
      {.name = "queue without others' branches",
       .rule = 8,
       .wrong = looks_away<takt::fifo_rule, leaves_branches_of_others_out>{}},
      {.name = "queue with a unit too many", .rule = 8, .wrong = counts_a_unit_more{}},
      {.name = "own units without own branches",
       .rule = 9,
       .wrong = looks_away<takt::federated_rule<false>, leaves_own_branches_out>{}},
      {.name = "turns without switching", .rule = 10},
      {.name = "no late releases", .shown = &without_late_releases},
      {.name = "no short visits", .first = 1, .shown = &without_short_visits},
      {.name = "no waits for tokens", .shown = &without_sections},
      {.name = "guards not honoured", .how = by::guarded, .honours_guards = false},
      {.name = "waits not inflated", .first = 1, .shown = &without_time_elsewhere, .how = by::inflated},
  };
  constexpr std::uint64_t most = 1500;
  for (const mutation& m : all) {
    std::uint64_t runs = 0;
    const std::uint64_t at = first_caught(m, most, [&runs](const auto& s, const auto& verdict, std::uint64_t seed) {
      return searching::worst_excess(s, verdict, seed, {.restarts = 3, .steps = 100}, &runs) > 0;
    });
    MESSAGE(m.name << ": system " << at << ", " << runs << " runs");
    CHECK_MESSAGE(at > 0, m.name);
  }
}

TEST_CASE("a blocker that seems a tick shorter is caught where a station may start it before the rest of an instant") {
  const mutation m{.name = "", .rule = 4, .wrong = looks_away<patient, shortens_blockers>{}};
  CHECK(first_caught(m, 100, [](const auto& s, const auto& verdict, std::uint64_t /*seed*/) {
          return every_run::explorer<tasks, steps, places>{s, verdict}.run(20'000).excess > 0;
        }) > 0);
}
