// SPDX-License-Identifier: Apache-2.0
// Mutexes of tasks on processors beside chains on devices: bounds of random systems are held against runs that are
// meant to break them, under each protocol and order of the processors.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include "property/composed_systems.hpp"
#include "property/searching_adversary.hpp"

namespace {

namespace an = takt::analysis;
using namespace composed_systems;
using token_rule = takt::any_token_rule<visits>;

struct shape {
  std::array<token_rule, 2> protocols{};  ///< of which a mutex has one
  takt::any_rule<visits> processors{};
  bool dags = false;
  bool gpu_tokens = false;
};

/// One or two processors and a device or two. Each processor has a mutex or two, and tasks that take time on devices
/// before, between and after their sections.
auto system_of(std::uint64_t seed, const shape& form) -> random_system {
  draws d{seed};
  random_system out;
  const auto cores = static_cast<std::uint32_t>(d.between(1, 2));
  const auto mutexes = static_cast<std::uint32_t>(d.between(1, cores == 1 ? 3 : 1));
  for (std::uint32_t c = 0; c < cores; ++c) { REQUIRE(out.places.add(form.processors)); }
  const auto engines = static_cast<std::uint32_t>(d.between(1, 2));
  for (std::uint32_t e = 0; e < engines; ++e) { REQUIRE(out.places.add(device_rule(d))); }
  for (std::uint32_t m = 0; m < cores * mutexes; ++m) {
    REQUIRE(out.places.add_tokens(form.protocols[static_cast<std::size_t>(d.between(0, 1))], 1));
  }
  const bool gpu_tokens = form.gpu_tokens && d.one_in(2);
  if (gpu_tokens) { REQUIRE(out.places.add_tokens(takt::fifo_order, 1)); }
  const ticks count = d.between(2, 5);
  const ticks slack = d.between(0, 6);
  for (ticks i = 0; i < count; ++i) {
    const ticks length = d.between(1, 6);
    const ticks period_part = d.between(2, 3);
    const auto core = static_cast<std::uint32_t>(d.between(0, cores - 1));
    const auto task = static_cast<std::uint32_t>(i);
    REQUIRE(out.set.add_task(
        {.name = "t", .period = 1, .deadline = 1, .priority = static_cast<std::int32_t>(d.between(0, 4))}));
    ticks sum = 0;
    takt::visit_mask before_it = 0;  // sections that can go on
    for (ticks j = 0; j < length; ++j) {
      const bool on_core = d.between(0, 2) > 0;
      const bool held = on_core && d.one_in(2);
      const ticks upper = !held && d.one_in(10) ? 0 : d.between(1, held ? 7 : 5);
      sum += upper;
      const std::uint32_t station = on_core ? core : cores + static_cast<std::uint32_t>(d.between(0, engines - 1));
      const takt::visit_mask before = (takt::visit_mask{1} << j) - 1;
      const bool branches = form.dags && j > 0 && d.one_in(3);
      const takt::visit_mask after = j == 0 ? 0 : branches ? before >> 1 : before ^ (before >> 1);
      REQUIRE(out.set.add_visit(station, d.one_in(3) ? upper : d.between(0, upper), upper, after));
      const takt::visit_mask own = takt::visit_mask{1} << j;
      if (held && before_it != 0 && !branches && d.one_in(3)) {
        out.set.sections.back().visits |= own;
        before_it = own;
      } else if (held) {
        const auto mutex = core * mutexes + static_cast<std::uint32_t>(d.between(0, mutexes - 1));
        REQUIRE(out.set.sections.try_push_back({task, mutex, own}));
        before_it = own;
      } else {
        before_it = 0;
        if (!on_core && gpu_tokens) { REQUIRE(out.set.sections.try_push_back({task, cores * mutexes, own})); }
      }
    }
    auto& t = out.set.tasks.back();
    t.period = (sum + 1) * (2 + count * slack / 4) * period_part / 2 + d.between(0, 5);
    t.jitter = d.one_in(4) ? d.between(0, t.period / 4) : 0;
    t.deadline = t.period - (d.one_in(2) ? d.between(0, t.period / 8) : 0);
  }
  return out;
}

struct tallies {
  tally holistic;
  tally inflated;
};

void examine(const shape& form, std::uint64_t systems, tallies& out) {
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    const auto s = system_of(seed, form);
    const auto by_paths = an::holistic(s.set, s.places);
    const auto by_inflation = an::inflated(s.set, s.places);
    REQUIRE_FALSE(by_paths.error);
    hold(s, by_paths, seed, out.holistic);
    hold(s, by_inflation, seed, out.inflated);
  }
}

struct protocol {
  std::string_view name{};
  std::array<token_rule, 2> rules{};
};
auto protocols() -> std::array<protocol, 3> {
  return {{{"inheritance", {takt::priority_inheritance_order, takt::priority_inheritance_order}},
           {"ceiling", {takt::priority_ceiling_order, takt::priority_ceiling_order}},
           {"either", {takt::priority_inheritance_order, takt::priority_ceiling_order}}}};
}
struct order {
  std::string_view name{};
  takt::any_rule<visits> rule{};
};
auto orders() -> std::array<order, 3> {
  return {
      {{"fixed priority", takt::fixed_priority}, {"deadline monotonic", takt::deadline_monotonic}, {"EDF", takt::edf}}};
}

}  // namespace

TEST_CASE("no run exceeds a bound of tasks with mutexes, whatever the protocol and the order of processors") {
  const std::uint64_t systems = systems_or(300);
  for (const protocol& p : protocols()) {
    for (const order& o : orders()) {
      tallies seen;
      for (const bool dags : {false, true}) {
        for (const bool gpu_tokens : {false, true}) { examine({p.rules, o.rule, dags, gpu_tokens}, systems / 4, seen); }
      }
      MESSAGE(p.name << " under " << o.name << ", of " << systems << ": " << seen.holistic.proven << " holistic, "
                     << seen.inflated.proven << " inflated; " << seen.holistic.tight << " and " << seen.inflated.tight
                     << " bounds reached; " << seen.holistic.violations << " and " << seen.inflated.violations
                     << " exceeded");
      CHECK(seen.holistic.violations == 0);
      CHECK(seen.inflated.violations == 0);
      CHECK(seen.holistic.proven > systems / 20);
      CHECK(seen.inflated.proven > systems / 40);
    }
  }
}

namespace {

/// A board whose processors do not see something of what blocks a visit. The blocker is the first demand.
struct blind_board : board {
  const table* set;
  blind_board(const board& b, const table& t) : board{b}, set{&t} {}

  static auto asked_about(std::span<takt::visit_demand> visits) -> takt::visit_demand* {
    if (visits.empty() || visits[0].task != tasks) { return nullptr; }
    const auto at = std::find_if(visits.begin(), visits.end(), [](const auto& v) { return v.limit > 0; });
    return at == visits.end() ? nullptr : &*at;
  }
};
struct blocks_once_in_a_job : blind_board {
  using blind_board::blind_board;
  auto responds(std::size_t s, std::span<takt::visit_demand> visits) const -> bool {
    const auto* target = asked_about(visits);
    bool earlier = false;
    for (std::uint32_t p = 0; target != nullptr && p < target->position; ++p) {
      const auto& x = set->visit(target->task, p);
      earlier = earlier || ((target->ancestors >> p & 1U) != 0 && x.station == s && x.upper > 0);
    }
    if (earlier) { visits[0].wcet = 0; }
    return board::responds(s, visits);
  }
};
struct blocks_users_only : blind_board {
  using blind_board::blind_board;
  auto responds(std::size_t s, std::span<takt::visit_demand> visits) const -> bool {
    const auto* target = asked_about(visits);
    const bool uses = target == nullptr || std::any_of(set->sections.begin(), set->sections.end(),
                                                       [&](const auto& x) { return x.task == target->task; });
    if (!uses) { visits[0].wcet = 0; }
    return board::responds(s, visits);
  }
};
struct forgets_own_sections : blind_board {
  using blind_board::blind_board;
  auto responds(std::size_t s, std::span<takt::visit_demand> visits) const -> bool {
    auto* target = asked_about(visits);
    const ticks own = target == nullptr ? 0 : target->limit - set->tasks[target->task].deadline;
    if (target != nullptr) {
      visits[0].wcet -= own;
      target->response -= own;
      target->limit -= own;
    }
    const bool known = board::responds(s, visits);
    if (target != nullptr && target->response < takt::unbounded_response) { target->response += own; }
    return known;
  }
};
/// One section in all, as under a ceiling.
struct blocks_once_in_all : blind_board {
  using blind_board::blind_board;
  static auto token_has_ceiling(std::size_t /*pool*/) -> bool { return true; }
};

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
template <class Blind>
auto by_paths(const random_system& s) {
  return an::holistic(s.set, Blind{s.places, s.set});
}
auto without_sections(const random_system& s) -> table {
  table out = s.set;
  out.sections.clear();
  return out;
}

}  // namespace

TEST_CASE("runs show when blocking is left out, counted once in a job, or only for those who use the mutex") {
  constexpr std::uint64_t systems = 60'000;
  for (const protocol& p : protocols()) {
    for (const order& o : orders()) {
      const shape form{p.rules, o.rule};
      CAPTURE(o.name);
      CAPTURE(p.name);
      CHECK(
          is_caught(form, systems, [](const random_system& s) { return an::holistic(without_sections(s), s.places); }));
      CHECK(
          is_caught(form, systems, [](const random_system& s) { return an::inflated(without_sections(s), s.places); }));
      CHECK(is_caught(form, systems, by_paths<blocks_once_in_a_job>));
      CHECK(is_caught(form, systems, by_paths<blocks_users_only>));
    }
  }
}

TEST_CASE("runs show when an own section that ran before a more important job is left out") {
  for (const protocol& p : protocols()) {
    CAPTURE(p.name);
    CHECK(is_caught({p.rules, takt::fixed_priority}, 200'000, by_paths<forgets_own_sections>));
  }
}

TEST_CASE("runs show that under inheritance each less important task blocks for itself") {
  for (const order& o : orders()) {
    CHECK(is_caught({protocols()[0].rules, o.rule}, 60'000, by_paths<blocks_once_in_all>));
  }
}

TEST_CASE("an adversary that climbs gets past no bound of tasks with mutexes that has no slack") {
  const std::uint64_t systems = systems_or(12);
  const auto prove = [](const random_system& s) { return an::holistic(s.set, s.places); };
  for (const protocol& p : protocols()) {
    for (const order& o : orders()) {
      std::uint64_t tried = 0;
      std::uint64_t reached = 0;
      for (std::uint64_t seed = 1; tried < systems; ++seed) {
        random_system s = system_of(seed, {p.rules, o.rule, seed % 3 == 0});
        if (s.set.visits.size() > 14 || !prove(s).schedulable()) { continue; }
        ++tried;
        s = searching::tightened(s, prove);
        const ticks excess = searching::worst_excess(s, prove(s), seed, {.restarts = 2, .steps = 120});
        CHECK_MESSAGE(excess <= 0, "system " << seed << " under " << p.name << " and " << o.name);
        reached += excess == 0 ? 1U : 0U;
      }
      MESSAGE(p.name << " under " << o.name << ", of " << tried << ": " << reached << " bounds reached");
    }
  }
}
