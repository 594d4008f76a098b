// SPDX-License-Identifier: Apache-2.0
// Bounds of contexts that take turns are held against runs that try to break them, and bounds that leave something out
// do not get past these.
#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string_view>

#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/pools/bounds.hpp>
#include "property/composed_systems.hpp"
#include "property/mistaken_bounds.hpp"
#include "property/searching_adversary.hpp"

namespace {

namespace an = takt::analysis;
using composed_systems::draws;
using mistaken_bounds::changed;
using mistaken_bounds::looks_away;
using takt::ticks;
using takt::time_slice_rule;

constexpr std::size_t tasks = 4;
constexpr std::size_t visits = 16;

struct sliced_system {
  takt::visit_table<tasks, visits> set;
  takt::any_stations<2, visits> places;
};

struct shape {
  bool contexts = true;  ///< shared ones, and slices of their own
  bool branches = true;
  bool jitter = true;
  bool processor = true;
};

/// On the GPU, which is station 0, and a processor. `rule_of(slices)` is the rule that proves.
template <class RuleOf>
auto random_sliced(std::uint64_t seed, const shape& with, const RuleOf& rule_of) -> sliced_system {
  draws d{seed};
  sliced_system out;
  time_slice_rule slices{takt::duration{d.between(1, 4)}, takt::duration{d.between(0, 3)}};
  slices.keeps_places = d.one_in(2);
  REQUIRE(out.places.add(rule_of(slices)));
  REQUIRE(out.places.add(takt::deadline_monotonic));
  const ticks count = d.between(2, tasks);
  const ticks spare = d.between(1, 8);
  for (ticks i = 0; i < count; ++i) {
    const ticks steps = d.between(1, visits / tasks);
    const ticks longest = d.one_in(3) ? 12 : 5;
    takt::inline_vector<ticks, visits> uppers;
    ticks sum = 0;
    for (ticks j = 0; j < steps; ++j) {
      REQUIRE(uppers.try_push_back(d.one_in(8) ? 0 : d.between(1, longest)));
      sum += uppers.back();
    }
    const ticks period = sum * count * d.between(2, 3 + spare) / 2 + d.between(3, 30);
    REQUIRE(out.set.add_task({.name = "t",
                              .period = period,
                              .deadline = period,
                              .jitter = with.jitter && d.one_in(3) ? d.between(0, period / 4) : 0}));
    const bool graph = with.branches && d.one_in(3);
    for (ticks j = 0; j < steps; ++j) {
      const ticks upper = uppers[static_cast<std::size_t>(j)];
      const auto before = (takt::visit_mask{1} << j) - 1;
      const auto after = graph ? static_cast<takt::visit_mask>(d.between(0, 15)) & before : before ^ (before >> 1);
      takt::view_values seen{};
      if (with.contexts && d.one_in(3)) { seen.at[0] = d.between(1, 2); }
      if (with.contexts && d.one_in(3)) { seen.at[1] = d.between(1, 6); }
      const bool on_gpu = !with.processor || d.one_in(4) || j % 2 == 0;
      REQUIRE(out.set.add_visit(on_gpu ? 0 : 1, d.one_in(2) ? upper : d.between(0, upper), upper, after,
                                on_gpu ? seen : takt::view_values{}));
    }
  }
  return out;
}

auto prove(const sliced_system& s) { return an::holistic(s.set, s.places); }

/// Full turns of all contexts, reckoned here: of tasks with contexts of their own and one slice.
template <class Reckoning>
struct reckons : time_slice_rule {
  void responds(std::span<takt::visit_demand> given, std::int32_t /*units*/) const {
    ticks others = -1;
    for (std::size_t i = 0; i < given.size(); ++i) { others += i == 0 || given[i].task != given[i - 1].task ? 1 : 0; }
    for (auto& v : given) {
      v.response = std::max(v.response, Reckoning::of(v.wcet, others, slice.count(), switching.count()));
    }
  }
};
constexpr auto rounds(ticks work, ticks slice) -> ticks { return (work + slice - 1) / slice; }

struct in_full {
  static constexpr auto of(ticks work, ticks others, ticks slice, ticks switching) -> ticks {
    return work + rounds(work, slice) * (others * (slice + switching) + (others > 0 ? switching : 0));
  }
};
struct without_a_context {
  static constexpr auto of(ticks work, ticks others, ticks slice, ticks switching) -> ticks {
    return in_full::of(work, std::max<ticks>(0, others - 1), slice, switching);
  }
};
struct with_whole_slices_only {
  static constexpr auto of(ticks work, ticks others, ticks slice, ticks switching) -> ticks {
    return work + work / slice * (others * (slice + switching) + (others > 0 ? switching : 0));
  }
};
/// As published: a switch with each foreign slice, and none back.
struct without_the_switch_back {
  static constexpr auto of(ticks work, ticks others, ticks slice, ticks switching) -> ticks {
    return work + rounds(work, slice) * others * (slice + switching);
  }
};
struct without_switches {
  static constexpr auto of(ticks work, ticks others, ticks slice, ticks /*switching*/) -> ticks {
    return in_full::of(work, others, slice, 0);
  }
};

struct forgets_to_switch : time_slice_rule {
  void responds(std::span<takt::visit_demand> given, std::int32_t /*units*/) const {
    an::time_slice_responses(given, slice.count(), 0);
  }
};
struct takes_all_for_contexts_of_their_own {
  static void change(changed all, std::size_t /*i*/) {
    for (auto& d : all) { d.view.at[0] = 0; }
  }
};
struct leaves_own_slices_out {
  static void change(changed all, std::size_t /*i*/) {
    for (auto& d : all) { d.view.at[1] = 0; }
  }
};
struct doubles_periods {
  static void change(changed all, std::size_t /*i*/) {
    for (auto& d : all) { d.period *= 2; }
  }
};

template <class Rule>
auto wrong(const time_slice_rule& slices) -> takt::any_rule<visits> {
  Rule out{};
  static_cast<time_slice_rule&>(out) = slices;
  return out;
}

}  // namespace

TEST_CASE("no run exceeds a bound of time slices, with shared contexts, slices of their own and places that are kept") {
  std::uint64_t proven = 0;
  std::uint64_t reached = 0;
  std::uint64_t runs = 0;
  for (std::uint64_t seed = 1; seed <= composed_systems::systems_or(250); ++seed) {
    const shape with{seed % 2 == 0, seed % 3 == 0, seed % 5 < 2, seed % 7 < 4};
    const sliced_system s = random_sliced(seed, with, [](const time_slice_rule& r) { return r; });
    REQUIRE_FALSE(prove(s).error);
    if (!prove(s).schedulable()) { continue; }
    ++proven;
    const sliced_system tight = searching::tightened(s, prove);
    const auto verdict = prove(tight);
    const ticks excess = searching::worst_excess(tight, verdict, seed, {.restarts = 2, .steps = 60}, &runs);
    reached += excess == 0 ? 1U : 0U;
    CHECK_MESSAGE(excess <= 0, "system " << seed);
  }
  MESSAGE(proven << " proofs, " << reached << " with a bound that is reached, " << runs << " runs");
  CHECK(proven > 50);
  CHECK(reached > proven / 4);
}

TEST_CASE("bounds of time slices that leave something out are caught") {
  struct mutation {
    std::string_view name;
    takt::any_rule<visits> (*rule_of)(const time_slice_rule&);
    shape with{};
  };
  constexpr shape plain{.contexts = false, .branches = false};
  const mutation all[]{
      {"without switches", &wrong<reckons<without_switches>>, plain},
      {"with a context less", &wrong<reckons<without_a_context>>, plain},
      {"with whole slices only", &wrong<reckons<with_whole_slices_only>>, plain},
      {"without the switch back", &wrong<reckons<without_the_switch_back>>, plain},
      {"in windows, without switches", &wrong<forgets_to_switch>},
      {"in windows, without jitter", &wrong<looks_away<time_slice_rule, mistaken_bounds::leaves_jitter_out>>},
      {"in windows, without own branches",
       &wrong<looks_away<time_slice_rule, mistaken_bounds::leaves_own_branches_out>>},
      {"in windows, without shared contexts", &wrong<looks_away<time_slice_rule, takes_all_for_contexts_of_their_own>>},
      {"in windows, without own slices", &wrong<looks_away<time_slice_rule, leaves_own_slices_out>>},
      {"in windows, with half of the jobs", &wrong<looks_away<time_slice_rule, doubles_periods>>},
  };
  const auto caught_at = [](const mutation& m) -> std::uint64_t {
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
      const sliced_system s = random_sliced(seed, m.with, m.rule_of);
      if (!prove(s).schedulable()) { continue; }
      const sliced_system tight = searching::tightened(s, prove);
      if (searching::worst_excess(tight, prove(tight), seed, {.restarts = 3, .steps = 80}) > 0) { return seed; }
    }
    return 0;
  };
  for (const mutation& m : all) {
    const std::uint64_t at = caught_at(m);
    MESSAGE(m.name << ": system " << at);
    CHECK_MESSAGE(at > 0, m.name);
  }
  const mutation right{"in full", &wrong<reckons<in_full>>, plain};
  std::uint64_t systems = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const sliced_system s = random_sliced(seed, right.with, right.rule_of);
    const auto by_it = prove(s);
    const sliced_system same = random_sliced(seed, right.with, [](const time_slice_rule& r) { return r; });
    const auto verdict = prove(same);
    if (!by_it.schedulable()) { continue; }
    ++systems;
    CHECK(verdict.schedulable());
    for (std::size_t i = 0; i < s.set.size(); ++i) {
      CHECK(verdict.tasks[i].bound.value <= by_it.tasks[i].bound.value);
    }
  }
  CHECK(systems > 10);
}
