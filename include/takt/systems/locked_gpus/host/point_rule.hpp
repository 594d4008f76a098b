// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>

namespace takt::inline TAKT_ABI::host::detail {

/// Describes the order of jobs on the CPUs: a job's point is its release times `per_release` plus `constant`.
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

}  // namespace takt::inline TAKT_ABI::host::detail
