// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/late_handling.hpp>
#include <takt/rules/budget.hpp>
#include <takt/simulation/options.hpp>
#include <takt/systems/locked_gpus/host/system.hpp>
#include <takt/systems/locked_gpus/simulation/varied_work.hpp>

namespace takt::inline TAKT_ABI {

/// Says how a platform of locked GPUs is simulated. An option that the configuration leaves no use for is refused, with
/// the option in the error's `name`.
struct gpusync_simulation_options {
  duration horizon = duration{1'000'000'000};  ///< releases are before it; all jobs run to their ends
  release_pattern releases = release_pattern::periodic;
  execution_times execution = execution_times::upper;  ///< of token sections; what jobs run outside is always full
  std::uint64_t seed = 1;                              ///< of everything that is random
  std::span<const duration> offsets{};  ///< of periodic tasks, in the given order; 0 for those beyond its end
  host::locked_gpu_choices gpus{};
  /// Execution times, one per task, that fair lateness counts with, and no other scheduler, such as inflated ones.
  /// Empty: those of the tasks without waits.
  std::span<const ticks> fair_demands{};
  /// Says whether jobs spend the times of system calls, locks and switches around their requests. Interrupts are not
  /// simulated.
  bool overheads = false;
  overrun_policy budgets{};  ///< see `host::section_jobs`; lenders do not pay
  std::span<const simulation::aberrant_task> aberrant{};
  std::span<const stall> stalls{};  ///< ascending and apart
  late_handling on_late = late_handling::catch_up;
};

}  // namespace takt::inline TAKT_ABI
