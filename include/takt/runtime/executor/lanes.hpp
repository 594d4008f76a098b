// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Visits of one task on one station, one after the other, for one worker.
struct lane {
  std::uint32_t task = 0;
  std::uint32_t station = 0;
  bool leaves_by_itself = false;   ///< it is on its unit until it says that it has left
  bool decides_by_itself = false;  ///< it takes visits as they come, whatever the server says
  bool has_levels = false;         ///< it takes visits that wait for others above them, too
  bool reports_later = false;      ///< when visits were on their units
  bool sizes_units = false;        ///< a visit may have another unit from some instant on
};

namespace detail {

inline constexpr std::uint32_t no_lane = 0xFFFF'FFFF;

}  // namespace detail

/// Says which workers a set of tasks needs, and which of them does each visit. Visits of one worker follow each other
/// in every job.
struct lane_plan {
  std::vector<lane> lanes;
  std::vector<std::uint32_t> of_visit;  ///< `no_lane` for visits that no worker does
};

/// `has_worker(visit)`: whether a worker does it; `lane_on(task, station)`: a lane there. Cost: visits times lanes of
/// their tasks.
template <std::size_t N, std::size_t V, class HasWorker, class LaneOn>
[[nodiscard]] auto lanes_of(const visit_table<N, V>& table, const HasWorker& has_worker, const LaneOn& lane_on)
    -> lane_plan {
  lane_plan out;
  out.of_visit.assign(table.visits.size(), detail::no_lane);
  std::vector<std::uint32_t> last;  // position of the last visit of each lane
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    const flow_record& t = table.tasks[i];
    const std::size_t first = out.lanes.size();
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      const visit_record& x = table.visit(i, p);
      if (!has_worker(t.first_visit + p)) { continue; }
      std::size_t at = first;
      const auto follows = [&](std::size_t l) {
        return out.lanes[l].station == x.station && (x.ancestors >> last[l] & 1U) != 0;
      };
      while (at < out.lanes.size() && !follows(at)) { ++at; }
      if (at == out.lanes.size()) {
        out.lanes.push_back(lane_on(i, x.station));
        last.push_back(p);
      }
      last[at] = p;
      out.of_visit[t.first_visit + p] = static_cast<std::uint32_t>(at);
    }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::runtime
