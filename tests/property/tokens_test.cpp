// SPDX-License-Identifier: Apache-2.0
// Sections under each rule of tokens: bounds of random systems are held against runs that are meant to break them.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include <takt/checking.hpp>
#include "property/composed_systems.hpp"

namespace {

namespace an = takt::analysis;
using namespace composed_systems;
using token_rule = takt::any_token_rule<visits>;

/// A rule of the test's own: a token that falls free goes to the section that asked last.
template <std::size_t Clients>
struct newest_first_lock {
  std::int32_t tokens = 1;
  std::array<std::int32_t, Clients> state{};  ///< above 0: a token; below: it waits, the least asked last

  static constexpr auto capacity() -> takt::request_id { return static_cast<takt::request_id>(Clients); }
  auto replicas() const -> takt::replica_id { return tokens; }
  auto issue(takt::request_id r, const takt::lock_request& /*q*/) -> takt::request_id {
    at(r) = *std::min_element(state.begin(), state.end()) - 1;
    at(r) = at(r) < 0 ? at(r) : -1;
    return grant();
  }
  auto release(takt::request_id r) -> takt::request_id {
    at(r) = 0;
    return grant();
  }
  auto withdraw(takt::request_id r) -> takt::request_id {
    for (std::int32_t& other : state) { other += other < of(r) ? 1 : 0; }
    at(r) = 0;
    return takt::no_request;
  }
  void reprioritize(takt::request_id /*r*/, const takt::priority_point& /*p*/) {}
  auto holds(takt::request_id r) const -> bool { return of(r) > 0; }
  auto waits(takt::request_id r) const -> bool { return of(r) < 0; }
  auto replica(takt::request_id r) const -> takt::replica_id { return holds(r) ? of(r) - 1 : takt::no_replica; }
  auto inheritor(takt::request_id /*r*/) const -> takt::request_id { return takt::no_request; }
  auto contended(takt::request_id r) const -> bool {
    return holds(r) && *std::min_element(state.begin(), state.end()) < 0;
  }
  auto operator==(const newest_first_lock&) const -> bool = default;

 private:
  auto at(takt::request_id r) -> std::int32_t& { return state[static_cast<std::size_t>(r)]; }
  auto of(takt::request_id r) const -> std::int32_t { return state[static_cast<std::size_t>(r)]; }
  auto grant() -> takt::request_id {
    const auto newest = std::min_element(state.begin(), state.end());
    if (*newest >= 0) { return takt::no_request; }
    for (std::int32_t token = 1; token <= tokens; ++token) {
      if (std::count(state.begin(), state.end(), token) > 0) { continue; }
      *newest = token;
      return static_cast<takt::request_id>(newest - state.begin());
    }
    return takt::no_request;
  }
};
struct newest_first {
  static constexpr std::string_view name = "newest first";
  template <std::size_t Clients>
  [[nodiscard]] static auto make_lock(const takt::token_setting& at) -> newest_first_lock<Clients> {
    return {.tokens = at.tokens};
  }
  static void delays(std::span<takt::section_demand> sections, const takt::token_setting& at) {
    an::work_conserving_delays(sections, at.tokens);
  }
};

/// Jobs of one processor or of one processor each, which hold tokens while they copy, while kernels run and, at times,
/// while they have a processor.
struct shape {
  token_rule rule{};
  ticks most_tokens = 3;
  bool one_core = true;
  bool inside = true;  ///< sections contain visits on processors
  bool dags = false;
  bool holders_only = false;                        ///< nobody else uses devices
  const takt::any_rule<visits>* engines = nullptr;  ///< their rule, if it is not drawn
  bool clusters = false;                            ///< stations of processors may have several
};

auto cpu_rule(draws& d, bool fixed) -> takt::any_rule<visits> {
  switch (d.between(0, fixed ? 1 : 2)) {
    case 0: return takt::fixed_priority;
    case 1: return takt::deadline_monotonic;
    default: return takt::edf;
  }
}
auto engine_rule(draws& d, const shape& form) -> takt::any_rule<visits> {
  return form.engines != nullptr ? *form.engines : device_rule(d);
}

auto system_of(std::uint64_t seed, const shape& form) -> random_system {
  draws d{seed};
  random_system out;
  const auto cores = static_cast<std::uint32_t>(form.one_core ? 1 : d.between(1, 2));
  for (std::uint32_t c = 0; c < cores; ++c) {
    const auto rule = cpu_rule(d, d.one_in(2));
    REQUIRE(out.places.add(rule, static_cast<std::int32_t>(form.clusters ? d.between(1, 3) : 1)));
  }
  const auto engines = static_cast<std::uint32_t>(d.between(1, 2));
  for (std::uint32_t e = 0; e < engines; ++e) { REQUIRE(out.places.add(engine_rule(d, form))); }
  REQUIRE(out.places.add_tokens(form.rule, static_cast<std::int32_t>(d.between(1, form.most_tokens))));
  const ticks count = d.between(2, 5);
  const ticks slack = d.between(0, 6);
  const bool short_sections = d.one_in(2);
  for (ticks i = 0; i < count; ++i) {
    const ticks length = d.between(1, 6);
    const ticks period_part = d.between(2, 3);
    const bool uses = !d.one_in(4);
    const ticks first = d.between(0, length - 1);
    const ticks last = d.between(first, short_sections ? std::min(length - 1, first + 1) : length - 1);
    const auto core = static_cast<std::uint32_t>(d.between(0, cores - 1));
    const auto task = static_cast<std::uint32_t>(i);
    REQUIRE(out.set.add_task(
        {.name = "t", .period = 1, .deadline = 1, .priority = static_cast<std::int32_t>(d.between(0, 4))}));
    ticks sum = 0;
    for (ticks j = 0; j < length; ++j) {
      const bool held = uses && first <= j && j <= last;
      const ticks upper = d.one_in(seed % 2 == 0 ? 10 : 2) ? 0 : d.between(1, held ? 7 : 5);
      sum += upper;
      const bool on_cpu = held && !form.inside ? false : (form.holders_only && !held) || d.one_in(2);
      const std::uint32_t station = on_cpu ? core : cores + static_cast<std::uint32_t>(d.between(0, engines - 1));
      const takt::visit_mask before = (takt::visit_mask{1} << j) - 1;
      const bool branches = form.dags && !held && j > 0 && (j <= first || !uses) && d.one_in(3);
      const takt::visit_mask after = j == 0 ? 0 : branches ? before >> 1 : before ^ (before >> 1);
      REQUIRE(out.set.add_visit(station, d.one_in(3) ? upper : d.between(0, upper), upper, after));
    }
    auto& t = out.set.tasks.back();
    t.period = (sum + 1) * (2 + count * slack / 4) * period_part / 2 + d.between(0, 5);
    t.jitter = d.one_in(4) ? d.between(0, t.period / 4) : 0;
    t.deadline = t.period - (d.one_in(2) ? d.between(0, t.period / 8) : 0);
    if (!uses) { continue; }
    const auto held = ((takt::visit_mask{2} << last) - 1) ^ ((takt::visit_mask{1} << first) - 1);
    REQUIRE(out.set.sections.try_push_back({task, 0, held}));
    if (last + 1 < length && d.one_in(2)) {
      const takt::visit_record& x = out.set.visit(task, static_cast<std::size_t>(last) + 1);
      if (form.inside || x.station >= cores) {
        REQUIRE(out.set.sections.try_push_back({task, 0, takt::visit_mask{1} << (last + 1)}));
      }
    }
  }
  return out;
}

struct tallies {
  tally holistic;
  tally guarded;
  tally inflated;
};

void examine(const shape& form, std::uint64_t systems, tallies& out) {
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    const auto s = system_of(seed, form);
    const auto by_paths = an::holistic(s.set, s.places);
    const auto by_inflation = an::inflated(s.set, s.places);
    REQUIRE_FALSE(by_paths.error);
    hold(s, by_paths, seed, out.holistic);
    hold(s, an::guarded(s.set, s.places), seed, out.guarded);
    hold(s, by_inflation, seed, out.inflated);
  }
}

/// Stations of which an analysis does not see something.
struct blind_board : board {
  explicit blind_board(const board& b) : board{b} {}
};
struct waits_for_nobody : blind_board {
  using blind_board::blind_board;
  static auto delays(std::size_t /*pool*/, std::span<takt::section_demand> sections) -> bool {
    for (auto& s : sections) { s.wait = 0; }
    return true;
  }
  static auto blocks(std::size_t /*pool*/, std::span<takt::section_demand> sections, std::int32_t /*processors*/,
                     ticks& lent) -> bool {
    lent = 0;
    return delays(0, sections);
  }
};
/// Sections last as long as their visits take.
struct knows_no_inside : blind_board {
  const table* set;
  knows_no_inside(const board& b, const table& t) : blind_board{b}, set{&t} {}
  auto delays(std::size_t pool, std::span<takt::section_demand> sections) const -> bool {
    for (auto& s : sections) {
      s.length = 0;
      for (std::uint32_t p = 0; p < set->tasks[s.task].visit_count; ++p) {
        s.length += (s.visits >> p & 1U) != 0 ? set->visit(s.task, p).upper : 0;
      }
    }
    return board::delays(pool, sections);
  }
};
struct nobody_inherits : blind_board {
  using blind_board::blind_board;
  static auto token_inherits(std::size_t /*pool*/) -> bool { return false; }
};
struct nobody_lends : blind_board {
  using blind_board::blind_board;
  auto blocks(std::size_t pool, std::span<takt::section_demand> sections, std::int32_t processors, ticks& lent) const
      -> bool {
    const bool known = board::blocks(pool, sections, processors, lent);
    lent = 0;
    return known;
  }
};
/// One section too few is ahead of a request.
struct counts_one_less : blind_board {
  using blind_board::blind_board;
  auto delays(std::size_t pool, std::span<takt::section_demand> sections) const -> bool {
    const bool known = board::delays(pool, sections);
    for (auto& s : sections) {
      ticks longest = 0;
      for (const auto& x : sections) { longest = x.task != s.task && longest < x.length ? x.length : longest; }
      s.wait = s.wait > longest ? s.wait - longest : 0;
    }
    return known;
  }
};

/// A queue in priority order that counts as one in the order of arrival would: the longest visits of as many other
/// tasks as there are other tokens.
struct counts_holders_once : takt::nonpreemptive_rule<takt::fixed_priority_rule<takt::by_given_priority>> {
  static void responds(std::span<takt::visit_demand> given, std::int32_t units) {
    an::arrival_order_responses(given, units);
  }
};

/// Whether runs exceed the bounds that `judge` finds in one of so many systems.
template <class Judge>
auto is_caught(const shape& form, std::uint64_t systems, const Judge& judge) -> bool {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems && count.violations == 0; ++seed) {
    const auto s = system_of(seed, form);
    const auto verdict = judge(s);
    if (verdict.schedulable()) { watch(s, verdict, seed, count); }
  }
  return count.violations > 0;
}

}  // namespace

TEST_CASE("no run of the engine exceeds a bound of tasks with sections, whatever protocol grants the tokens") {
  struct entry {
    token_rule rule;
    ticks most_tokens = 3;
  };
  const std::array<entry, 6> rules{{{takt::fifo_order},
                                    {takt::k_fmlp_order},
                                    {takt::r2dglp_order},
                                    {takt::ck_omlp_order},
                                    {takt::priority_mutex_order, 1},
                                    {newest_first{}}}};
  const std::uint64_t systems = systems_or(150);
  for (const entry& e : rules) {
    tallies seen;
    for (const bool one_core : {true, false}) {
      for (const bool inside : {true, false}) {
        for (const bool dags : {true, false}) {
          for (const bool clusters : {true, false}) {
            examine({e.rule, e.most_tokens, one_core, inside, dags, inside != dags, nullptr, clusters}, systems, seen);
          }
        }
      }
    }
    MESSAGE(e.rule.name() << ", of " << 16 * systems << ": " << seen.holistic.proven << " holistic, "
                          << seen.guarded.proven << " guarded, " << seen.inflated.proven << " inflated; "
                          << seen.holistic.tight << ", " << seen.guarded.tight << " and " << seen.inflated.tight
                          << " bounds reached; " << seen.holistic.violations << ", " << seen.guarded.violations
                          << " and " << seen.inflated.violations << " exceeded");
    CHECK(seen.holistic.violations == 0);
    CHECK(seen.guarded.violations == 0);
    CHECK(seen.inflated.violations == 0);
    CHECK((e.rule.donates() || seen.holistic.proven > systems));
    CHECK((e.rule.donates() || seen.guarded.proven > systems / 2));
    CHECK(seen.inflated.proven > systems / 2);
  }
}

TEST_CASE("the lock of the test's own keeps what any lock must") {
  CHECK(takt::checking::check_lock(newest_first_lock<4>{.tokens = 1}).complaint == "");
  CHECK(takt::checking::check_lock(newest_first_lock<4>{.tokens = 2}).complaint == "");
}

TEST_CASE("runs show when waits for tokens, or what jobs lend each other, are left out") {
  constexpr std::uint64_t systems = 20'000;
  const auto by_paths = [](auto&& blind) {
    return [blind](const random_system& s) { return an::holistic(s.set, blind(s)); };
  };
  const auto by_inflation = [](auto&& blind) {
    return [blind](const random_system& s) { return an::inflated(s.set, blind(s)); };
  };
  const auto by_guards = [](auto&& blind) {
    return [blind](const random_system& s) { return an::guarded(s.set, blind(s)); };
  };
  const auto no_wait = [](const random_system& s) { return waits_for_nobody{s.places}; };
  const auto no_inside = [](const random_system& s) { return knows_no_inside{s.places, s.set}; };
  const auto no_inheritance = [](const random_system& s) { return nobody_inherits{s.places}; };
  const auto no_lending = [](const random_system& s) { return nobody_lends{s.places}; };
  const auto one_less = [](const random_system& s) { return counts_one_less{s.places}; };
  const shape devices{takt::k_fmlp_order, 2, true, false};
  const shape inside{takt::k_fmlp_order, 2, true, true};
  CHECK(is_caught(devices, systems, by_paths(no_wait)));
  CHECK(is_caught({takt::fifo_order, 3, false, true, true}, systems, by_paths(no_wait)));
  CHECK(is_caught({newest_first{}, 2, true, false}, systems, by_paths(no_wait)));
  CHECK(is_caught(devices, systems, by_paths(no_inside)));
  CHECK(is_caught(devices, systems, by_paths(one_less)));
  CHECK(is_caught(inside, systems, by_paths(no_inheritance)));
  CHECK(is_caught({takt::priority_mutex_order, 1}, systems, by_paths(no_inheritance)));
  CHECK(is_caught(devices, systems, by_guards(no_wait)));
  CHECK(is_caught(devices, systems, by_guards(no_inside)));
  CHECK(is_caught(devices, systems, by_guards(one_less)));
  CHECK(is_caught(inside, systems, by_guards(no_inheritance)));
  CHECK(is_caught(devices, systems, by_inflation(no_wait)));
  CHECK(is_caught(inside, systems, by_inflation(no_wait)));
  CHECK(is_caught({takt::r2dglp_order, 1, true, true}, systems, by_inflation(no_wait)));
  CHECK(is_caught({takt::ck_omlp_order, 1, true, true}, systems, by_inflation(no_lending)));
}

TEST_CASE("runs show that a holder meets another one twice where nobody queues in the order of arrival") {
  const takt::any_rule<visits> wrong = counts_holders_once{};
  const auto judge = [](const random_system& s) { return an::holistic(s.set, s.places); };
  CHECK(is_caught({takt::k_fmlp_order, 3, false, false, false, true, &wrong}, 60'000, judge));
}
