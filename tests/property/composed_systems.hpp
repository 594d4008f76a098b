// SPDX-License-Identifier: Apache-2.0
// Random systems of visits on stations under erased rules, and runs that are meant to break their bounds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <doctest/doctest.h>

#include <takt/analysis/any_stations.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/host/engine.hpp>
#include "support/draws.hpp"

namespace composed_systems {

using takt::ticks;
using takt_tests::draws;
using takt_tests::systems_or;
constexpr std::size_t tasks = 6;
constexpr std::size_t visits = 40;
constexpr std::size_t stations = 4;
using table = takt::visit_table<tasks, visits>;
using board = takt::any_stations<stations, visits>;

struct random_system {
  table set;
  board places;
};

inline auto random_rule(draws& d) -> takt::any_rule<visits> {
  switch (d.between(0, 9)) {
    case 0: return takt::deadline_monotonic;
    case 1: return takt::rate_monotonic;
    case 2: return takt::fixed_priority;
    case 3: return takt::nonpreemptive(takt::deadline_monotonic);
    case 4: return takt::nonpreemptive(takt::fixed_priority);
    case 5: return takt::fifo;
    case 6: return takt::federated;
    case 7: return takt::edf;
    case 8: return takt::nonpreemptive(takt::edf);
    default: return takt::time_slices(takt::duration{d.between(1, 4)}, takt::duration{d.between(0, 1)});
  }
}

/// Under the rules that `rule_of` draws.
template <class RuleOf>
auto random_system_of(std::uint64_t seed, const RuleOf& rule_of) -> random_system {
  draws d{seed};
  random_system out;
  const auto places = static_cast<std::uint32_t>(d.between(1, stations));
  for (std::uint32_t s = 0; s < places; ++s) {
    const takt::any_rule<visits> rule = rule_of(d);
    REQUIRE(out.places.add(rule, static_cast<std::int32_t>(rule.name() == takt::fifo.name ? d.between(1, 2) : 1)));
  }
  const bool has_tokens = d.one_in(3);
  if (has_tokens) { REQUIRE(out.places.add_tokens(takt::fifo_order, static_cast<std::int32_t>(d.between(1, 2)))); }
  const ticks count = d.between(2, 4);
  const ticks slack = d.between(1, 5);
  for (ticks i = 0; i < count; ++i) {
    std::array<ticks, 6> upper{};
    const ticks length = d.between(1, 6);
    ticks sum = 0;
    for (ticks j = 0; j < length; ++j) {
      sum += upper[static_cast<std::size_t>(j)] = d.one_in(8) ? 0 : d.between(1, 6);
    }
    const ticks period = sum * count * d.between(2, 2 + slack) / 4 + d.between(1, 10);
    const ticks jitter = d.one_in(3) ? d.between(0, period / 4) : 0;
    REQUIRE(out.set.add_task({.name = "t",
                              .period = period,
                              .deadline = period - (d.one_in(2) ? d.between(0, period / 8) : 0),
                              .jitter = jitter,
                              .priority = static_cast<std::int32_t>(d.between(0, 3))}));
    const bool graph = !has_tokens && d.one_in(2);
    for (ticks j = 0; j < length; ++j) {
      const ticks most = upper[static_cast<std::size_t>(j)];
      const auto before = (takt::visit_mask{1} << j) - 1;
      const auto after = graph    ? static_cast<takt::visit_mask>(d.between(0, 63)) & before
                         : j == 0 ? 0
                                  : before ^ (before >> 1);
      REQUIRE(out.set.add_visit(static_cast<std::uint32_t>(d.between(0, places - 1)), d.between(0, most), most, after));
    }
    if (!has_tokens || d.one_in(4)) { continue; }
    const ticks first = d.between(0, length - 1);
    const ticks last = d.between(first, length - 1);
    const auto held = ((takt::visit_mask{2} << last) - 1) ^ ((takt::visit_mask{1} << first) - 1);
    REQUIRE(out.set.sections.try_push_back({static_cast<std::uint32_t>(i), 0, held}));
    if (last + 1 < length && d.one_in(3)) {
      REQUIRE(out.set.sections.try_push_back({static_cast<std::uint32_t>(i), 0, takt::visit_mask{1} << (last + 1)}));
    }
  }
  return out;
}

/// What a run is free to do: synchronous and full, random, or bunched: one job late and long, the next early and short.
class adversary {
 public:
  /// Pre: `set` outlives it.
  template <class Table>
  adversary(std::uint64_t seed, const Table& set, int mode)
      : draws_{seed}, tasks_{set.tasks.data(), set.tasks.size()}, mode_{mode} {}

  auto gap(std::uint32_t /*task*/, std::uint64_t job, ticks period) -> ticks {
    if (job == 0) { return mode_ == 0 ? 0 : draws_.between(0, mode_ == 2 ? 6 : period); }
    return mode_ == 1 && draws_.one_in(4) ? period + draws_.between(0, 8) : period;
  }
  auto delay(std::uint32_t task, std::uint64_t job, ticks /*period*/) -> ticks {
    const ticks jitter = tasks_[task].jitter;
    if (mode_ == 0) { return 0; }
    if (mode_ == 2) { return job % 2 == 0 ? jitter : 0; }
    return draws_.one_in(2) ? jitter : draws_.between(0, jitter);
  }
  auto length(const takt::visit_record& v, std::uint64_t job) -> ticks {
    if (mode_ == 0) { return v.upper; }
    if (mode_ == 2) { return job % 2 == 0 || draws_.one_in(3) ? v.upper : v.lower; }
    return draws_.one_in(3) ? v.lower : draws_.one_in(2) ? v.upper : draws_.between(v.lower, v.upper);
  }

 private:
  draws draws_;
  std::span<const takt::flow_record> tasks_;
  int mode_;
};

struct tally {
  std::uint64_t proven = 0;
  std::uint64_t jobs = 0;
  std::uint64_t tight = 0;
  std::uint64_t violations = 0;
};

/// Any table on any stations.
template <class Table, class Stations>
struct system_of_any {
  const Table& set;
  const Stations& places;
};
template <class Table, class Stations>
system_of_any(const Table&, const Stations&) -> system_of_any<Table, Stations>;

/// Counts what runs show above a verdict's bounds.
template <class System, class Verdict>
void watch(const System& s, const Verdict& verdict, std::uint64_t seed, tally& count) {
  using set_type = std::remove_cvref_t<decltype(s.set)>;
  ++count.proven;
  for (int run = 0; run < 5; ++run) {
    adversary choices{seed * 8 + static_cast<std::uint64_t>(run), s.set, run == 0 ? 0 : 1 + run % 2};
    takt::host::engine<std::remove_cvref_t<decltype(s.places)>, set_type::max_tasks, set_type::max_visits, adversary>
        engine{s.set,
               s.places,
               choices,
               {verdict.plan.offsets.data(), verdict.plan.offsets.size()},
               {verdict.plan.local_deadlines.data(), verdict.plan.local_deadlines.size()}};
    const auto seen = engine.run(3000);
    count.violations += seen.misses();
    for (std::size_t i = 0; i < s.set.size(); ++i) {
      count.jobs += seen.tasks[i].completed;
      count.violations += seen.tasks[i].worst_response > verdict.tasks[i].bound.value ? 1U : 0U;
      count.tight += seen.tasks[i].worst_response == verdict.tasks[i].bound.value ? 1U : 0U;
    }
    for (std::size_t v = 0; v < verdict.visits.size(); ++v) {
      count.violations += seen.visit_responses[v] > verdict.visits[v].response ? 1U : 0U;
    }
  }
}

template <class System, class Verdict>
void hold(const System& s, const Verdict& verdict, std::uint64_t seed, tally& count) {
  if (!verdict.schedulable()) { return; }
  const auto before = count.violations;
  watch(s, verdict, seed, count);
  CHECK_MESSAGE(count.violations == before, "system " << seed << " under " << verdict.method);
}

/// A rule of copy engines or of other devices that nobody is taken from.
inline auto device_rule(draws& d) -> takt::any_rule<visits> {
  switch (d.between(0, 3)) {
    case 0: return takt::fifo;
    case 1: return takt::nonpreemptive(takt::fixed_priority);
    case 2: return takt::federated;
    default: return takt::nonpreemptive(takt::edf);
  }
}

/// Violations of holistic bounds in the first of so many systems where there are any. `system_of(seed)` draws them.
template <class SystemOf>
auto first_violations(std::uint64_t systems, const SystemOf& system_of) -> std::uint64_t {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems && count.violations == 0; ++seed) {
    const random_system s = system_of(seed);
    const auto verdict = takt::analysis::holistic(s.set, s.places);
    if (verdict.schedulable()) { watch(s, verdict, seed, count); }
  }
  return count.violations;
}

}  // namespace composed_systems
