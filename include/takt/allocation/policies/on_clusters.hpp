// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/model/described_tasks.hpp>
#include <takt/model/described_visits.hpp>
#include <takt/model/hardware.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/units.hpp>
#include <takt/rules/worst_fit.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Returns the tasks with numbers of clusters for cores: tasks without one go where the least CPU time is.
template <class Described>
[[nodiscard]] constexpr auto on_clusters(const Described& given, const hardware& board, std::int32_t together)
    -> Described {
  Described out = given;
  const std::int32_t clusters = together < 1 ? 1 : board.processors / together;
  const auto demand = [&](std::size_t i) {
    std::int64_t sum = 0;
    for (std::uint32_t p = 0; p < given.tasks[i].visit_count; ++p) {
      const described_visit& v = given.visit(i, p);
      if (v.where == visit_place::processor) { sum += demand_of_place(v.time.upper, given.tasks[i].period); }
    }
    return sum;
  };
  for (described_task& t : out.tasks) {
    if (t.core != any_core) { t.core /= together < 1 ? 1 : together; }
  }
  static_cast<void>(place_worst_fit<Described::max_tasks>(
      out.size(), clusters < 1 ? 1 : clusters, demand,
      [&](std::size_t i) { return out.tasks[i].core == any_core ? -1 : out.tasks[i].core; },
      [&](std::size_t i, std::int32_t p) { out.tasks[i].core = p; }));
  return out;
}
/// Where plans name cores, that of the task if it names one, else the first one of its cluster.
template <class CpuRule, class Described, class Verdict>
constexpr void name_cores(const Described& given, const Described& clustered, std::int32_t together, Verdict& out) {
  out.plan.cores.clear();
  if (!reads_cores<CpuRule> || out.error) { return; }
  for (std::size_t i = 0; i < clustered.size(); ++i) {
    const std::int32_t named = given.tasks[i].core;
    // Bound: one per task, as in the set.
    out.plan.cores.unchecked_push_back(named != any_core ? named : clustered.tasks[i].core * together);
  }
}

}  // namespace takt::inline TAKT_ABI::detail
