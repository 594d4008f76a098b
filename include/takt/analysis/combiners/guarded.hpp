// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/combiners/station_demands.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/demand.hpp>

namespace takt::analysis {

/// Stations whose rules can say whether visits meet local deadlines, or how long they take.
template <class S>
concept DecidingStations =
    RespondingStations<S> && requires(const S& stations, std::size_t s, std::span<const visit_demand> visits) {
      { stations.has_decision(s) } -> std::same_as<bool>;
      { stations.decides(s, visits) } -> std::same_as<bool>;
    };

/// Offsets from the nominal release and local deadlines of visits, in the order of the table.
template <std::size_t V>
struct visit_guards {
  ticks offsets[V]{};
  ticks local_deadlines[V]{};
};

namespace detail {

/// Cuts the time to a task's deadline among its visits in proportion to weights along paths. Weights are positive where
/// a visit takes time, and at most 2^28.
template <std::size_t N, std::size_t V>
constexpr void lay_out_guards(const visit_table<N, V>& table, std::size_t i, const std::int64_t* weights,
                              visit_guards<V>& out) {
  const flow_record& t = table.tasks[i];
  std::int64_t before[V]{};
  std::int64_t longest = 0;
  for (std::uint32_t v = t.first_visit; v < t.first_visit + t.visit_count; ++v) {
    const visit_record& x = table.visits[v];
    for (std::uint32_t p = 0; p < x.position; ++p) {
      const std::uint32_t u = t.first_visit + p;
      const bool counts = (x.predecessors >> p & 1U) != 0 && before[v] < before[u] + weights[u];
      if (counts) { before[v] = before[u] + weights[u]; }
    }
    longest = longest < before[v] + weights[v] ? before[v] + weights[v] : longest;
  }
  const ticks time = t.deadline - t.jitter;
  const auto at = [&](std::int64_t weight) {
    if (longest == 0) { return t.jitter; }
    return t.jitter + time / longest * weight + time % longest * weight / longest;
  };
  for (std::uint32_t v = t.first_visit; v < t.first_visit + t.visit_count; ++v) {
    out.offsets[v] = at(before[v]);
    out.local_deadlines[v] = at(before[v] + weights[v]) - out.offsets[v];
  }
}

}  // namespace detail

/// Whether visits that are held back until their offsets all meet their local deadlines: between their guards they are
/// sporadic, so each station's test holds by itself. `failed` is the first station that says no.
/// Pre: `validate` finds nothing.
/// Source: Bettati and Liu 1992; Sun and Liu 1996; see docs/composition.md.
template <std::size_t N, std::size_t V, DecidingStations Stations>
[[nodiscard]] constexpr auto guards_hold(const visit_table<N, V>& table, const Stations& stations,
                                         const visit_guards<V>& guards, std::size_t& failed) -> bool {
  failed = stations.size();
  if (!guards_fit(table, guards.offsets, guards.local_deadlines)) { return false; }
  for (std::uint32_t v = 0; v < table.visits.size(); ++v) {
    if (guards.local_deadlines[v] < table.visits[v].upper) { return false; }
  }
  detail::station_demands<N, V> demands{table, stations};
  if (!demands.fits()) { return false; }
  for (std::size_t k = 0; k < demands.size(); ++k) {
    demands[k].deadline = demands[k].limit = guards.local_deadlines[demands.visit(k)];
  }
  for (failed = 0; failed < stations.size(); ++failed) {
    const auto visits = demands.of(failed);
    if (stations.has_decision(failed)) {
      if (!stations.decides(failed, visits)) { return false; }
      continue;
    }
    if (!stations.responds(failed, visits)) { return false; }
    for (const visit_demand& v : visits) {
      if (v.response > v.deadline) { return false; }
    }
  }
  return true;
}

/// A proof that rests on guards that hold.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto guarded_verdict(const visit_table<N, V>& table, const visit_guards<V>& guards)
    -> verdict<ticks, N, V> {
  verdict<ticks, N, V> out;
  out.method = "guarded";
  for (const flow_record& t : table.tasks) {
    static_cast<void>(out.tasks.push_back({.name = t.name, .deadline = t.deadline, .evaluated = true, .meets = true}));
  }
  for (std::uint32_t v = 0; v < table.visits.size(); ++v) {
    const visit_record& x = table.visits[v];
    static_cast<void>(out.visits.push_back(
        {.name = {}, .task = x.task, .segment = x.position, .response = guards.local_deadlines[v]}));
    static_cast<void>(out.plan.offsets.push_back(guards.offsets[v]));
    static_cast<void>(out.plan.local_deadlines.push_back(guards.local_deadlines[v]));
    auto& bound = out.tasks[x.task].bound;
    const ticks end = guards.offsets[v] + guards.local_deadlines[v];
    bound = {bound.value < end ? end : bound.value, true};
  }
  out.status = verdict_status::schedulable;
  return out;
}

inline constexpr std::int32_t default_guard_rounds = 24;

/// Searches guards under which the tasks are proven: first in proportion to the lengths of visits, then stations that
/// fail get more time. The verdict is about a system that honours the plan's offsets and local deadlines.
/// Tasks with token sections are not proven: their visits are not sporadic behind a guard. Error: `invalid_model`.
/// Cost: at most `rounds` times one test for each station.
template <std::size_t N, std::size_t V, DecidingStations Stations>
[[nodiscard]] constexpr auto guarded(const visit_table<N, V>& table, const Stations& stations,
                                     std::int32_t rounds = default_guard_rounds) -> verdict<ticks, N, V> {
  auto out = detail::open_verdict(table, stations, "guarded");
  if (out.error) { return out; }
  if (!table.sections.empty()) {
    out.why = obstacle::tokens;
    out.where = table.sections[0].task;
    return out;
  }
  out.why = obstacle::deadline;
  constexpr std::int64_t unit = 64;
  std::int64_t weights[V]{};
  for (std::uint32_t v = 0; v < table.visits.size(); ++v) {
    const visit_record& x = table.visits[v];
    const ticks whole = table.tasks[x.task].deadline;
    const ticks part = x.upper < whole ? x.upper : whole;
    weights[v] = part == 0 ? 0 : part / (whole / (unit * 4096) + 1) * unit + 1;
  }
  visit_guards<V> guards;
  for (std::int32_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table.tasks[i].jitter >= table.tasks[i].deadline) { return out; }
      detail::lay_out_guards(table, i, weights, guards);
    }
    std::size_t failed = 0;
    if (guards_hold(table, stations, guards, failed)) { return guarded_verdict(table, guards); }
    for (std::uint32_t v = 0; v < table.visits.size(); ++v) {
      const visit_record& x = table.visits[v];
      const bool short_of = failed < stations.size() ? x.station == failed : guards.local_deadlines[v] < x.upper;
      if (short_of && weights[v] < (std::int64_t{1} << 27)) { weights[v] += weights[v] / 4 + (weights[v] > 0 ? 1 : 0); }
    }
  }
  return out;
}

}  // namespace takt::analysis
