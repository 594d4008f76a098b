// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/combiners/local_blocking.hpp>
#include <takt/analysis/combiners/path_parts.hpp>
#include <takt/analysis/combiners/section_demands.hpp>
#include <takt/analysis/combiners/station_demands.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Waits for tokens in wall-clock time, of the first visits of sections. False where a rule does not know them. `grew`
/// becomes true when one has grown.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto wait_for_tokens(const visit_table<N, V>& table, const Stations& stations,
                                             const readiness<N, V>& ready, const ticks* responses,
                                             section_demands<N, V>& sections, ticks* waits, bool& grew) -> bool {
  for (std::size_t k = 0; k < sections.size(); ++k) {
    const visit_section& x = table.sections[sections.section(k)];
    const std::uint32_t first = first_visit_of(table, x);
    section_demand& d = sections[k];
    d.length = section_length(table, x, [&](std::uint32_t v) { return responses[v]; });
    d.earliest = ready.earliest[first];
    d.end = ready.latest[first] + d.length;
  }
  for (std::size_t pool = 0; pool < stations.token_pools(); ++pool) {
    const auto users = sections.of(table, pool);
    if (users.empty() || stations.token_is_local(pool)) { continue; }
    if (stations.token_donates(pool) || !stations.delays(pool, users)) { return false; }
  }
  for (std::size_t k = 0; k < sections.size(); ++k) {
    ticks& known = waits[first_visit_of(table, table.sections[sections.section(k)])];
    grew = grew || known < sections[k].wait;
    known = known < sections[k].wait ? sections[k].wait : known;
  }
  return true;
}

/// Returns the one visit of a job that takes time, if there is one and the task holds no tokens; else `no_index`.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto only_visit(const visit_table<N, V>& table, std::uint32_t i) -> std::uint32_t {
  for (const visit_section& s : table.sections) {
    if (s.task == i) { return no_index; }
  }
  std::uint32_t found = no_index;
  const flow_record& t = table.tasks[i];
  for (std::uint32_t v = t.first_visit; v < t.first_visit + t.visit_count; ++v) {
    if (table.visits[v].upper == 0) { continue; }
    if (found != no_index) { return no_index; }
    found = v;
  }
  return found;
}

/// Returns when a job is done at the latest, from its nominal release; `unbounded_response` where nothing is known.
/// `end`: if no job waited for the one before. A job starts when the one before has ended, so where jobs take at most a
/// period each starts at most its jitter after its nominal release. Else the rule of its only visit may have counted
/// all jobs of a busy period, `late` after the latest release.
[[nodiscard]] constexpr auto latest_end(const flow_record& t, ticks end, ticks late) -> ticks {
  if (late > 0) { return late < unbounded_response ? t.jitter + late : late; }
  return end - t.jitter <= t.period ? end : unbounded_response;
}

}  // namespace detail

inline constexpr std::int32_t default_combiner_passes = 10'000;

/// Returns the bounds of any tasks on any stations. The jitter of a visit is the time from its earliest to its latest
/// instant of becoming ready. All stations and pools of tokens are asked until nothing grows. Bounds count from the
/// nominal release. Deadlines and jitter may be longer than the period.
/// `schedulable` is a proof; all else is none. Error: `invalid_model`. Pre: passes >= 1.
/// Cost: per pass one call for each station. Source: Tindell and Clark 1994; see docs/composition.md.
template <std::size_t N, std::size_t V, detail::TokenStations Stations>
[[nodiscard]] constexpr auto holistic(const visit_table<N, V>& table, const Stations& stations,
                                      std::int32_t passes = default_combiner_passes) -> verdict<ticks, N, V> {
  TAKT_EXPECTS(passes >= 1);
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
  if (!demands.fits()) { return fail(obstacle::overflow, no_index); }
  detail::section_demands<N, V> sections{table, stations};
  const detail::lent_priorities<N, V> lent{table, stations};
  detail::local_blocking<N, V> local{table, stations};
  if (!local.fits_beside(lent, stations.size())) { return fail(obstacle::tokens, table.sections[0].task); }
  detail::readiness<N, V> ready;
  ticks responses[V]{};
  ticks waits[V]{};
  ticks late[N]{};
  for (std::uint32_t v = 0; v < table.visits.size(); ++v) { responses[v] = table.visits[v].upper; }
  for (std::size_t k = 0; k < demands.size(); ++k) {
    visit_demand& d = demands[k];
    const flow_record& t = table.tasks[d.task];
    d.may_queue = detail::only_visit(table, d.task) == demands.visit(k);
    if (d.may_queue) { d.limit = t.limited ? t.deadline : longest_visit_time; }
  }
  ticks jitters[V]{};
  for (std::int32_t pass = 0; pass < passes; ++pass) {
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      const flow_record& t = table.tasks[i];
      const ticks end = detail::latest_end(t, ready.pass(table, i, responses, waits, &local.runs()), late[i]);
      out.tasks[i].bound = {end, true};
      if (end > (t.limited ? t.deadline : longest_visit_time)) {
        const bool given_up = late[i] == given_up_response;
        return fail(given_up ? obstacle::passes : detail::why_beyond(table, i, responses), i);
      }
    }
    for (std::size_t k = 0; k < demands.size(); ++k) {
      visit_demand& d = demands[k];
      const std::uint32_t v = demands.visit(k);
      const ticks jitter = ready.latest[v] - ready.earliest[v];
      d.moved = pass == 0 || jitter != jitters[v];
      d.jitter = jitters[v] = jitter;
      d.deadline = table.tasks[d.task].deadline - ready.earliest[v];
    }
    bool grew = false;
    for (std::size_t s = 0; s < stations.size(); ++s) {
      const bool known =
          local.blocks(s) ? local.responds(stations, s, demands, grew) : lent.responds(stations, s, demands);
      if (!known) { return fail(obstacle::processors, static_cast<std::uint32_t>(s)); }
    }
    if (!detail::wait_for_tokens(table, stations, ready, responses, sections, waits, grew)) {
      return fail(obstacle::tokens, table.sections[0].task);
    }
    for (std::size_t k = 0; k < demands.size(); ++k) {
      ticks& response = responses[demands.visit(k)];
      grew = grew || response < demands[k].response;
      response = response < demands[k].response ? demands[k].response : response;
      ticks& known = late[demands[k].task];
      grew = grew || known < demands[k].late;
      known = known < demands[k].late ? demands[k].late : known;
    }
    if (grew) { continue; }
    for (std::uint32_t v = 0; v < table.visits.size(); ++v) {
      const visit_record& x = table.visits[v];
      // Bound: one per visit, as in the table.
      out.visits.unchecked_push_back(
          {.name = {}, .task = x.task, .segment = x.position, .response = waits[v] + responses[v]});
    }
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      auto& t = out.tasks[i];
      t.meets = true;
      t.blocking = local.of_job(table, i);
      for (std::uint32_t p = 0; p < table.tasks[i].visit_count; ++p) {
        t.blocking += waits[table.tasks[i].first_visit + p];
      }
    }
    detail::say_paths(table, stations, lent, local, demands, {&ready, responses, waits, &local.runs()}, out);
    out.status = verdict_status::schedulable;
    return out;
  }
  return fail(obstacle::passes, no_index);
}

}  // namespace takt::inline TAKT_ABI::analysis
