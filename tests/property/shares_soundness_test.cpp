// SPDX-License-Identifier: Apache-2.0
// Holds the sufficient test for shares of a GPU against the simulator under hostile releases, the simulator against a
// tick-by-tick reference, and shows that the same search finds what is wrong with the rules as published.
// TAKT_RANDOM_SHARE_SYSTEMS sets how many sets each case looks at, TAKT_SEED which.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/allocation/analyze.hpp>
#include <takt/analysis/methods/shares/sufficient_shares.hpp>
#include <takt/core/random.hpp>
#include <takt/rules/shares/exact_progress.hpp>
#include <takt/rules/shares/one_at_a_time.hpp>
#include <takt/rules/shares/scheduled_shares.hpp>
#include <takt/rules/shares/share_baselines.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>

#include "support/environment.hpp"
#include "support/traces.hpp"
#include "unit/simulation/shares/reference.hpp"

namespace {

namespace sim = takt::simulation;
using takt::random_stream;
using takt::share_rules;
using takt::share_triggers;
using takt::ticks;
using takt::wamp2s_literal;
using takt::wamp2s_robust;
using takt::wamp2s_text;

constexpr std::size_t most = 5;
using applications = takt::application_set<most>;
using predictor = takt::contention_predictor<most>;
using scheduled = takt::scheduled_shares<most, predictor>;
using exactly_scheduled = takt::scheduled_shares<most, predictor, takt::exact_progress<takt::rational>>;
constexpr std::array<std::string_view, most> names{"A0", "A1", "A2", "A3", "A4"};

/// 2 to 5 applications; each slows another one down by up to 60 per cent, unless without contention.
struct generator {
  random_stream random{0};

  auto make(ticks longest, bool contention, ticks light = 2) -> applications {
    applications out;
    const auto size = static_cast<std::size_t>(random.between(2, most));
    const ticks load = random.between(light, 12);
    for (std::size_t i = 0; i < size; ++i) {
      const ticks wcet = random.between(3, longest);
      const ticks period = wcet + wcet * static_cast<ticks>(size) * random.between(2, 10) / load;
      const bool implicit = random.chance(1, 2);
      out.add({.name = names[i],
               .period = period,
               .deadline = implicit ? period : random.between(std::max(wcet, period / 2), period),
               .priority = static_cast<std::int32_t>(10 * random.between(0, 9) + static_cast<ticks>(i)),
               .alone = takt::wcet_row::scaling(wcet, static_cast<std::int32_t>(100 * random.below(7)))});
    }
    for (std::size_t i = 0; contention && i < size; ++i) {
      for (std::size_t k = 0; k < size; ++k) {
        out.contention.set(i, k, random.chance(1, 4) ? 0U : static_cast<std::uint32_t>(random.below(600'000)));
      }
    }
    return out;
  }
};

using takt_tests::from_environment;

[[nodiscard]] auto describe(const applications& t) -> std::string {
  std::string text;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const auto& a = t.tasks[i];
    text += "(C " + std::to_string(a.alone.at(takt::full_share)) + " .. " + std::to_string(a.alone.at(takt::share{1})) +
            ", D " + std::to_string(a.deadline) + ", T " + std::to_string(a.period) + ", P " +
            std::to_string(a.priority) + ", S";
    for (std::size_t k = 0; k < t.size(); ++k) { text += ' ' + std::to_string(t.contention.ppm(i, k)); }
    text += ") ";
  }
  return text;
}

/// What was seen of one claim.
struct record {
  std::uint64_t accepted = 0;
  std::uint64_t runs = 0;
  std::uint64_t missed = 0;   ///< runs with a miss
  std::uint64_t refused = 0;  ///< runs in which an operation refused a job
  std::string first_miss;
};

template <class Examine>
[[nodiscard]] auto over_random_sets(const Examine& examine, std::uint64_t least = 0) -> record {
  record out;
  random_stream seeds{from_environment("TAKT_SEED", 1)};
  const std::uint64_t count = std::max(from_environment("TAKT_RANDOM_SHARE_SYSTEMS", 300), least);
  for (std::uint64_t i = 0; i < count; ++i) {
    generator g{random_stream{seeds.next()}};
    examine(g, out);
  }
  return out;
}

[[nodiscard]] auto horizon_of(const applications& t) -> ticks {
  ticks longest = 0;
  for (const auto& a : t.tasks) { longest = std::max(longest, a.period); }
  return 4 * longest;
}

template <class Policy>
auto attack(const applications& t, const Policy& policy, generator& g, record& out, sim::share_options options = {})
    -> bool {
  options.horizon = horizon_of(t);
  bool missed = false;
  for (int pattern = 0; pattern < 4; ++pattern) {
    const auto releases = sim::interrupting_releases(t.tasks, options.horizon, g.random.next());
    const auto run = sim::simulate_shares(t, policy, releases, options);
    REQUIRE_FALSE(run.error);
    ++out.runs;
    out.refused += run.effort.refusals > 0 ? 1U : 0U;
    if (run.misses() == 0) { continue; }
    missed = true;
    if (out.missed++ == 0) { out.first_miss = describe(t); }
  }
  return missed;
}

/// Attacks sets that the test accepts for these rules.
[[nodiscard]] auto attack_accepted(const share_rules& rules, const share_triggers& triggers, bool contention,
                                   const share_rules& tested = wamp2s_robust, std::int64_t bias = 0,
                                   std::int64_t margin = 0, sim::share_options options = {}, std::uint64_t least = 0)
    -> record {
  return over_random_sets(
      [&](generator& g, record& out) {
        const applications t = g.make(options.actuation_delay > 0 ? 400 : 60, contention);
        const predictor p{t, bias, margin};
        if (!takt::analysis::sufficient_shares(t, p, tested).sufficient) { return; }
        ++out.accepted;
        attack(t, scheduled{t, p, rules, triggers}, g, out, options);
      },
      least);
}

const std::array all_triggers{takt::every_change, takt::workload_decrease,
                              share_triggers{.decrease = takt::decrease_rule::refill},
                              takt::accumulated_execution({3, 4}), takt::hybrid({1, 2}, takt::late_reuse::operation)};

}  // namespace

TEST_CASE("what the sufficient test accepts never misses under the robust rules, and none is refused" *
          takt_tests::traces("WAMP-51 WAMP-50")) {
  for (const auto& triggers : all_triggers) {
    const record r = attack_accepted(wamp2s_robust, triggers, true);
    CAPTURE(r.first_miss);
    CHECK(r.accepted > 10);
    CHECK(r.missed == 0);
    CHECK(r.refused == 0);
  }
}

TEST_CASE("the tightest sets that the sufficient test accepts meet their deadlines" * takt_tests::traces("WAMP-51")) {
  const record r = over_random_sets([](generator& g, record& out) {
    applications t = g.make(60, true, 8);
    const predictor p{t};
    for (auto& a : t.tasks) {  // as short a deadline as the test allows, one after the other
      const ticks given = a.deadline;
      ticks low = 0;
      while (low + 1 < a.deadline) {
        const ticks longest = a.deadline;
        a.deadline = low + (longest - low) / 2;
        if (!takt::analysis::sufficient_shares(t, p).sufficient) {
          low = a.deadline;
          a.deadline = longest;
        }
      }
      a.deadline = std::min(a.deadline, given);
    }
    if (!takt::analysis::sufficient_shares(t, p).sufficient) { return; }
    ++out.accepted;
    attack(t, scheduled{t, p}, g, out);
    attack(t, scheduled{t, p, wamp2s_robust, takt::workload_decrease}, g, out);
  });
  CAPTURE(r.first_miss);
  CHECK(r.accepted > 5);
  CHECK(r.missed == 0);
  CHECK(r.refused == 0);
}

TEST_CASE("a margin that covers the error of the predictor keeps every deadline, and without it some are lost" *
          takt_tests::traces("WAMP-56")) {
  constexpr std::int64_t margin = 250'000;
  constexpr std::int64_t covered = -200'000;  // (1 - 0.2) (1 + 0.25) = 1
  for (const std::int64_t bias : {covered, covered / 2, margin}) {
    const record r = attack_accepted(wamp2s_robust, takt::every_change, true, wamp2s_robust, bias, margin);
    CAPTURE(r.first_miss);
    CHECK(r.accepted > 5);
    CHECK(r.missed == 0);
    CHECK(r.refused == 0);
  }
  CHECK(attack_accepted(wamp2s_robust, takt::every_change, true, wamp2s_robust, covered, 0, {}, 300).missed > 0);
}

TEST_CASE("what is accepted with the delay of share changes never misses, however they come into force" *
          takt_tests::traces("WAMP-32")) {
  for (const auto change : {sim::share_change::delayed, sim::share_change::raised_later}) {
    for (const ticks delay : {1, 7, 25}) {
      share_rules rules = wamp2s_robust;
      rules.actuation = delay;
      const sim::share_options options{.actuation_delay = delay, .change = change};
      for (const auto& triggers : {takt::every_change, takt::workload_decrease}) {
        const record r = attack_accepted(rules, triggers, true, rules, 0, 0, options);
        CAPTURE(delay);
        CAPTURE(r.first_miss);
        CHECK(r.accepted > 5);
        CHECK(r.missed == 0);
        CHECK(r.refused == 0);
      }
    }
    const sim::share_options options{.actuation_delay = 25, .change = change};
    CHECK(attack_accepted(wamp2s_robust, takt::every_change, true, wamp2s_robust, 0, 0, options, 300).missed > 0);
  }
}

TEST_CASE("fixed shares that suffice with the delay as reserve never miss, however changes take effect" *
          takt_tests::traces("WAMP-32")) {
  constexpr ticks delay = 20;
  share_rules rules = wamp2s_robust;
  rules.actuation = delay;
  for (const auto change : {sim::share_change::delayed, sim::share_change::raised_later}) {
    const record r = over_random_sets([&](generator& g, record& out) {
      const applications t = g.make(400, true);
      const auto test = takt::analysis::sufficient_shares(t, predictor{t}, rules);
      if (!test.sufficient) { return; }
      ++out.accepted;
      std::array<takt::share, most> shares{};
      for (std::size_t i = 0; i < t.size(); ++i) { shares[i] = takt::share::bounded(test.tasks[i].need); }
      attack(t, takt::fixed_shares<most>{t, shares}, g, out, {.actuation_delay = delay, .change = change});
    });
    CAPTURE(r.first_miss);
    CHECK(r.accepted > 5);
    CHECK(r.missed == 0);
  }
}

TEST_CASE("the same search finds misses of the rules as published on sets that the sound ones keep" *
          takt_tests::traces("WAMP-50")) {
  constexpr std::uint64_t enough = 300;
  for (const auto& rules : {wamp2s_text, wamp2s_literal}) {
    CHECK(attack_accepted(rules, takt::every_change, true, wamp2s_robust, 0, 0, {}, enough).missed > 0);
  }
}

TEST_CASE("without contention the published rules can still miss what the test accepts: a tick left is too much" *
          takt_tests::traces("WAMP-51")) {
  applications t;
  t.add({.name = "A0", .period = 33, .deadline = 33, .priority = 60, .alone = takt::wcet_row::scaling(24, 500)});
  t.add({.name = "A1", .period = 6, .deadline = 6, .priority = 91, .alone = takt::wcet_row::scaling(3, 400)});
  const predictor p{t};
  REQUIRE(takt::analysis::sufficient_shares(t, p).sufficient);
  record text;
  record robust;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    generator g{random_stream{seed}};
    attack(t, exactly_scheduled{t, p, wamp2s_text}, g, text);
    generator same{random_stream{seed}};
    attack(t, scheduled{t, p, wamp2s_robust}, same, robust);
  }
  CHECK(text.missed > 0);
  CHECK(robust.missed == 0);
}

TEST_CASE("the same search finds sets that only the published cuts lose" * takt_tests::traces("WAMP-34 WAMP-33")) {
  std::uint64_t lost_by_reuse = 0;
  std::uint64_t lost_by_skipping = 0;
  const record r = over_random_sets(
      [&](generator& g, record& out) {
        const applications t = g.make(60, true, 6);
        const predictor p{t};
        const auto seed = random_stream{g.random.next()};
        const auto loses = [&](const share_triggers& triggers) {
          generator same{seed};
          return attack(t, scheduled{t, p, wamp2s_text, triggers}, same, out);
        };
        if (loses(takt::every_change)) { return; }
        lost_by_reuse += loses(takt::accumulated_execution({1, 2})) ? 1U : 0U;
        lost_by_skipping += loses(takt::workload_decrease) ? 1U : 0U;
      },
      1000);
  CHECK(r.runs > 0);
  CHECK(lost_by_reuse > 0);
  CHECK(lost_by_skipping > 0);
}

namespace {

/// The jobs that a simulation started, in the order of their starts within an application.
[[nodiscard]] auto jobs_in(const takt::trace& trace, const takt::share_observation<most>& run)
    -> std::vector<std::vector<takt::test::reference_job>> {
  std::vector<std::vector<takt::test::reference_job>> out(run.tasks.size());
  for (std::size_t i = 0; i < out.size(); ++i) { out[i].resize(run.activities[i].started); }
  for (const auto& m : trace.marks()) {
    if (m.job >= out[m.task].size()) { continue; }
    auto& j = out[m.task][m.job];
    j.task = m.task;
    if (m.what == takt::mark_kind::release) { j.release = m.time; }
    if (m.what == takt::mark_kind::completion) { j.finish = m.time; }
    j.missed = j.missed || m.what == takt::mark_kind::miss;
  }
  return out;
}

template <class Policy>
[[nodiscard]] auto agrees(const applications& t, const Policy& policy, const std::vector<std::vector<ticks>>& releases,
                          const sim::share_options& options, std::uint64_t& compared) -> bool {
  const auto expected = takt::test::tick_by_tick(t, policy, releases, options);
  if (!expected.exact) { return true; }
  ++compared;
  takt::trace trace;
  const auto run = sim::simulate_shares(t, policy, releases, options, trace);
  std::vector<std::vector<takt::test::reference_job>> by_task(t.size());
  for (const auto& j : expected.jobs) { by_task[j.task].push_back(j); }
  return jobs_in(trace, run) == by_task;
}

}  // namespace

TEST_CASE("the simulator agrees with one that counts ticks, for every policy and miss action" *
          takt_tests::traces("WAMP-54 WAMP-55 WAMP-56")) {
  std::uint64_t compared = 0;
  std::uint64_t differing = 0;
  std::string first;
  static_cast<void>(over_random_sets([&](generator& g, record& /*out*/) {
    const applications t = g.make(12, g.random.chance(2, 3));
    const auto releases = sim::interrupting_releases(t.tasks, horizon_of(t), g.random.next());
    const std::array actions{takt::miss_action::abort, takt::miss_action::late, takt::miss_action::stop};
    const sim::share_options options{.horizon = horizon_of(t),
                                     .at_miss = actions[static_cast<std::size_t>(g.random.below(3))]};
    const auto check = [&](const auto& policy, const char* what) {
      if (agrees(t, policy, releases, options, compared)) { return; }
      if (differing++ == 0) { first = std::string{what} + ": " + describe(t); }
    };
    for (const auto& rules : {wamp2s_literal, wamp2s_text, wamp2s_robust}) {
      for (const auto& triggers : {takt::every_change, takt::hybrid({7642, 10000})}) {
        const std::int64_t bias = g.random.chance(1, 2) ? 0 : g.random.between(0, 200'000) - 100'000;
        check(exactly_scheduled{t, predictor{t, bias}, rules, triggers}, "scheduler");
      }
    }
    check(takt::time_sliced<most>{t, static_cast<std::int32_t>(g.random.below(100'000))}, "time slices");
    check(takt::equal_shares<most>{t}, "equal shares");
    check(takt::proportional_shares<most>{t}, "proportional shares");
    for (const bool preemptive : {false, true}) {
      const auto single = [&](const takt::JobPriority auto& order) {
        check(takt::one_at_a_time{t, {.preemptive = preemptive}, order}, "one at a time");
      };
      single(takt::by_arrival{});
      single(takt::by_given_priority{});
      single(takt::by_absolute_deadline{});
    }
  }));
  CAPTURE(first);
  CHECK(compared > 100);
  CHECK(differing == 0);
}

TEST_CASE("no application misses that the analysis of its platform promised to be in time" *
          takt_tests::traces("WAMP-51 WAMP-32")) {
  std::uint64_t promised = 0;
  const record r = over_random_sets(
      [&](generator& g, record& out) {
        const ticks actuation = g.random.chance(1, 3) ? g.random.between(1, 20) : 0;
        const applications t = g.make(actuation > 0 ? 400 : 60, g.random.chance(2, 3));
        share_rules rules = wamp2s_robust;
        rules.actuation = actuation;
        const auto& triggers = all_triggers[static_cast<std::size_t>(g.random.below(all_triggers.size()))];
        const auto board = takt::platform(takt::pool(takt::gpu_shares(), takt::shares(rules, triggers)));
        const auto verdict = takt::analysis::analyze_by<takt::published>(board, t);
        REQUIRE_FALSE(verdict.error);
        out.accepted += verdict.schedulable() ? 1U : 0U;
        for (const auto pattern :
             {takt::release_pattern::periodic, takt::release_pattern::sporadic, takt::release_pattern::adversarial}) {
          const auto run = takt::simulate(
              board, t, verdict.plan,
              {.horizon = takt::duration{horizon_of(t)},
               .releases = pattern,
               .execution = g.random.chance(1, 3) ? takt::execution_times::random : takt::execution_times::upper,
               .seed = g.random.next()});
          REQUIRE_FALSE(run.error);
          ++out.runs;
          for (std::size_t i = 0; i < t.size(); ++i) {
            promised += verdict.tasks[i].meets ? 1U : 0U;
            if (!verdict.tasks[i].meets || run.tasks[i].misses == 0) { continue; }
            if (out.missed++ == 0) { out.first_miss = describe(t); }
          }
        }
      },
      400);
  CAPTURE(r.first_miss);
  MESSAGE(r.accepted << " accepted sets, " << r.runs << " runs, " << promised << " promises");
  CHECK(r.accepted > 50);
  CHECK(promised > 3 * r.accepted);
  CHECK(r.missed == 0);
}
