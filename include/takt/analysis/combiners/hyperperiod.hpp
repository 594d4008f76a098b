// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/combiners/station_demands.hpp>
#include <takt/analysis/strict_periods.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/job_priority.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Returns whether jobs are released at known instants and are one visit, which can be preempted anywhere, of one
/// processor that preempts by jobs.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto is_released_by_clock(const visit_table<N, V>& table, const Stations& stations,
                                                  std::size_t i) -> bool {
  const flow_record& t = table.tasks[i];
  if (!t.strict || t.jitter != 0 || t.visit_count != 1) { return false; }
  const visit_record& v = table.visit(i, 0);
  return v.upper > 0 && v.region == 0 && stations.units(v.station) == 1 && stations.takes_suspensions(v.station);
}

/// Returns the longest response of a task that is released by the clock, as are all of its station.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto response_by_clock(const visit_table<N, V>& table, const Stations& stations,
                                               std::size_t own) -> strict_response {
  const std::size_t s = table.visit(own, 0).station;
  inline_vector<strict_load, N> loads;
  inline_vector<job_timing, N> timings;
  std::size_t at = 0;
  for (std::size_t k = 0; k < table.size(); ++k) {
    const flow_record& t = table.tasks[k];
    const visit_record& v = table.visit(k, 0);
    if (v.station != s) { continue; }
    if (k == own) { at = loads.size(); }
    // Bound: one per task, at most N.
    loads.unchecked_push_back({t.offset, t.period, v.upper});
    timings.unchecked_push_back({v.upper, t.period, t.deadline, static_cast<std::int32_t>(k), t.priority});
  }
  return response_by_hyperperiod(loads, at, tie::lost, [&](std::size_t k, ticks release) {
    priority_point out{};
    return stations.point(s, timings[k], release, out) ? out.point : unbounded_response;
  });
}

/// Decides strictly periodic tasks of one visit each on processors that are scheduled one by one, with preemption.
/// Their responses are those of a run that is followed until it repeats itself. False where tasks are others, or the
/// run is too long; then nothing is decided. The bounds in `out` are exact where no two jobs have equal points, also
/// those beyond the deadlines. Cost: tasks x `response_by_hyperperiod`.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto decide_by_hyperperiod(const visit_table<N, V>& table, const Stations& stations,
                                                   verdict<ticks, N, V>& out) -> bool {
  verdict<ticks, N, V> found = detail::open_verdict(table, stations, "hyperperiod");
  if (found.error || !table.sections.empty()) { return false; }
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!detail::is_released_by_clock(table, stations, i)) { return false; }
  }
  found.status = verdict_status::schedulable;
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    const strict_response response = detail::response_by_clock(table, stations, i);
    if (!response.decided) { return false; }
    auto& t = found.tasks[i];
    t.bound = {response.worst, true};
    t.parts.add(term_kind::node, i, response.worst, 0);
    t.meets = !t.limited || response.worst <= t.deadline;
    // Bound: one per task, each of one visit.
    found.visits.unchecked_push_back({.name = {}, .task = i, .segment = 0, .response = response.worst});
    if (t.meets || !found.schedulable()) { continue; }
    found.status = verdict_status::not_proven;
    found.why = obstacle::deadline;
    found.where = i;
  }
  out = found;
  return true;
}

}  // namespace takt::inline TAKT_ABI::analysis::detail
