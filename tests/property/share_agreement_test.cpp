// SPDX-License-Identifier: Apache-2.0
// A GPU whose shares follow the needs of jobs, as a pool of a board and as it is simulated by itself. Both are on the
// engine; a board counts progress in a fixed size and rounds, the simulation counts it exactly: who held how much when,
// and when jobs ended, is the same. What is proven of such a pool beside others is held against the engine.
//
// A board refuses rules whose shares come into force late (`actuation`), and late jobs run on.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/pools/share_deadlines.hpp>
#include <takt/rules/needed_shares.hpp>
#include <takt/rules/shares/scheduled_shares.hpp>
#include <takt/simulation/lengths.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>
#include "property/composed_systems.hpp"

namespace {

namespace sim = takt::simulation;
using composed_systems::draws;
using takt::share_rules;
using takt::share_triggers;
using takt::ticks;

constexpr std::size_t most = 5;
constexpr std::size_t room = 16;
using applications = takt::application_set<most>;
using table = takt::visit_table<most, most>;

struct random_shares {
  applications set{};
  share_rules rules{};
  share_triggers triggers{};
  std::array<std::vector<ticks>, most> releases{};
  std::uint64_t seed = 1;
  bool full = true;  ///< jobs take all their time
};

auto random_rules(draws& d) -> share_rules {
  if (d.one_in(4)) { return takt::wamp2s_robust; }
  if (d.one_in(4)) { return takt::wamp2s_literal; }
  if (d.one_in(4)) { return takt::wamp2s_text; }
  const auto either = [&d](auto a, auto b) { return d.one_in(2) ? a : b; };
  return {.fit = either(takt::sum_test::below, takt::sum_test::at_most),
          .slack = either(takt::slack_clock::executed, takt::slack_clock::wall),
          .refused = either(takt::refusal_rule::zero_rest, takt::refusal_rule::skip),
          .load = either(takt::load_view::stale, takt::load_view::worst),
          .leftover = either(takt::leftover_rule::floor, takt::leftover_rule::spread),
          .search = either(takt::need_search::rescaled, takt::need_search::direct)};
}
auto random_triggers(draws& d) -> share_triggers {
  if (d.one_in(2)) { return takt::every_change; }
  return {.decrease = static_cast<takt::decrease_rule>(d.between(0, 2)),
          .reuse = static_cast<takt::late_reuse>(d.between(0, 2)),
          .threshold = takt::rational{d.between(1, 9), 10}};
}

auto draw(std::uint64_t seed) -> random_shares {
  draws d{seed};
  static constexpr std::array<std::string_view, most> names{"A0", "A1", "A2", "A3", "A4"};
  random_shares out;
  out.seed = seed;
  out.full = d.one_in(2);
  out.rules = random_rules(d);
  out.triggers = random_triggers(d);
  const ticks longest = d.one_in(2) ? 20 : d.one_in(2) ? 3000 : 1'000'000'000;
  const ticks count = d.between(1, most);
  const ticks load = d.between(1, 12);
  for (ticks i = 0; i < count; ++i) {
    const ticks wcet = d.between(3, longest);
    const ticks period = wcet + wcet * count * d.between(2, 10) / load;
    REQUIRE(out.set.add({.name = names[static_cast<std::size_t>(i)],
                         .period = period,
                         .deadline = d.one_in(2) ? period : d.between(std::max(wcet, period / 2), period),
                         .priority = static_cast<std::int32_t>(10 * d.between(0, 9) + i),
                         .alone = takt::wcet_row::scaling(wcet, static_cast<std::int32_t>(100 * d.between(0, 6)))}));
    auto& times = out.releases[static_cast<std::size_t>(i)];
    ticks at = d.one_in(2) ? 0 : d.between(0, period);
    for (ticks j = d.between(1, 10); j > 0; --j) {
      times.push_back(at);
      at += period + (d.one_in(3) ? d.between(0, period) : 0);
    }
  }
  for (std::size_t i = 0; i < out.set.size(); ++i) {
    for (std::size_t k = 0; k < out.set.size(); ++k) {
      out.set.contention.set(i, k, d.one_in(3) ? 0U : static_cast<std::uint32_t>(d.between(0, 600'000)));
    }
  }
  return out;
}

struct seen_slice {
  std::size_t task = 0;
  std::int32_t percent = 0;
  ticks start = 0;
  ticks end = 0;
  friend auto operator<=>(const seen_slice&, const seen_slice&) = default;
};
struct seen_run {
  std::vector<seen_slice> slices{};
  std::array<std::vector<ticks>, most> ends{};
  friend auto operator==(const seen_run&, const seen_run&) -> bool = default;
};

constexpr ticks horizon = ticks{1} << 45;

auto exactly(const random_shares& s) -> seen_run {
  takt::scheduled_shares policy{s.set, takt::contention_predictor<most>(s.set), s.rules, s.triggers};
  const std::vector<std::vector<ticks>> releases{s.releases.begin(),
                                                 s.releases.begin() + static_cast<std::ptrdiff_t>(s.set.size())};
  const sim::share_options how{.horizon = horizon,
                               .at_miss = takt::miss_action::late,
                               .execution = s.full ? takt::execution_times::upper : takt::execution_times::random,
                               .seed = s.seed};
  takt::trace trace;
  const auto result = sim::simulate_shares(s.set, policy, releases, how, trace);
  REQUIRE_FALSE(result.error);
  seen_run out;
  for (const auto& x : trace.slices()) {
    out.slices.push_back({x.task, static_cast<std::int32_t>(x.segment), x.start, x.end});
  }
  for (const auto& m : trace.marks()) {
    if (m.what == takt::mark_kind::completion) { out.ends[m.task].push_back(m.time); }
  }
  std::ranges::sort(out.slices);
  return out;
}

constexpr ticks million = 1'000'000;
constexpr ticks scale = ticks{1} << 20;  ///< so that a job of length 1 takes one tick with any share

struct share_choices {
  const random_shares* of;
  sim::lengths work;

  auto gap(std::uint32_t task, std::uint64_t job, ticks /*period*/) const -> ticks {
    const auto& at = of->releases[task];
    if (job >= at.size()) { return horizon + 1; }
    return job == 0 ? at[0] : at[job] - at[job - 1];
  }
  static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
  auto length(const takt::visit_record& /*v*/, std::uint64_t /*job*/) -> ticks {
    const ticks part = work.draw({0, million});
    return part == 0 ? 1 : part * scale;
  }
  void completed(std::uint32_t task, std::uint64_t /*job*/, ticks now) { seen.ends[task].push_back(now); }

  seen_run seen{};
};

auto by_engine(const random_shares& s, const applications& set_of_rule, const share_rules& rules) -> seen_run {
  using stations = takt::any_stations<1, room>;
  table set;
  for (std::size_t i = 0; i < s.set.size(); ++i) {
    const auto& t = s.set.tasks[i];
    REQUIRE(set.add_task({.name = t.name, .period = t.period, .deadline = t.deadline}));
    REQUIRE(set.add_next(0, 0, million * scale, {{static_cast<ticks>(i), 0, 0, 0}}));
  }
  stations places;
  REQUIRE(places.add(takt::shares(set_of_rule, rules, s.triggers)));
  share_choices choices{&s,
                        sim::lengths{s.full ? takt::execution_times::upper : takt::execution_times::random, s.seed}};
  const takt::slice_sink sink{&choices.seen, [](void* seen, takt::client v, std::int32_t unit, ticks from, ticks to) {
                                static_cast<seen_run*>(seen)->slices.push_back({v, unit, from, to});
                              }};
  takt::host::engine<stations, most, most, share_choices> engine{set, places, choices};
  static_cast<void>(engine.run(horizon, sink));
  std::ranges::sort(choices.seen.slices);
  return choices.seen;
}
auto by_engine(const random_shares& s) -> seen_run { return by_engine(s, s.set, s.rules); }

}  // namespace

TEST_CASE("progress in a fixed size and exact progress agree on every share and every end of random applications") {
  std::uint64_t differing = 0;
  std::uint64_t slices = 0;
  for (std::uint64_t seed = 1; seed <= composed_systems::systems_or(20'000); ++seed) {
    const auto s = draw(seed);
    const auto old = exactly(s);
    slices += old.slices.size();
    if (old == by_engine(s)) { continue; }
    if (++differing < 4) { MESSAGE("system " << seed << " differs"); }
  }
  MESSAGE(slices << " slices");
  CHECK(differing == 0);
}

TEST_CASE("the comparison of shares notices another contention, another rule and a slice one tick too long") {
  std::uint64_t less_contention = 0;
  std::uint64_t other_leftover = 0;
  std::uint64_t other_order = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto s = draw(seed);
    const auto old = exactly(s);
    applications calmer = s.set;
    calmer.contention = {};
    less_contention += old == by_engine(s, calmer, s.rules) ? 0U : 1U;
    share_rules other = s.rules;
    other.leftover =
        other.leftover == takt::leftover_rule::floor ? takt::leftover_rule::spread : takt::leftover_rule::floor;
    other_leftover += old == by_engine(s, s.set, other) ? 0U : 1U;
    applications turned = s.set;
    for (auto& t : turned.tasks) { t.priority = 100 - t.priority; }
    other_order += old == by_engine(s, turned, s.rules) ? 0U : 1U;
  }
  MESSAGE(less_contention << ", " << other_leftover << " and " << other_order << " of 300 systems differ");
  CHECK(less_contention > 0);
  CHECK(other_leftover > 0);
  CHECK(other_order > 0);
  const auto s = draw(1);
  auto seen = by_engine(s);
  REQUIRE_FALSE(seen.slices.empty());
  ++seen.slices.front().end;
  CHECK_FALSE(seen == exactly(s));
}

namespace {

using composed_systems::random_system;
using composed_systems::tally;
using any_rule = takt::any_rule<composed_systems::visits>;

/// Chains on processors with one kernel each, and parallel branches now and then. The deadlines of applications leave
/// each of them about as much of the GPU as goes round.
struct chains_with_shares {
  random_system system{};
  applications kernels{};
};

/// `rule_of(r)` is the rule of the GPU, where r is the one that is proven.
template <class RuleOf>
auto draw_chains(std::uint64_t seed, const RuleOf& rule_of, chains_with_shares& out) -> void {
  draws d{seed};
  static constexpr std::array<std::string_view, most> names{"A0", "A1", "A2", "A3", "A4"};
  const ticks count = d.between(1, 4);
  for (ticks i = 0; i < count; ++i) {
    REQUIRE(out.kernels.add(
        {.name = names[static_cast<std::size_t>(i)],
         .period = ticks{1} << 30,
         .deadline = ticks{1} << 30,
         .priority = static_cast<std::int32_t>(10 * d.between(0, 9) + i),
         .alone = takt::wcet_row::scaling(d.between(1, 12), static_cast<std::int32_t>(100 * d.between(0, 6)))}));
    for (std::size_t k = 0; k < static_cast<std::size_t>(i); ++k) {
      const auto ppm = [&d] { return d.one_in(3) ? 0U : static_cast<std::uint32_t>(d.between(0, 600'000)); };
      out.kernels.contention.set(static_cast<std::size_t>(i), k, ppm());
      out.kernels.contention.set(k, static_cast<std::size_t>(i), ppm());
    }
  }
  const auto room_of_each = static_cast<std::int32_t>(d.between(80, 115) / count);
  for (std::size_t i = 0; i < out.kernels.size(); ++i) {
    std::vector<takt::co_runner> others;
    for (std::uint32_t k = 0; k < out.kernels.size(); ++k) {
      if (k != i) { others.push_back({k, takt::no_share}); }
    }
    out.kernels.tasks[i].deadline = takt::contention_predictor<most>{out.kernels}.predict_worst(
        i, takt::share::bounded(room_of_each + static_cast<std::int32_t>(d.between(-3, 3))), others);
  }
  auto rules = random_rules(d);
  rules.slack = takt::slack_clock::wall;  // the readings that have a test
  rules.load = takt::load_view::worst;
  REQUIRE(out.system.places.add(rule_of(takt::shares(out.kernels, rules, random_triggers(d)))));
  const std::array<any_rule, 4> processors{takt::deadline_monotonic, takt::edf, takt::fifo,
                                           takt::nonpreemptive(takt::edf)};
  REQUIRE(out.system.places.add(processors[static_cast<std::size_t>(d.between(0, 3))]));
  const ticks slack = d.between(2, 8);
  for (std::size_t i = 0; i < out.kernels.size(); ++i) {
    auto& t = out.kernels.tasks[i];
    auto& set = out.system.set;
    REQUIRE(set.add_task({.name = t.name}));
    ticks sum = t.deadline;
    const auto add_cpu = [&](takt::visit_mask after) {
      const ticks upper = d.between(0, 4);
      REQUIRE(set.add_visit(1, d.between(0, upper), upper, after));
      sum += upper * count * slack / 2;
    };
    const bool before = d.one_in(2);
    if (before) { add_cpu(0); }
    REQUIRE(set.add_visit(0, 0, t.alone.at(takt::full_share), before ? 1U : 0U, {{static_cast<ticks>(i), 0, 0, 0}}));
    if (d.one_in(3)) { add_cpu(before && d.one_in(2) ? 1U : 0U); }
    if (d.one_in(2)) { add_cpu((takt::visit_mask{1} << set.tasks.back().visit_count) - 1); }
    auto& flow = set.tasks.back();
    flow.jitter = d.one_in(4) ? d.between(0, 5) : 0;
    flow.deadline = sum + flow.jitter;
    flow.period = flow.deadline + (d.one_in(2) ? 0 : d.between(0, sum));
  }
}

template <class RuleOf>
auto hold_chains(std::uint64_t systems, const RuleOf& rule_of) -> tally {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    const auto s = std::make_unique<chains_with_shares>();
    draw_chains(seed, rule_of, *s);
    const auto verdict = takt::analysis::guarded(s->system.set, s->system.places);
    REQUIRE_FALSE(verdict.error);
    if (verdict.schedulable()) { composed_systems::watch(s->system, verdict, seed, count); }
  }
  return count;
}

/// Accepts whatever `Change` lets pass.
template <class Change>
struct loose_shares : takt::needed_shares_rule<most> {
  [[nodiscard]] auto decides(std::span<const takt::visit_demand> visits, std::int32_t /*units*/) const -> bool {
    std::array<takt::visit_demand, composed_systems::visits> changed{};
    std::ranges::copy(visits, changed.begin());
    takt::application_set<most> others = *applications;
    Change::apply({changed.data(), visits.size()}, others);
    needed_shares_rule<most> rule = *this;
    rule.applications = &others;
    return takt::analysis::detail::needed_shares_decide<most>({changed.data(), visits.size()}, rule);
  }
};
struct without_contention {
  static void apply(std::span<takt::visit_demand> /*visits*/, applications& set) { set.contention = {}; }
};
struct without_local_deadlines {
  static void apply(std::span<takt::visit_demand> visits, applications& /*set*/) {
    for (auto& v : visits) { v.deadline = horizon; }
  }
};
/// As if more of the GPU went round than there is.
struct with_later_deadlines {
  static void apply(std::span<takt::visit_demand> visits, applications& set) {
    for (auto& t : set.tasks) { t.deadline += t.deadline / 4; }
    for (auto& v : visits) { v.deadline += v.deadline / 4; }
  }
};

template <class Change>
auto violations_of() -> std::uint64_t {
  const auto count = hold_chains(1000, [](const auto& rule) { return loose_shares<Change>{rule}; });
  MESSAGE(count.proven << " proven, " << count.violations << " violations");
  return count.violations;
}

}  // namespace

TEST_CASE("no run exceeds what was proven of chains whose kernels have shares by need, by guards") {
  const auto count = hold_chains(composed_systems::systems_or(2'000), [](const auto& rule) { return rule; });
  MESSAGE(count.proven << " systems proven, " << count.jobs << " jobs, " << count.tight << " bounds reached");
  CHECK(count.violations == 0);
  CHECK(count.proven > 100);
}

TEST_CASE("the harness catches decisions on shares that leave something out") {
  CHECK(violations_of<without_contention>() > 0);
  CHECK(violations_of<without_local_deadlines>() > 0);
  CHECK(violations_of<with_later_deadlines>() > 0);
}
