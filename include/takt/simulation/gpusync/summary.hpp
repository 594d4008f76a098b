// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/simulation/gpusync/engine_layout.hpp>
#include <takt/simulation/gpusync/result.hpp>
#include <takt/simulation/gpusync/run_system.hpp>
#include <takt/simulation/gpusync/system.hpp>

namespace takt::simulation::detail {

/// The blocking of each job by what it waits for.
[[nodiscard]] inline auto waits_of(const gpu_system& system, const gpu_run& run) -> std::vector<gpusync_waits> {
  const engine_layout layout(system);
  std::vector<gpusync_waits> out(run.locks.jobs.size());
  for (const request_outcome& q : run.locks.requests) {
    gpusync_waits& w = out[q.job];
    (layout.is_pool(q.resource)               ? w.token
     : layout.is_execution_engine(q.resource) ? w.execution
                                              : w.copies) += q.blocked;
  }
  for (std::size_t j = 0; j < out.size(); ++j) {
    const priority_inversion& i = run.locks.jobs[j].inversion;
    out[j].loan = i.donating;
    out[j].ready = i.ready;
    out[j].total = i.oblivious();
  }
  return out;
}

constexpr void keep_worst(gpusync_waits& worst, const gpusync_waits& w) noexcept {
  worst.execution = std::max(worst.execution, w.execution);
  worst.copies = std::max(worst.copies, w.copies);
  worst.token = std::max(worst.token, w.token);
  worst.loan = std::max(worst.loan, w.loan);
  worst.ready = std::max(worst.ready, w.ready);
  worst.total = std::max(worst.total, w.total);
}

/// What each task went through, from what each job and section did.
template <class Table, class Tasks>
void summarize(const gpu_system& system, const Table& table, const gpu_run& run, Tasks& out) {
  const auto waits = waits_of(system, run);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    simulated_gpu_task s{.name = t.name};
    const lock_task& l = run.workload.tasks()[i];
    for (std::size_t j = l.first_job; j < l.first_job + l.job_count; ++j) {
      ++s.released;
      keep_worst(s.worst, waits[j]);
      const ticks finish = run.locks.jobs[j].finish;
      if (finish == no_instant) {
        ++s.misses;
        continue;
      }
      ++s.completed;
      const ticks response = finish - run.workload.jobs()[j].release;
      s.misses += response > t.deadline ? 1 : 0;
      s.worst_response = std::max(s.worst_response, response);
      s.total_response += response;
    }
    out.push_back(s);
  }
  for (const token_section& section : run.sections) {
    simulated_gpu_task& s = out[section.task];
    ++s.sections;
    s.execution += section.execution;
    s.stopped += section.stopped ? 1 : 0;
    s.skipped += section.skipped ? 1 : 0;
    if (section.migrated()) { ++s.moved[static_cast<std::size_t>(section.distance)]; }
  }
}

}  // namespace takt::simulation::detail
