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

namespace detail {

/// Longest time from the grant of a section's token to its release, which is also the response of its longest path.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto section_length(const visit_table<N, V>& table, const visit_section& s,
                                            const ticks* responses) -> ticks {
  const flow_record& t = table.tasks[s.task];
  ticks end[max_visits_of_task]{};
  ticks longest = 0;
  for (std::uint32_t p = 0; p < t.visit_count; ++p) {
    if ((s.visits >> p & 1U) == 0) { continue; }
    const visit_mask before = table.visit(s.task, p).predecessors & s.visits;
    ticks start = 0;
    for (std::uint32_t q = 0; q < p; ++q) { start = (before >> q & 1U) != 0 && start < end[q] ? end[q] : start; }
    end[p] = start + responses[t.first_visit + p];
    if (end[p] > unbounded_response) { end[p] = unbounded_response; }
    longest = longest < end[p] ? end[p] : longest;
  }
  return longest;
}

/// Whether a path joins two sections of one task, so that no job asks for both at a time.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto ordered(const visit_table<N, V>& table, const visit_section& a, const visit_section& b)
    -> bool {
  for (std::uint32_t p = 0; p < table.tasks[a.task].visit_count; ++p) {
    const visit_mask before = table.visit(a.task, p).ancestors;
    if ((a.visits >> p & 1U) != 0 && (before & b.visits) == b.visits) { return true; }
    if ((b.visits >> p & 1U) != 0 && (before & a.visits) == a.visits) { return true; }
  }
  return false;
}

/// Waits for tokens that are granted in the order of requests, from lengths of sections: those of all others that can
/// ask at one time, spread over the tokens. True when one has grown.
template <std::size_t N, std::size_t V, class Stations>
constexpr auto wait_for_tokens(const visit_table<N, V>& table, const Stations& stations, const ticks* responses,
                               ticks* waits) -> bool {
  bool grew = false;
  const std::size_t n = table.sections.size();
  ticks lengths[V]{};
  for (std::size_t s = 0; s < n; ++s) { lengths[s] = section_length(table, table.sections[s], responses); }
  for (std::size_t s = 0; s < n; ++s) {
    const visit_section& own = table.sections[s];
    ticks sum = 0;
    std::int32_t others = 0;
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      ticks longest = 0;
      ticks all = 0;
      std::int32_t count = 0;
      bool one_at_a_time = true;
      for (std::size_t r = 0; r < n; ++r) {
        const visit_section& x = table.sections[r];
        if (x.task != i || x.tokens != own.tokens || r == s || (i == own.task && ordered(table, x, own))) { continue; }
        longest = longest < lengths[r] ? lengths[r] : longest;
        all = all + lengths[r] < unbounded_response ? all + lengths[r] : unbounded_response;
        for (std::size_t q = 0; q < r; ++q) {
          const visit_section& y = table.sections[q];
          const bool counts = y.task == i && y.tokens == own.tokens && q != s;
          one_at_a_time = one_at_a_time && (!counts || ordered(table, x, y));
        }
        ++count;
      }
      others += one_at_a_time && count > 0 ? 1 : count;
      sum = sum + (one_at_a_time ? longest : all) < unbounded_response ? sum + (one_at_a_time ? longest : all)
                                                                       : unbounded_response;
    }
    const std::int32_t tokens = stations.tokens(own.tokens);
    const ticks wait = others < tokens ? 0 : sum / tokens;
    for (std::uint32_t p = 0; p < table.tasks[own.task].visit_count; ++p) {
      const visit_mask before = table.visit(own.task, p).predecessors;
      const bool first = (own.visits >> p & 1U) != 0 && (before & own.visits) == 0;
      ticks& known = waits[table.tasks[own.task].first_visit + p];
      if (first && known < wait) {
        known = wait;
        grew = true;
      }
    }
  }
  return grew;
}

}  // namespace detail

inline constexpr std::int32_t default_combiner_passes = 10'000;

/// Bounds of any tasks on any stations: the jitter of a visit is what separates its latest from its earliest instant of
/// becoming ready, and all stations are asked until nothing grows. Bounds count from the nominal release.
/// `schedulable` is a proof; all else is none. Error: `invalid_model`. Pre: passes >= 1.
/// Cost: per pass one call for each station. Source: Tindell and Clark 1994; see docs/composition.md.
template <std::size_t N, std::size_t V, RespondingStations Stations>
[[nodiscard]] constexpr auto holistic(const visit_table<N, V>& table, const Stations& stations,
                                      std::int32_t passes = default_combiner_passes) -> verdict<ticks, N, V> {
  auto out = detail::open_verdict(table, stations, "holistic");
  if (out.error) { return out; }
  const auto fail = [&out](obstacle why, std::uint32_t where) {
    out.status = verdict_status::not_proven;
    out.why = why;
    out.where = where;
    for (auto& t : out.tasks) { t.bound = {}; }
    return out;
  };
  detail::station_demands<N, V> demands{table, stations};
  if (!demands.fits()) { return fail(obstacle::overflow, nowhere); }
  detail::readiness<N, V> ready;
  ticks responses[V]{};
  ticks waits[V]{};
  for (std::uint32_t v = 0; v < table.visits.size(); ++v) { responses[v] = table.visits[v].upper; }
  ticks jitters[V]{};
  for (std::int32_t pass = 0; pass < passes; ++pass) {
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      const ticks end = ready.pass(table, i, responses, waits);
      out.tasks[i].bound = {end, true};
      if (end > table.tasks[i].deadline) { return fail(obstacle::deadline, i); }
    }
    for (std::size_t k = 0; k < demands.size(); ++k) {
      visit_demand& d = demands[k];
      const std::uint32_t v = demands.visit(k);
      const ticks jitter = ready.latest[v] - ready.earliest[v];
      d.moved = pass == 0 || jitter != jitters[v];
      d.jitter = jitters[v] = jitter;
      d.deadline = table.tasks[d.task].deadline - ready.earliest[v];
    }
    for (std::size_t s = 0; s < stations.size(); ++s) {
      if (!stations.responds(s, demands.of(s))) { return fail(obstacle::processors, static_cast<std::uint32_t>(s)); }
    }
    bool grew = detail::wait_for_tokens(table, stations, responses, waits);
    for (std::size_t k = 0; k < demands.size(); ++k) {
      ticks& response = responses[demands.visit(k)];
      grew = grew || response < demands[k].response;
      response = response < demands[k].response ? demands[k].response : response;
    }
    if (grew) { continue; }
    for (std::uint32_t v = 0; v < table.visits.size(); ++v) {
      const visit_record& x = table.visits[v];
      static_cast<void>(
          out.visits.push_back({.name = {}, .task = x.task, .segment = x.position, .response = responses[v]}));
    }
    for (auto& t : out.tasks) { t.meets = true; }
    out.status = verdict_status::schedulable;
    return out;
  }
  return fail(obstacle::passes, nowhere);
}

}  // namespace takt::analysis
