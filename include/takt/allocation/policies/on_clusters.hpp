// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/model/hardware.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/runtime_visits.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/units.hpp>
#include <takt/rules/worst_fit.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Returns the tasks with numbers of clusters for cores: tasks without one go where the least CPU time is.
template <class RuntimeTasks>
[[nodiscard]] constexpr auto on_clusters(const RuntimeTasks& given, const hardware& board, std::int32_t cluster_size)
    -> RuntimeTasks {
  RuntimeTasks out = given;
  const std::int32_t clusters = cluster_size < 1 ? 1 : board.processors / cluster_size;
  const auto demand = [&](std::size_t i) {
    std::int64_t sum = 0;
    for (std::uint32_t p = 0; p < given.tasks[i].visit_count; ++p) {
      const runtime_visit& v = given.visit(i, p);
      if (v.where == resource_kind::processor) { sum += demand_of_place(v.time.upper, given.tasks[i].period); }
    }
    return sum;
  };
  for (runtime_task& t : out.tasks) {
    if (t.core != unassigned_core) { t.core /= cluster_size < 1 ? 1 : cluster_size; }
  }
  static_cast<void>(place_worst_fit<RuntimeTasks::max_tasks>(
      out.size(), clusters < 1 ? 1 : clusters, demand,
      [&](std::size_t i) { return out.tasks[i].core == unassigned_core ? -1 : out.tasks[i].core; },
      [&](std::size_t i, std::int32_t p) { out.tasks[i].core = p; }));
  return out;
}
/// Where plans name cores, that of the task if it names one, else the first one of its cluster.
template <class CpuRule, class RuntimeTasks, class Verdict>
constexpr void name_cores(const RuntimeTasks& given, const RuntimeTasks& clustered, std::int32_t cluster_size,
                          Verdict& out) {
  out.plan.cores.clear();
  if (!reads_cores<CpuRule> || out.error) { return; }
  for (std::size_t i = 0; i < clustered.size(); ++i) {
    const std::int32_t named = given.tasks[i].core;
    // Bound: one per task, as in the set.
    out.plan.cores.unchecked_push_back(named != unassigned_core ? named : clustered.tasks[i].core * cluster_size);
  }
}

}  // namespace takt::inline TAKT_ABI::detail
