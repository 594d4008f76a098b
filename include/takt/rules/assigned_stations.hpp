// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Returns whether jobs on a board, or on stations of one, keep their processors from their releases to their ends.
template <class Board>
[[nodiscard]] constexpr auto keeps_processors(const Board& board) -> bool {
  if constexpr (requires { board.keeps_processors(); }) { return board.keeps_processors(); }
  return false;
}

/// Returns whether a visit ever asks its station.
[[nodiscard]] constexpr auto takes_unit(const visit_record& x) noexcept -> bool {
  return x.upper > 0 || x.need != unit_need::time;
}

/// Returns the station from which a task's jobs have their priority: the first on which they take time and have one
/// each. Else it is the first that they visit for no time and have one on, else the first that they visit. A job
/// without work for a processor still belongs to it: it asks for tokens from there.
template <class Table, class Stations>
[[nodiscard]] constexpr auto assigned_station_of(const Table& table, const Stations& stations, std::size_t i)
    -> std::uint32_t {
  const flow_record& t = table.tasks[i];
  std::uint32_t found = t.visit_count;
  for (std::uint32_t p = 0; p < t.visit_count; ++p) {
    const std::uint32_t s = table.visit(i, p).station;
    if (!stations.inherits(s)) { continue; }
    if (takes_unit(table.visit(i, p))) { return s; }
    found = p < found ? p : found;
  }
  return table.visit(i, found < t.visit_count ? found : 0).station;
}

/// Returns on how many stations, with one priority for each job, the jobs of a task take time; 1 where they take none
/// but visit such a station.
template <class Table, class Stations>
[[nodiscard]] constexpr auto assigned_station_count(const Table& table, const Stations& stations, std::size_t i)
    -> std::size_t {
  std::size_t count = 0;
  bool visits_one = false;
  for (std::uint32_t p = 0; p < table.tasks[i].visit_count; ++p) {
    const std::uint32_t s = table.visit(i, p).station;
    visits_one = visits_one || stations.inherits(s);
    bool is_new = takes_unit(table.visit(i, p)) && stations.inherits(s);
    for (std::uint32_t q = 0; q < p && is_new; ++q) {
      is_new = table.visit(i, q).station != s || !takes_unit(table.visit(i, q));
    }
    count += is_new ? 1U : 0U;
  }
  return count == 0 && visits_one ? 1 : count;
}

/// Returns the facts from which the point of a job of task i on a station follows.
template <class Table>
[[nodiscard]] constexpr auto timing_of(const Table& table, std::size_t i, std::uint32_t s) -> job_timing {
  const flow_record& t = table.tasks[i];
  ticks wcet = 0;
  for (std::uint32_t p = t.visit_count; p-- > 0;) {
    const visit_record& x = table.visit(i, p);
    if (x.station == s) { wcet = x.upper; }
  }
  return {wcet, t.period, t.deadline, static_cast<std::int32_t>(i), t.priority};
}

/// Computes the point of a job of task i on a station, also where it waits elsewhere. False where it does not fit.
template <class Table, class Stations>
[[nodiscard]] constexpr auto job_point(const Table& table, const Stations& stations, std::size_t i, std::uint32_t s,
                                       ticks release, priority_point& out) -> bool {
  return stations.point(s, timing_of(table, i, s), release, out);
}

}  // namespace takt::inline TAKT_ABI::detail
