// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/host/void_bounds.hpp>
#include <takt/simulation/result.hpp>
#include <takt/systems/locked_gpus/host/system.hpp>
#include <takt/systems/locked_gpus/simulation/run_system.hpp>

namespace takt::inline TAKT_ABI {

/// Holds the longest s-oblivious blocking of one job of a task, by what it waits for.
struct gpusync_waits {
  ticks execution = 0;  ///< for execution engines, all sections together
  ticks copies = 0;     ///< for copy engines, all sections together
  ticks token = 0;
  ticks loan = 0;   ///< its priority is lent to a token holder
  ticks ready = 0;  ///< less important jobs run
  ticks total = 0;  ///< of all these together
};

/// Holds what else a task on locked GPUs waited for and did.
struct gpusync_activity {
  gpusync_waits worst{};
  ticks execution = 0;        ///< received of execution engines
  std::uint64_t stopped = 0;  ///< sections that ended with the budget
  std::uint64_t skipped = 0;  ///< jobs without a section, as an earlier one had their budgets
  std::uint64_t sections = 0;
  std::array<std::uint64_t, host::distance_limit> moved{};  ///< sections on another GPU than before, by distance

  [[nodiscard]] constexpr auto migrations() const noexcept -> std::uint64_t {
    std::uint64_t n = 0;
    for (const std::uint64_t m : moved) { n += m; }
    return n;
  }
};

/// Holds what a simulation of locked GPUs saw, task by task.
template <std::size_t MaxTasks>
struct gpusync_observation : simulation_result<MaxTasks> {
  inline_vector<gpusync_activity, MaxTasks> activities{};
  host::gpu_run run{};  ///< every job, request and token section; those that were not dropped come first
  /// Says from when to when bounds were void, since the process was stopped; in order, and spans do not touch.
  std::vector<host::time_span> void_bounds;

  [[nodiscard]] constexpr auto sections() const noexcept -> std::uint64_t {
    std::uint64_t n = 0;
    for (const gpusync_activity& a : activities) { n += a.sections; }
    return n;
  }
  [[nodiscard]] constexpr auto migrations() const noexcept -> std::uint64_t {
    std::uint64_t n = 0;
    for (const gpusync_activity& a : activities) { n += a.migrations(); }
    return n;
  }
};

}  // namespace takt::inline TAKT_ABI
