// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/model/visit_table.hpp>

namespace takt::runtime {

/// A thread that does visits of one task on one station, one after the other.
struct lane {
  std::uint32_t task = 0;
  std::uint32_t station = 0;
};

inline constexpr std::uint32_t no_lane = 0xFFFF'FFFF;

/// Which threads a set of tasks needs, and which of them does each visit: those of one thread follow each other in
/// every job.
struct lane_plan {
  std::vector<lane> lanes;
  std::vector<std::uint32_t> of_visit;  ///< `no_lane` for visits that no thread does
};

/// `on_thread(station)`: whether threads do its visits. Cost: visits times lanes of their tasks.
template <std::size_t N, std::size_t V, class OnThread>
[[nodiscard]] auto lanes_of(const visit_table<N, V>& table, const OnThread& on_thread) -> lane_plan {
  lane_plan out;
  out.of_visit.assign(table.visits.size(), no_lane);
  std::vector<std::uint32_t> last;  // position of the last visit of each lane
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    const flow_record& t = table.tasks[i];
    const std::size_t first = out.lanes.size();
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      const visit_record& x = table.visit(i, p);
      if (!on_thread(x.station)) { continue; }
      std::size_t at = first;
      const auto follows = [&](std::size_t l) {
        return out.lanes[l].station == x.station && (x.ancestors >> last[l] & 1U) != 0;
      };
      while (at < out.lanes.size() && !follows(at)) { ++at; }
      if (at == out.lanes.size()) {
        out.lanes.push_back({i, x.station});
        last.push_back(p);
      }
      last[at] = p;
      out.of_visit[t.first_visit + p] = static_cast<std::uint32_t>(at);
    }
  }
  return out;
}

}  // namespace takt::runtime
