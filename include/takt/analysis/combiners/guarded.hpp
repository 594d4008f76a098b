// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/combiners/path_parts.hpp>
#include <takt/analysis/combiners/section_demands.hpp>
#include <takt/analysis/combiners/station_demands.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/early_start.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Stations whose rules can say whether visits meet local deadlines, or how long they take, and when guards may be
/// dropped.
template <class S>
concept DecidingStations =
    TokenStations<S> && requires(const S& stations, std::size_t s, std::span<const visit_demand> visits) {
      { stations.has_decision(s) } -> std::same_as<bool>;
      { stations.decides(s, visits) } -> std::same_as<bool>;
      { stations.starts_early(s) } -> std::same_as<bool>;
    };

/// Offsets from the nominal release and local deadlines of visits, in the order of the table: a visit is done at the
/// latest so long after its offset. Those of sections, and those that start early, become ready up to their offsets,
/// all others at them. Time between the visits before a section and its first one is for the wait.
template <std::size_t V>
struct visit_guards {
  ticks offsets[V]{};
  ticks local_deadlines[V]{};
};

/// Says what guards are too short for.
template <std::size_t V>
struct guard_shortage {
  obstacle why = obstacle::none;
  bool visits[V]{};  ///< that need more time
  bool waits[V]{};   ///< first visits of sections that wait for longer
};

/// Cuts the time to a task's deadline, or to its period where that is shorter, among its visits in proportion to
/// weights along paths. Weights are positive where a visit takes time, and at most 2^28. `waits`: of the waits for
/// tokens before first visits of sections.
template <std::size_t N, std::size_t V>
constexpr void lay_out_guards(const visit_table<N, V>& table, std::size_t i, const std::int64_t* weights,
                              const std::int64_t* waits, visit_guards<V>& out) {
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
    before[v] += waits[v];
    longest = longest < before[v] + weights[v] ? before[v] + weights[v] : longest;
  }
  const ticks time = takt::detail::time_within_period(t) - t.jitter;
  const auto at = [&](std::int64_t weight) {
    if (longest == 0) { return t.jitter; }
    return t.jitter + time / longest * weight + time % longest * weight / longest;
  };
  for (std::uint32_t v = t.first_visit; v < t.first_visit + t.visit_count; ++v) {
    out.offsets[v] = at(before[v]);
    out.local_deadlines[v] = at(before[v] + weights[v]) - out.offsets[v];
  }
}

/// Says when visits become ready at the earliest, from the nominal release, and sections ask for tokens.
template <std::size_t N, std::size_t V>
struct guarded_readiness {
  ticks earliest[V]{};
  ticks requests[V]{};         ///< of first visits of sections
  bool has_sections[V + 1]{};  ///< stations with visits of some
  bool drops_guards[V + 1]{};  ///< stations

  template <class Stations>
  constexpr guarded_readiness(const visit_table<N, V>& table, const Stations& stations, const visit_guards<V>& guards) {
    for (std::size_t s = 0; s < stations.size(); ++s) {
      drops_guards[s] = takt::detail::drops_guards(table, stations, s);
    }
    for (std::uint32_t v = 0; v < table.visits.size(); ++v) {
      const visit_record& x = table.visits[v];
      const bool held = takt::detail::section_of(table, v) < table.sections.size();
      has_sections[x.station] = has_sections[x.station] || (held && x.upper > 0);
      if (held && takt::detail::begins_section(table, v)) {
        requests[v] = takt::detail::earliest_window(table, v, guards.offsets, guards.local_deadlines);
        earliest[v] = requests[v];
      } else if (!held && !drops_guards[x.station]) {
        earliest[v] = guards.offsets[v];
      } else {
        for (std::uint32_t p = 0; p < x.position; ++p) {
          const std::uint32_t u = table.tasks[x.task].first_visit + p;
          const bool counts = (x.predecessors >> p & 1U) != 0 && earliest[v] < earliest[u] + table.visits[u].lower;
          if (counts) { earliest[v] = earliest[u] + table.visits[u].lower; }
        }
      }
    }
  }
};

/// Computes how long sections wait for tokens, into `waits` of their first visits. Returns false if it is unknown.
/// `time_of(v)`: how long visits of sections take.
template <std::size_t N, std::size_t V, class Stations, class TimeOf>
[[nodiscard]] constexpr auto waits_behind_guards(const visit_table<N, V>& table, const Stations& stations,
                                                 const visit_guards<V>& guards, const ticks* requests,
                                                 const TimeOf& time_of, ticks* waits) -> bool {
  section_demands<N, V> sections{table, stations};
  for (std::size_t k = 0; k < sections.size(); ++k) {
    const visit_section& x = table.sections[sections.section(k)];
    const std::uint32_t first = first_visit_of(table, x);
    section_demand& d = sections[k];
    d.length = section_length(table, x, time_of);
    d.earliest = requests[first];
    d.end = guards.offsets[first] + d.length;
  }
  for (std::size_t pool = 0; pool < stations.token_pools(); ++pool) {
    const auto users = sections.of(table, pool);
    if (users.empty()) { continue; }
    const bool is_known = !stations.token_donates(pool) && !stations.token_is_local(pool);
    if (!is_known || !stations.delays(pool, users)) { return false; }
  }
  for (std::size_t k = 0; k < sections.size(); ++k) {
    waits[first_visit_of(table, table.sections[sections.section(k)])] = sections[k].wait;
  }
  return true;
}

/// Returns whether all visits of a station meet their local deadlines. Writes the responses of visits of sections.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto station_keeps_guards(const Stations& stations, std::size_t s,
                                                  const lent_priorities<N, V>& lent,
                                                  const guarded_readiness<N, V>& ready, station_demands<N, V>& demands)
    -> bool {
  const auto visits = demands.of(s);
  if (stations.has_decision(s) && !ready.has_sections[s]) {
    for (visit_demand& v : visits) {  // as if ready at the offset, also where it is earlier
      v.deadline = v.limit;
      v.jitter = 0;
    }
    return stations.decides(s, visits);
  }
  if (!settles(lent, stations, s, demands)) { return false; }
  for (const visit_demand& v : visits) {
    if (v.response > v.limit) { return false; }
  }
  return true;
}

/// Says the local deadlines of the visits on the path that ends last, and what lies between them: waits for guards and,
/// before sections, for tokens.
template <std::size_t N, std::size_t V>
constexpr void say_guards(const visit_table<N, V>& table, std::uint32_t i, const visit_guards<V>& guards,
                          parts_of_task<ticks>& out) {
  const auto end_of = [&](std::uint32_t v) { return guards.offsets[v] + guards.local_deadlines[v]; };
  std::uint32_t path[max_visits_of_task]{};
  std::size_t length = 0;
  for (std::uint32_t v = visit_before(table, i, no_index, end_of); v != no_index;) {
    path[length++] = v;
    v = visit_before(table, i, v, end_of);
  }
  ticks ready = table.tasks[i].jitter;
  out.add(term_kind::release_jitter, i, ready);
  while (length-- > 0) {
    const std::uint32_t v = path[length];
    parts_of_visit<ticks> parts;
    parts.add(term_kind::local_deadline, i, guards.local_deadlines[v]);
    const bool asks = takt::detail::begins_section(table, v);
    parts.add(asks ? term_kind::token_wait : term_kind::guard, asks ? no_index : i, guards.offsets[v] - ready);
    out.add_visit(parts, static_cast<std::uint16_t>(table.visits[v].position), length);
    ready = end_of(v);
  }
}

/// Returns whether visits with guards all meet their local deadlines. Between their guards they are sporadic, so each
/// station's test holds by itself. Else `missing` says what needs more time. Pre: `validate` finds nothing.
/// Source: Bettati and Liu 1992; Sun and Liu 1996; sections and early starts: see docs/composition.md.
template <std::size_t N, std::size_t V, DecidingStations Stations>
[[nodiscard]] constexpr auto guards_hold(const visit_table<N, V>& table, const Stations& stations,
                                         const visit_guards<V>& guards, guard_shortage<V>& missing) -> bool {
  TAKT_EXPECTS_IN_TESTS(!validate(table, stations.size(), stations.token_pools()));
  missing = {.why = obstacle::deadline};
  if (!takt::detail::guards_fit(table, guards.offsets, guards.local_deadlines)) { return false; }
  bool fits = true;
  for (std::uint32_t v = 0; v < table.visits.size(); ++v) {
    missing.visits[v] = guards.local_deadlines[v] < table.visits[v].upper;
    fits = fits && !missing.visits[v];
  }
  if (!fits) { return false; }
  detail::station_demands<N, V> demands{table, stations};
  if (!demands.fits()) {
    missing.why = obstacle::overflow;
    return false;
  }
  const detail::guarded_readiness<N, V> ready{table, stations, guards};
  const detail::lent_priorities<N, V> lent{table, stations};
  for (std::size_t k = 0; k < demands.size(); ++k) {
    const std::uint32_t v = demands.visit(k);
    demands[k].jitter = guards.offsets[v] - ready.earliest[v];
    demands[k].deadline = demands[k].jitter + guards.local_deadlines[v];
    demands[k].limit = guards.local_deadlines[v];
  }
  for (std::size_t s = 0; s < stations.size(); ++s) {
    if (detail::station_keeps_guards(stations, s, lent, ready, demands)) { continue; }
    for (const visit_demand& v : demands.of(s)) {
      if (v.response == given_up_response) { missing.why = obstacle::passes; }
    }
    for (std::uint32_t v = 0; v < table.visits.size(); ++v) { missing.visits[v] = table.visits[v].station == s; }
    return false;
  }
  if (table.sections.empty()) { return true; }
  ticks responses[V]{};
  for (std::size_t k = 0; k < demands.size(); ++k) { responses[demands.visit(k)] = demands[k].response; }
  ticks waits[V]{};
  missing.why = obstacle::tokens;
  if (!detail::waits_behind_guards(
          table, stations, guards, ready.requests, [&](std::uint32_t v) { return responses[v]; }, waits)) {
    return false;
  }
  for (std::uint32_t v = 0; v < table.visits.size(); ++v) {
    missing.waits[v] = takt::detail::begins_section(table, v) && waits[v] > guards.offsets[v] - ready.requests[v];
    fits = fits && !missing.waits[v];
  }
  return fits;
}

/// Returns a proof that rests on guards that hold.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto guarded_verdict(const visit_table<N, V>& table, const visit_guards<V>& guards)
    -> verdict<ticks, N, V> {
  verdict<ticks, N, V> out;
  out.method = "guarded";
  for (const flow_record& t : table.tasks) {
    // Bound: one per task and one per visit, as in the table; so below.
    out.tasks.unchecked_push_back(
        {.name = t.name, .deadline = t.deadline, .evaluated = true, .meets = true, .limited = t.limited});
  }
  for (std::uint32_t v = 0; v < table.visits.size(); ++v) {
    const visit_record& x = table.visits[v];
    const ticks asks = takt::detail::begins_section(table, v)
                           ? takt::detail::earliest_window(table, v, guards.offsets, guards.local_deadlines)
                           : guards.offsets[v];
    const ticks end = guards.offsets[v] + guards.local_deadlines[v];
    out.visits.unchecked_push_back({.name = {}, .task = x.task, .segment = x.position, .response = end - asks});
    out.plan.offsets.unchecked_push_back(guards.offsets[v]);
    out.plan.local_deadlines.unchecked_push_back(guards.local_deadlines[v]);
    auto& t = out.tasks[x.task];
    t.bound = {t.bound.value < end ? end : t.bound.value, true};
    t.blocking += guards.offsets[v] - asks;
  }
  for (std::uint32_t i = 0; i < table.size(); ++i) { detail::say_guards(table, i, guards, out.tasks[i].parts); }
  out.status = verdict_status::schedulable;
  return out;
}

}  // namespace detail

inline constexpr std::int32_t default_guard_rounds = 24;

/// Searches guards under which the tasks are proven: first in proportion to the lengths of visits and of waits for
/// tokens, then stations and waits that fail get more time. The verdict is about a system that honours the plan's
/// offsets and local deadlines. Tokens are proven where their waits are known in wall-clock time; mutexes of one
/// processor are not.
/// Of a deadline after the period nothing is proven: guards would have to end within the period, and so order jobs by
/// other deadlines than the one that was said.
/// Error: `invalid_model`; `why` is `passes` where the search ended at `rounds`, and other guards may exist.
/// Cost: at most `rounds` times one test for each station.
template <std::size_t N, std::size_t V, detail::DecidingStations Stations>
[[nodiscard]] constexpr auto guarded(const visit_table<N, V>& table, const Stations& stations,
                                     std::int32_t rounds = default_guard_rounds) -> verdict<ticks, N, V> {
  auto out = detail::open_verdict(table, stations, "guarded");
  if (out.error) { return out; }
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    if (table.tasks[i].deadline <= takt::detail::time_within_period(table.tasks[i])) { continue; }
    out.why = obstacle::deadline;
    out.where = i;
    return out;
  }
  detail::visit_guards<V> guards;
  constexpr std::int64_t unit = 64;
  const auto weight_of = [&](std::uint32_t v, ticks time) -> std::int64_t {
    const ticks whole = takt::detail::time_within_period(table.tasks[table.visits[v].task]);
    const ticks part = time < whole ? time : whole;
    return part == 0 ? 0 : part / (whole / (unit * 4096) + 1) * unit + 1;
  };
  std::int64_t weights[V]{};
  std::int64_t wait_weights[V]{};
  for (std::uint32_t v = 0; v < table.visits.size(); ++v) { weights[v] = weight_of(v, table.visits[v].upper); }
  if (!table.sections.empty()) {
    const ticks none[V]{};
    ticks waits[V]{};
    if (!detail::waits_behind_guards(
            table, stations, guards, none, [&](std::uint32_t v) { return table.visits[v].upper; }, waits)) {
      out.why = obstacle::tokens;
      out.where = table.sections[0].task;
      return out;
    }
    for (std::uint32_t v = 0; v < table.visits.size(); ++v) { wait_weights[v] = weight_of(v, waits[v]); }
  }
  const auto grow = [](std::int64_t& weight, std::int64_t least) {
    if (weight < (std::int64_t{1} << 27)) { weight += weight / 4 + least; }
  };
  detail::guard_shortage<V> missing;
  for (std::int32_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table.tasks[i].jitter >= takt::detail::time_within_period(table.tasks[i])) {
        out.why = obstacle::deadline;
        return out;
      }
      detail::lay_out_guards(table, i, weights, wait_weights, guards);
    }
    if (detail::guards_hold(table, stations, guards, missing)) { return detail::guarded_verdict(table, guards); }
    if (missing.why == obstacle::overflow) {
      out.why = obstacle::overflow;
      return out;
    }
    for (std::uint32_t v = 0; v < table.visits.size(); ++v) {
      if (missing.visits[v]) { grow(weights[v], weights[v] > 0 ? 1 : 0); }
      if (missing.waits[v]) { grow(wait_weights[v], unit); }
    }
  }
  out.why = obstacle::passes;
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
