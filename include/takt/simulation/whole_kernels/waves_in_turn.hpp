// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/simulation/whole_kernels/releases.hpp>

namespace takt::simulation {

/// What a GPU does without a scheduler when each task has a stream of its own: the kernels that are there take turns, a
/// wave of blocks each. A wave is as long as the preemption cost of its task, or as the rest of the job. Gives the
/// response times of each task, in the order of its jobs. Pre: every task has waves, and jobs end somewhere.
template <std::size_t MaxTasks, ReleaseSource<ticks> Releases>
[[nodiscard]] auto simulate_waves_in_turn(const accelerator_table<ticks, MaxTasks>& table, const Releases& releases)
    -> std::vector<std::vector<ticks>> {
  struct stream {
    std::int64_t number = 0;
    planned_job<ticks> job{};
    bool comes = false;
  };
  std::vector<stream> streams(table.size());
  for (std::size_t i = 0; i < streams.size(); ++i) { streams[i].comes = releases.job(i, 0, streams[i].job); }
  std::vector<std::vector<ticks>> out(table.size());
  ticks now = 0;
  for (std::size_t i = 0, idle = 0; !streams.empty(); i = (i + 1) % streams.size()) {
    stream& s = streams[i];
    if (idle == streams.size()) {
      const auto first = std::ranges::min_element(
          streams, {}, [](const stream& x) { return x.comes ? x.job.release : std::numeric_limits<ticks>::max(); });
      if (!first->comes) { break; }
      now = first->job.release;
      idle = 0;
    }
    if (!s.comes || s.job.release > now) {
      ++idle;
      continue;
    }
    idle = 0;
    const ticks wave = std::min(s.job.work, table.tasks[i].preemption_cost);
    now += wave;
    s.job.work -= wave;
    if (s.job.work > 0) { continue; }
    out[i].push_back(now - s.job.release);
    s.comes = releases.job(i, ++s.number, s.job);
  }
  return out;
}

}  // namespace takt::simulation
