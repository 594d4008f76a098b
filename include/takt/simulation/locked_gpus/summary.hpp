// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/host/locked_gpus/engine_layout.hpp>
#include <takt/host/locked_gpus/system.hpp>
#include <takt/model/observation.hpp>
#include <takt/simulation/locked_gpus/result.hpp>
#include <takt/simulation/locked_gpus/run_system.hpp>

namespace takt::simulation::detail {

/// The blocking of each job by what it waits for.
[[nodiscard]] inline auto waits_of(const host::gpu_system& system, const host::gpu_run& run)
    -> std::vector<gpusync_waits> {
  const host::engine_layout layout(system);
  std::vector<gpusync_waits> out(run.locks.jobs.size());
  for (const host::request_outcome& q : run.locks.requests) {
    gpusync_waits& w = out[q.job];
    (layout.is_pool(q.resource)               ? w.token
     : layout.is_execution_engine(q.resource) ? w.execution
                                              : w.copies) += q.blocked;
  }
  for (std::size_t j = 0; j < out.size(); ++j) {
    const host::priority_inversion& i = run.locks.jobs[j].inversion;
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
template <class Table, class Observation>
void summarize(const host::gpu_system& system, const std::vector<host::task_releases>& jobs, const Table& table,
               Observation& out) {
  const host::gpu_run& run = out.run;
  const auto waits = waits_of(system, run);
  out.end = run.locks.end;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    observed_task<ticks> seen{.name = t.name};
    gpusync_activity activity;
    const host::job_range& l = run.tasks[i];
    for (std::size_t j = l.first_job; j < l.first_job + l.job_count; ++j) {
      ++seen.released;
      keep_worst(activity.worst, waits[j]);
      const ticks release = jobs[i][j - l.first_job].release;
      const ticks finish = run.locks.jobs[j].finish;
      if (finish == no_instant) {
        ++seen.unfinished;
      } else {
        note_completion(seen, finish - release);
      }
      if (finish == no_instant || finish - release > t.deadline) { note_miss(seen, release + t.deadline); }
    }
    static_cast<void>(out.tasks.push_back(seen));
    static_cast<void>(out.activities.push_back(activity));
  }
  for (const host::token_section& section : run.sections) {
    gpusync_activity& a = out.activities[section.task];
    ++a.sections;
    a.execution += section.execution;
    a.stopped += section.stopped ? 1 : 0;
    a.skipped += section.skipped ? 1 : 0;
    if (section.migrated()) { ++a.moved[static_cast<std::size_t>(section.distance)]; }
  }
}

}  // namespace takt::simulation::detail
