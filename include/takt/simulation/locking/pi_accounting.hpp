// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/number.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/simulation/locking/lock_result.hpp>
#include <takt/simulation/locking/task_state.hpp>

namespace takt::simulation {

/// Charges the jobs of a cluster with `processors` for a stretch of time in which nothing changes. `pending` are the
/// tasks with a pending job, best base priority first; `is_donor(t)` tells of donation at release.
/// Cost: a step per pending job.
template <class IsDonor>
void charge(std::span<const request_id> pending, std::span<const task_state> tasks, std::int32_t processors,
            ticks length, IsDonor is_donor, lock_result& out) {
  std::int32_t better = 0;
  std::int32_t better_and_able = 0;  // neither waiting nor suspended
  for (const request_id t : pending) {
    const task_state& s = tasks[static_cast<std::size_t>(t)];
    const bool scheduled = s.running || s.spins();
    if (!scheduled && !s.suspended && better_and_able < processors) {
      priority_inversion& i = out.jobs[s.job].inversion;
      i.aware += length;
      if (better < processors && s.waits()) {
        i.waiting += length;
        out.requests[s.unsatisfied[0].record].blocked += length;
      } else if (better < processors) {
        (is_donor(t) ? i.donating : i.ready) += length;
      }
    }
    ++better;
    better_and_able += scheduled || (!s.waits() && !s.suspended) ? 1 : 0;
  }
}

}  // namespace takt::simulation
