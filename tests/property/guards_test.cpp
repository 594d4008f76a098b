// SPDX-License-Identifier: Apache-2.0
// Guards: what happens where they are dropped because EDF needs none, and what holds sections back. Bounds are held
// against runs, and runs that are not what was proven are caught.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include "property/every_run.hpp"
#include "property/searching_adversary.hpp"

namespace {

namespace an = takt::analysis;
using namespace composed_systems;

/// EDF on one unit mostly, so that guards are dropped, beside places where they are not.
auto mostly_edf(draws& d) -> takt::any_rule<visits> {
  switch (d.between(0, 6)) {
    case 0: return takt::deadline_monotonic;
    case 1: return takt::fifo;
    case 2:
    case 3: return takt::nonpreemptive(takt::edf);
    default: return takt::edf;
  }
}

/// Stations where guards are always dropped, or never.
template <bool Early>
struct otherwise_board : board {
  explicit otherwise_board(const board& b) : board{b} {}
  static auto starts_early(std::size_t /*s*/) -> bool { return Early; }
};
template <bool Early>
struct otherwise {
  table set;
  otherwise_board<Early> places;
};

template <class Board, class Verdict>
auto run_on(const table& set, const Board& places, const Verdict& verdict, adversary choices) {
  takt::host::engine<Board, tasks, visits, adversary> engine{
      set,
      places,
      choices,
      {verdict.plan.offsets.data(), verdict.plan.offsets.size()},
      {verdict.plan.local_deadlines.data(), verdict.plan.local_deadlines.size()}};
  return engine.run(3000);
}

/// Stations of one rule with some units.
auto places_under(const takt::any_rule<visits>& rule, std::size_t count, std::int32_t units) -> board {
  board out;
  for (std::size_t s = 0; s < count; ++s) { REQUIRE(out.add(rule, units)); }
  return out;
}

/// Whether runs that drop all guards exceed guarded bounds in one of so many systems under a rule, without slack.
auto catches_early_starts(const takt::any_rule<visits>& rule, std::int32_t units, std::uint64_t systems) -> bool {
  const auto prove = [](const random_system& x) { return an::guarded(x.set, x.places); };
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    random_system s = random_system_of(seed, [&rule](draws&) { return rule; });
    s.places = places_under(rule, s.places.size(), units);
    s.set.sections.clear();
    if (!prove(s).schedulable()) { continue; }
    s = searching::tightened(s, prove);
    const otherwise<true> hasty{s.set, otherwise_board<true>{s.places}};
    if (searching::worst_excess(hasty, prove(s), seed, {.restarts = 2, .steps = 100}) > 0) { return true; }
  }
  return false;
}

/// Takes as deadline of a visit what lies its local deadline, which is in its view, after its arrival.
template <std::size_t Capacity>
struct moving_server : takt::unit_server<true, Capacity> {
  using base = takt::unit_server<true, Capacity>;
  std::array<takt::visit_request, Capacity> come{};
  std::size_t count = 0;

  void arrive(const takt::visit_request& v) { come[count++] = v; }
  void decide(ticks now, const takt::slice_sink& sink) {
    for (std::size_t k = 0; k < count; ++k) {
      come[k].point.point = now + come[k].view.at[0];
      base::arrive(come[k]);
    }
    count = 0;
    base::decide(now, sink);
  }
};
struct moves_deadlines : takt::edf_rule {
  using starts_early = moves_deadlines;
  template <std::size_t Capacity>
  [[nodiscard]] static auto make_server(std::int32_t /*units*/) -> moving_server<Capacity> {
    return {};
  }
  static void responds(std::span<takt::visit_demand> v, std::int32_t /*units*/) { an::edf_responses(v); }
  static auto decides(std::span<const takt::visit_demand> v, std::int32_t /*units*/) -> bool {
    return an::edf_decides(v);
  }
};

/// A rule of the test's own that is EDF in all but its type.
struct edf_of_ones_own : takt::edf_rule {
  using starts_early = edf_of_ones_own;
  static void responds(std::span<takt::visit_demand> v, std::int32_t /*units*/) { an::edf_responses(v); }
  static auto decides(std::span<const takt::visit_demand> v, std::int32_t /*units*/) -> bool {
    return an::edf_decides(v);
  }
};
/// The same with responses only.
struct edf_without_test : takt::edf_rule {
  using starts_early = edf_without_test;
  static void responds(std::span<takt::visit_demand> v, std::int32_t /*units*/) { an::edf_responses(v); }
};

static_assert(takt::detail::StartsEarly<takt::edf_rule> &&
              takt::detail::StartsEarly<takt::nonpreemptive_rule<takt::edf_rule>>);
static_assert(takt::detail::StartsEarly<takt::nonpreemptive_rule<edf_of_ones_own>>);
static_assert(!takt::detail::StartsEarly<takt::fixed_priority_rule<>> && !takt::detail::StartsEarly<takt::fifo_rule>);
static_assert(!takt::detail::StartsEarly<std::remove_cvref_t<decltype(takt::g_edf)>>);
static_assert(takt::detail::DeadlineOrder<takt::by_absolute_deadline> &&
              takt::detail::DeadlineOrder<takt::by_absolute_deadline_alone> &&
              !takt::detail::DeadlineOrder<takt::by_period> &&
              !takt::detail::DeadlineOrder<takt::by_relative_deadline> &&
              !takt::detail::DeadlineOrder<takt::by_arrival> && !takt::detail::DeadlineOrder<takt::by_fair_lateness>);

}  // namespace

TEST_CASE("no run that starts visits early under EDF exceeds a guarded bound") {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems_or(2000); ++seed) {
    const auto s = random_system_of(seed, mostly_edf);
    hold(s, an::guarded(s.set, s.places), seed, count);
  }
  MESSAGE(count.proven << " systems proven, " << count.jobs << " jobs, " << count.tight << " bounds reached");
  CHECK(count.violations == 0);
  CHECK(count.proven > 300);
}

TEST_CASE("an adversary that climbs exceeds no guarded bound where visits start early") {
  const auto prove = [](const random_system& x) { return an::guarded(x.set, x.places); };
  std::uint64_t proven = 0;
  for (std::uint64_t seed = 1; seed <= systems_or(300) / 4; ++seed) {
    const auto s = random_system_of(seed, mostly_edf);
    if (!prove(s).schedulable()) { continue; }
    ++proven;
    const auto tight = searching::tightened(s, prove);
    CHECK_MESSAGE(searching::worst_excess(tight, prove(tight), seed, {.restarts = 2, .steps = 100}) <= 0, seed);
  }
  MESSAGE(proven << " systems proven");
  CHECK(proven > 10);
}

TEST_CASE("jobs that start early are done earlier on average") {
  ticks early = 0;
  ticks held = 0;
  std::uint64_t better = 0;
  std::uint64_t worse = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto s = random_system_of(seed, mostly_edf);
    const auto verdict = an::guarded(s.set, s.places);
    if (!verdict.schedulable()) { continue; }
    const auto fast = run_on(s.set, s.places, verdict, {seed, s.set, 1});
    const auto slow = run_on(s.set, otherwise_board<false>{s.places}, verdict, {seed, s.set, 1});
    ticks own = 0;
    ticks other = 0;
    for (std::size_t i = 0; i < s.set.size(); ++i) {
      REQUIRE(fast.tasks[i].completed > 0);
      own += fast.tasks[i].total_response / static_cast<ticks>(fast.tasks[i].completed);
      other += slow.tasks[i].total_response / static_cast<ticks>(slow.tasks[i].completed);
    }
    early += own;
    held += other;
    better += own < other ? 1U : 0U;
    worse += own > other ? 1U : 0U;
  }
  MESSAGE("mean responses add up to " << early << " instead of " << held << "; " << better << " systems are faster, "
                                      << worse << " slower");
  CHECK(early < held);
  CHECK(better > 10 * worse);
}

TEST_CASE("runs show where visits may not start early") {
  CHECK(catches_early_starts(takt::deadline_monotonic, 1, 2000));
  CHECK(catches_early_starts(takt::nonpreemptive(takt::deadline_monotonic), 1, 2000));
  CHECK(catches_early_starts(takt::g_edf, 2, 2000));
  CHECK_FALSE(catches_early_starts(takt::edf, 1, 100));
  CHECK_FALSE(catches_early_starts(takt::nonpreemptive(takt::edf), 1, 100));
}

TEST_CASE("runs show absolute deadlines that move with early starts") {
  std::uint64_t caught = 0;
  for (std::uint64_t seed = 1; seed <= 5000 && caught == 0; ++seed) {
    auto s = random_system_of(seed, [](draws&) { return moves_deadlines{}; });
    s.set.sections.clear();
    const auto prove = [](const random_system& x) { return an::guarded(x.set, x.places); };
    if (!prove(s).schedulable()) { continue; }
    s = searching::tightened(s, prove);
    const auto verdict = prove(s);
    for (std::size_t v = 0; v < s.set.visits.size(); ++v) {
      s.set.visits[v].view.at[0] = verdict.plan.local_deadlines[v];
    }
    caught = searching::worst_excess(s, verdict, seed, {.restarts = 2, .steps = 100}) > 0 ? seed : 0;
  }
  MESSAGE("system " << caught);
  CHECK(caught > 0);
}

TEST_CASE("a rule of one's own starts early as EDF does, and is proven by responses where it has no test") {
  std::uint64_t proven = 0;
  std::uint64_t proven_by_responses = 0;
  tally count;
  for (std::uint64_t seed = 1; seed <= systems_or(500); ++seed) {
    const auto known = random_system_of(seed, [](draws&) { return takt::edf; });
    const auto own = random_system_of(seed, [](draws&) { return edf_of_ones_own{}; });
    const auto untested = random_system_of(seed, [](draws&) { return edf_without_test{}; });
    const auto verdict = an::guarded(own.set, own.places);
    REQUIRE(verdict.schedulable() == an::guarded(known.set, known.places).schedulable());
    hold(own, verdict, seed, count);
    proven += verdict.schedulable() ? 1U : 0U;
    const auto by_responses = an::guarded(untested.set, untested.places);
    hold(untested, by_responses, seed, count);
    proven_by_responses += by_responses.schedulable() ? 1U : 0U;
  }
  MESSAGE(proven << " proven by the test, " << proven_by_responses << " by responses");
  CHECK(count.violations == 0);
  CHECK(proven >= proven_by_responses);
  CHECK(proven_by_responses > 20);
}

namespace {

constexpr std::size_t few = 3;
using tiny_system = tick_systems::both<few, few, 2>;

/// Whether every run of tiny systems with sections, in which the machine is changed, shows one above a guarded bound.
template <class Change>
auto is_seen(std::uint64_t systems, const Change& change) -> bool {
  const auto prove = [](const tiny_system& x) { return an::guarded(x.set, x.places); };
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    const auto s = tick_systems::random_both<few, few, 2>(
        seed, {.most_tasks = 3, .most_steps = 3, .most_places = 2, .longest = 3, .most_jitter = 2, .spare_time = 4});
    if (s.set.sections.size() < 2 || !prove(s).schedulable()) { continue; }
    const tiny_system tight = searching::tightened(s, prove);
    every_run::explorer<few, few, 2> all{tight, prove(tight)};
    change(all.described());
    if (all.run(20'000).excess > 0) { return true; }
  }
  return false;
}

template <class F>
void each_held_step(auto& described, const F& f) {
  for (auto& t : described.task) {
    for (std::size_t p = 0; p < static_cast<std::size_t>(t.count); ++p) {
      for (const std::uint32_t held : t.stretches) {
        if ((held >> p & 1U) != 0) { f(t.steps[p], (t.steps[p].after & held) == 0); }
      }
    }
  }
}

}  // namespace

TEST_CASE("every run of tiny systems shows what sections under guards must not leave out") {
  const auto nothing = [](auto& /*d*/) {};
  const auto no_request_guard = [](auto& d) {
    each_held_step(d, [](auto& step, bool first) {
      if (first) { step.guard = 0; }
    });
  };
  const auto guards_inside = [](auto& d) {  // H of the proof lacks the guard time
    each_held_step(d, [](auto& step, bool first) {
      if (!first) { step.guard = step.offset; }
    });
  };
  CHECK_FALSE(is_seen(1500, nothing));
  CHECK(is_seen(20'000, no_request_guard));
  CHECK(is_seen(20'000, guards_inside));
}
