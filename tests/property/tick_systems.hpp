// SPDX-License-Identifier: Apache-2.0
// Random systems that are described twice: for the engine and the combiners, and for the tick machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

#include <takt/core/inline_vector.hpp>
#include "property/composed_systems.hpp"
#include "property/tick_machine.hpp"

namespace tick_systems {

using composed_systems::draws;
using takt::ticks;
using tick_machine::order;
using tick_machine::small;

template <std::size_t Tasks, std::size_t Steps, std::size_t Places>
struct both {
  static constexpr std::size_t visits = Tasks * Steps;
  using table = takt::visit_table<Tasks, visits>;
  using board = takt::any_stations<Places, visits>;

  tick_machine::description<Tasks, Steps, Places> described{};
  table set{};
  board places{};
  takt::inline_vector<ticks, visits> offsets{};    ///< of guards, if it has them
  takt::inline_vector<ticks, visits> deadlines{};  ///< local ones
};

/// A rule in both words.
template <std::size_t Visits>
struct rule_pair {
  tick_machine::place at{};
  takt::any_rule<Visits> rule{};
};

inline constexpr int rules = 11;
/// Rule number `k`.
template <std::size_t Visits>
auto rule_number(int k, small units, small slice, small switching) -> rule_pair<Visits> {
  using takt::nonpreemptive;
  switch (k) {
    case 0: return {{.by = order::priority, .preempts = true, .units = units}, takt::fixed_priority};
    case 1: return {{.by = order::relative_deadline, .preempts = true, .units = units}, takt::deadline_monotonic};
    case 2: return {{.by = order::period, .preempts = true, .units = units}, takt::rate_monotonic};
    case 3: return {{.by = order::priority, .units = units}, nonpreemptive(takt::fixed_priority)};
    case 4: return {{.by = order::relative_deadline, .units = units}, nonpreemptive(takt::deadline_monotonic)};
    case 5: return {{.by = order::period, .units = units}, nonpreemptive(takt::rate_monotonic)};
    case 6: return {{.by = order::absolute_deadline, .preempts = true, .units = units}, takt::edf};
    case 7: return {{.by = order::absolute_deadline, .units = units}, nonpreemptive(takt::edf)};
    case 8: return {{.units = units}, takt::fifo};
    case 9: return {{.units_of_own = true}, takt::federated};
    default:
      return {{.slice = slice, .switching = switching},
              takt::time_slices(takt::duration{slice}, takt::duration{switching})};
  }
}

/// What random systems may have.
struct shape {
  int rule = -1;  ///< of the first place, -1: any
  int most_units = 2;
  ticks most_tasks = 4;
  ticks most_steps = 5;
  ticks most_places = 3;
  ticks longest = 5;
  ticks most_jitter = 12;
  ticks spare_time = 6;  ///< in quarters of all lengths
  bool guards = false;
  bool tokens = true;
  bool late = false;  ///< jitter of more than a period
};

/// `rule_of(k, units, slice, switching)` is rule number k in both words.
template <std::size_t Tasks, std::size_t Steps, std::size_t Places, class RuleOf>
auto random_both(std::uint64_t seed, const shape& how, const RuleOf& rule_of) -> both<Tasks, Steps, Places> {
  using out_type = both<Tasks, Steps, Places>;
  draws d{seed};
  out_type out;
  auto& described = out.described;
  const auto within = [&d](ticks a, ticks b) { return static_cast<small>(d.between(a, b)); };
  described.places = within(1, how.most_places);
  for (small s = 0; s < described.places; ++s) {
    const int k = s == 0 && how.rule >= 0 ? how.rule : static_cast<int>(d.between(0, rules - 1));
    const small units = within(1, k < 9 ? how.most_units : 1);
    const rule_pair<out_type::visits> rule = rule_of(k, units, within(1, 4), within(0, 2));
    described.at[static_cast<std::size_t>(s)] = rule.at;
    REQUIRE(out.places.add(rule.rule, units));
  }
  if (how.tokens && d.one_in(3)) { described.tokens = within(1, 2); }
  if (described.tokens > 0) { REQUIRE(out.places.add_tokens(takt::fifo_order, described.tokens)); }
  described.tasks = within(2, how.most_tasks);
  const bool chains = described.tokens > 0 || d.one_in(2);
  ticks all = 0;
  for (small i = 0; i < described.tasks; ++i) {
    auto& t = described.task[static_cast<std::size_t>(i)];
    t.count = within(1, how.most_steps);
    for (small p = 0; p < t.count; ++p) {
      auto& x = t.steps[static_cast<std::size_t>(p)];
      x.station = within(0, described.places - 1);
      x.upper = d.one_in(6) ? small{0} : within(1, how.longest);
      x.lower = d.one_in(2) ? x.upper : within(0, x.upper);
      const std::uint32_t before = (1U << p) - 1;
      x.after = chains ? before ^ (before >> 1) : static_cast<std::uint32_t>(d.between(0, 63)) & before;
      all += x.upper;
    }
    if (described.tokens == 0 || d.one_in(4)) { continue; }
    const small first = within(0, t.count - 1);
    const small last = within(first, t.count - 1);
    t.stretches[0] = ((2U << last) - 1) ^ ((1U << first) - 1);
    if (last + 1 < t.count && d.one_in(2)) { t.stretches[1] = 1U << within(last + 1, t.count - 1); }
  }
  for (small i = 0; i < described.tasks; ++i) {
    auto& t = described.task[static_cast<std::size_t>(i)];
    ticks own = 0;
    for (const auto& x : t.steps) { own += x.upper; }
    const ticks base = d.one_in(2) ? all : own * described.tasks;
    t.period = static_cast<small>(std::max<ticks>(base * d.between(3, 4 + how.spare_time) / 4, 1) + d.between(0, 3));
    t.deadline = static_cast<small>(t.period - (d.one_in(4) ? d.between(0, t.period / 6) : 0));
    t.jitter = how.late      ? within(0, 2 * t.period)
               : d.one_in(2) ? within(0, std::min<ticks>(how.most_jitter, t.period / 2))
                             : small{0};
    t.priority = within(0, 3);
    REQUIRE(out.set.add_task({.name = "t",
                              .period = t.period,
                              .deadline = t.deadline,
                              .jitter = t.jitter,
                              .priority = static_cast<std::int32_t>(t.priority)}));
    for (small p = 0; p < t.count; ++p) {
      auto& x = t.steps[static_cast<std::size_t>(p)];
      REQUIRE(out.set.add_visit(static_cast<std::uint32_t>(x.station), x.lower, x.upper, x.after));
      if (!how.guards) { continue; }
      x.offset = within(0, t.period / 2);
      x.local_deadline = within(1, t.period / 2 + 1);
      REQUIRE((out.offsets.try_push_back(x.offset) && out.deadlines.try_push_back(x.local_deadline)));
    }
    for (const std::uint32_t held : t.stretches) {
      if (held != 0) { REQUIRE(out.set.sections.try_push_back({static_cast<std::uint32_t>(i), 0, held})); }
    }
  }
  tick_machine::set_guards(described);
  return out;
}

template <std::size_t Tasks, std::size_t Steps, std::size_t Places>
auto random_both(std::uint64_t seed, const shape& how) -> both<Tasks, Steps, Places> {
  return random_both<Tasks, Steps, Places>(seed, how, [](int k, small units, small slice, small switching) {
    return rule_number<both<Tasks, Steps, Places>::visits>(k, units, slice, switching);
  });
}

}  // namespace tick_systems
