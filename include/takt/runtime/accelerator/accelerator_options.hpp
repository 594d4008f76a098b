// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/runtime/run_options.hpp>

namespace takt::runtime {

/// Something that has happened to a job. Times count from the start.
struct job_event {
  std::uint32_t task = 0;  ///< position in the given order
  std::uint64_t job = 0;   ///< counts from 0 per task; of a dropped release that of the job that it found
  ticks time = 0;          ///< of the notice, of the passed deadline or of the release
  ticks response = 0;      ///< from the release to the completion, if it has come
};

/// Called on the scheduler's thread, which decides nothing meanwhile: keep them short. A hook may call `stop`.
struct accelerator_hooks {
  std::function<void(const job_event&)> on_completion;
  /// Once for each job that is not complete at its deadline, as soon as that has passed.
  std::function<void(const job_event&)> on_miss;
  /// A release finds the job before unfinished.
  std::function<void(const job_event&)> on_overrun;
};

/// What a strategy with slots is run with besides.
struct accelerator_slots {
  slot_reservation<ticks> pinned{};
  slot_reservation<ticks> gang{};
  /// Kernels stop starting waves so long before the end of their slot that no wave reaches beyond it: by the largest
  /// preemption cost on their core or, for those that need all cores, among these. The time that this machine takes to
  /// react is not in it.
  bool guard_band = true;
};

/// How kernels are run, whatever the strategy.
struct accelerator_options {
  backlog_handling overrun = backlog_handling::queue;
  /// Of a kernel's shortest time nothing is known: it counts as one tick.
  length_choice lengths = length_choice::upper;
  std::uint64_t seed = 1;
  std::vector<expectation> expected{};
  std::function<void(const violation&)> on_violation{};
  run_watch* watch = nullptr;
  accelerator_hooks hooks{};
  /// Entries of the trace to keep, per task and per core.
  std::size_t trace_capacity = 0;
};

}  // namespace takt::runtime
