// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/core/number.hpp>
#include <takt/systems/accelerators/plans/placement.hpp>

namespace takt::inline TAKT_ABI {

/// Holds kernels with the waves that were chosen for them as preemption costs, if any choice passes.
template <std::size_t MaxTasks>
struct wave_lengths {
  bool feasible = false;
  task_rows<accelerator_task<ticks>, MaxTasks> table;
};

/// Makes the waves of kernels as long as a test allows, so that a kernel has few preemption points and pays for few.
/// Waves are at least the preemption costs in the table, the shortest that there can be, and at most whole kernels.
///
/// No wave of the result can grow alone. Where a test limits each task by itself, all are as long as they can ever be
/// (Bertogna and Baruah 2010): `level_stack_edf` does so in the ideal model with a level per task. Otherwise those of
/// later deadlines, which others wait for most, come last and get what is left. Pre: a set that passes does so with
/// shorter waves too. Cost: log2(wcet) tests per task.
template <std::size_t MaxTasks, AdmissionTest<ticks, MaxTasks> Test>
[[nodiscard]] constexpr auto lengthen_waves(const task_rows<accelerator_task<ticks>, MaxTasks>& shortest,
                                            const Test& test) -> wave_lengths<MaxTasks> {
  wave_lengths<MaxTasks> out{false, shortest};
  if (attribute_fault(shortest) || !test(shortest)) { return out; }
  out.feasible = true;
  bool done[MaxTasks]{};
  for (std::size_t round = 0; round < shortest.size(); ++round) {
    std::size_t next = shortest.size();
    for (std::size_t i = 0; i < shortest.size(); ++i) {
      const bool earlier = next == shortest.size() || shortest.tasks[i].deadline < shortest.tasks[next].deadline;
      if (!done[i] && earlier) { next = i; }
    }
    done[next] = true;
    ticks& wave = out.table.tasks[next].preemption_cost;
    ticks low = wave;
    ticks high = shortest.tasks[next].wcet;
    while (low < high) {
      wave = high - (high - low) / 2;
      if (test(out.table)) {
        low = wave;
      } else {
        high = wave - 1;
      }
    }
    wave = low;
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI
