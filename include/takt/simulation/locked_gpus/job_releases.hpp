// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/locked_gpus/configuration.hpp>
#include <takt/model/locked_gpus/requests.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/simulation/locked_gpus/options.hpp>
#include <takt/simulation/locked_gpus/run_system.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/release_times.hpp>

namespace takt::simulation::detail {

/// The order of jobs on the CPUs: a job's point is its release times `per_release` plus `constant`.
struct point_rule {
  std::int64_t per_release = 0;
  std::int64_t constant = 0;

  [[nodiscard]] constexpr auto point(ticks release, std::int64_t& out) const noexcept -> bool {
    return checked_multiply(release, per_release, out) && checked_add(out, constant, out);
  }
};

/// False on overflow. `demand` is what points that read it count with.
template <class Task>
[[nodiscard]] constexpr auto point_rule_of(const gpusync_configuration& c, const Task& t, ticks demand,
                                           point_rule& out) noexcept -> bool {
  const gel_policy& p = c.scheduler.points;
  // Points are as many times as large as makes them whole.
  const std::int64_t scale = p.other_processors != 0 ? c.cpu_cluster_size : 1;
  out = {c.scheduler.task_level ? 0 : scale, 0};
  const auto add = [&out](std::int64_t times, std::int64_t weight, std::int64_t value) {
    return checked_multiply(times, weight, times) && checked_multiply(times, value, value) &&
           checked_add(out.constant, value, out.constant);
  };
  return add(scale, p.deadline, t.deadline) && add(scale, p.period, t.period) && add(scale, p.point, t.priority) &&
         add(scale, p.wcet, demand) && add(scale - 1, p.other_processors, demand);
}

/// Releases of every task as the options want them. Pre: `o` has no fault.
template <class Table>
[[nodiscard]] auto releases_of(const Table& table, const gpusync_simulation_options& o)
    -> std::vector<std::vector<ticks>> {
  return is_adversarial(o.releases) ? hostile_times(table.tasks, o.horizon.count(), o.seed)
                                    : release_times(table.tasks, o);
}

/// False when a priority does not fit.
template <class Table>
[[nodiscard]] auto jobs_of(const gpusync_configuration& c, const Table& table, const gpu_system& system,
                           const gpusync_simulation_options& o, std::vector<task_releases>& out) -> bool {
  const auto times = releases_of(table, o);
  out.assign(table.size(), {});
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    const section_program& p = system.programs[i];
    const ticks plain = p.cpu_before + p.longest_section + p.cpu_after;
    point_rule rule;
    if (!point_rule_of(c, t, o.fair_demands.empty() ? plain : o.fair_demands[i], rule)) { return false; }
    for (const ticks release : times[i]) {
      timed_job j{.release = release, .priority = {0, static_cast<std::int32_t>(i)}};
      if (!rule.point(release, j.priority.point)) { return false; }
      out[i].push_back(j);
    }
  }
  return true;
}

}  // namespace takt::simulation::detail
