// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/release_times.hpp>
#include <takt/systems/locked_gpus/host/point_rule.hpp>
#include <takt/systems/locked_gpus/simulation/options.hpp>
#include <takt/systems/locked_gpus/simulation/run_system.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/requests.hpp>

namespace takt::inline TAKT_ABI::simulation::detail {

/// Returns releases of every task as the options want them. Pre: `o` has no fault.
template <class Table>
[[nodiscard]] auto releases_of(const Table& table, const gpusync_simulation_options& o)
    -> std::vector<std::vector<ticks>> {
  TAKT_EXPECTS(o.offsets.size() <= table.size());
  return is_adversarial(o.releases) ? staggered_releases(table.tasks, o.horizon.count(), o.seed)
                                    : release_times(table.tasks, o);
}

/// Returns false when a priority or the time of a job does not fit.
template <class Table>
[[nodiscard]] auto jobs_of(const gpusync_configuration& c, const Table& table, const host::gpu_system& system,
                           const gpusync_simulation_options& o, std::vector<host::task_releases>& out) -> bool {
  const auto times = releases_of(table, o);
  out.assign(table.size(), {});
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    const host::section_program& p = system.programs[i];
    ticks plain = 0;
    const bool adds_up = checked_add(p.cpu_before, p.longest_section, plain) && checked_add(plain, p.cpu_after, plain);
    host::detail::point_rule rule;
    if (!adds_up || !point_rule_of(c, t, o.fair_demands.empty() ? plain : o.fair_demands[i], rule)) { return false; }
    for (const ticks release : times[i]) {
      host::timed_job j{.release = release, .priority = {0, static_cast<std::int32_t>(i)}};
      if (!rule.point(release, j.priority.point)) { return false; }
      out[i].push_back(j);
    }
  }
  return true;
}

}  // namespace takt::inline TAKT_ABI::simulation::detail
