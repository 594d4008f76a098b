// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/assigned_stations.hpp>
#include <takt/rules/locking/request.hpp>

/// Sections under a `local` rule of tokens are time on one processor, which preempts and serves its jobs in
/// the order of one priority each. A job that asks has the processor or would have it: it asks when no other
/// job there comes before it. So no job asks while a more important job is ready there or waits for such a
/// section.
namespace takt::inline TAKT_ABI::detail {

/// Returns the station of the visit of a section that comes first in the table.
template <class Table>
[[nodiscard]] constexpr auto station_of(const Table& table, const visit_section& s) -> std::uint32_t {
  std::uint32_t p = 0;
  while ((s.visits >> p & 1U) == 0) { ++p; }
  return table.visit(s.task, p).station;
}

/// Returns whether all jobs of a task have one point on a station; it is written to `out`.
template <class Table, class Stations>
[[nodiscard]] constexpr auto fixed_point(const Table& table, const Stations& stations, std::uint32_t i, std::uint32_t s,
                                         priority_point& out) -> bool {
  priority_point later{};
  return job_point(table, stations, i, s, 0, out) && job_point(table, stations, i, s, table.tasks[i].period, later) &&
         out == later;
}

/// Returns the least point at which the holder of section `h` is served. Under a rule with ceilings it is the best
/// point of all users of its tokens; the best of all where points change between jobs. Else it is the lowest.
template <class Table, class Stations>
[[nodiscard]] constexpr auto ceiling_of(const Table& table, const Stations& stations, std::size_t h) -> priority_point {
  const visit_section& held = table.sections[h];
  priority_point best = lowest_priority;
  if (!stations.token_has_ceiling(held.tokens)) { return best; }
  const std::uint32_t at = station_of(table, held);
  for (const visit_section& user : table.sections) {
    if (user.tokens != held.tokens) { continue; }
    priority_point p{};
    if (!fixed_point(table, stations, user.task, at, p)) { return boosted_priority; }
    best = p < best ? p : best;
  }
  return best;
}

/// Returns the first section under a local rule that is not local, or the number of sections. All sections of its
/// tokens must begin with time, on one processor on which a holder can be served at the priority of others.
template <class Table, class Stations>
[[nodiscard]] constexpr auto first_not_local(const Table& table, const Stations& stations) -> std::size_t {
  for (std::size_t s = 0; s < table.sections.size(); ++s) {
    const visit_section& x = table.sections[s];
    if (!stations.token_is_local(x.tokens)) { continue; }
    std::uint32_t at = 0;
    for (std::size_t r = table.sections.size(); r-- > 0;) {
      if (table.sections[r].tokens == x.tokens) { at = station_of(table, table.sections[r]); }
    }
    if (!stations.inherits(at) || stations.units(at) != 1) { return s; }
    for (std::uint32_t p = 0; p < table.tasks[x.task].visit_count; ++p) {
      if ((x.visits >> p & 1U) == 0) { continue; }
      const visit_record& v = table.visit(x.task, p);
      const bool is_first = (v.predecessors & x.visits) == 0;
      if (v.station != at || (is_first && v.upper == 0)) { return s; }
    }
  }
  return table.sections.size();
}

}  // namespace takt::inline TAKT_ABI::detail
