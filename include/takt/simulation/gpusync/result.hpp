// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/gpusync/fault.hpp>
#include <takt/simulation/gpusync/run_system.hpp>
#include <takt/simulation/gpusync/system.hpp>
#include <takt/simulation/result.hpp>

namespace takt {

enum class gpusync_run_fault : std::uint8_t {
  none,
  model,          ///< see `error`
  time_overflow,  ///< of the horizon, an offset or all jobs together
  negative_offset,
  too_many_tokens,  ///< of a GPU cluster: above `most_simulated_tokens`
  distances,        ///< not one per pair of GPUs of a cluster, or out of range
  demands,          ///< not one per task, or negative
  budget_policy,    ///< bandwidth inheritance
  aberration,       ///< repetitions or jobs below 1, or an unknown task
  locks,            ///< see `run.locks.error`
};

/// Longest s-oblivious blocking of one job of a task, by what it waits for.
struct gpusync_waits {
  ticks execution = 0;  ///< for execution engines, all sections together
  ticks copies = 0;     ///< for copy engines, all sections together
  ticks token = 0;
  ticks loan = 0;   ///< its priority is lent to a token holder
  ticks ready = 0;  ///< less important jobs run
  ticks total = 0;  ///< of all these together
};

struct simulated_gpu_task {
  std::string_view name;
  std::int64_t released = 0;
  std::int64_t completed = 0;
  std::int64_t misses = 0;  ///< late or incomplete
  ticks worst_response = 0;
  ticks total_response = 0;
  gpusync_waits worst{};
  ticks execution = 0;       ///< received of execution engines
  std::int64_t stopped = 0;  ///< sections that ended with the budget
  std::int64_t skipped = 0;  ///< jobs without a section, as an earlier one had their budgets
  std::int64_t sections = 0;
  std::array<std::int64_t, simulation::distance_limit> moved{};  ///< sections on another GPU than before, by distance

  [[nodiscard]] constexpr auto migrations() const noexcept -> std::int64_t {
    std::int64_t n = 0;
    for (const std::int64_t m : moved) { n += m; }
    return n;
  }
};

/// What a simulation of locked GPUs observed. Tasks stand in the order in which they were given.
template <std::size_t MaxTasks>
struct gpusync_simulation_result {
  gpusync_run_fault fault = gpusync_run_fault::none;
  gpusync_error error{};
  inline_vector<simulated_gpu_task, MaxTasks> tasks{};
  simulation::gpu_run run{};  ///< every job, request and token section

  [[nodiscard]] constexpr auto status() const noexcept -> simulation_status {
    if (fault != gpusync_run_fault::none) { return simulation_status::invalid_model; }
    return misses() == 0 ? simulation_status::no_miss : simulation_status::missed;
  }
  [[nodiscard]] constexpr auto misses() const noexcept -> std::int64_t { return sum(&simulated_gpu_task::misses); }
  [[nodiscard]] constexpr auto completed() const noexcept -> std::int64_t {
    return sum(&simulated_gpu_task::completed);
  }
  [[nodiscard]] constexpr auto sections() const noexcept -> std::int64_t { return sum(&simulated_gpu_task::sections); }
  [[nodiscard]] constexpr auto migrations() const noexcept -> std::int64_t {
    std::int64_t n = 0;
    for (const simulated_gpu_task& t : tasks) { n += t.migrations(); }
    return n;
  }

 private:
  [[nodiscard]] constexpr auto sum(std::int64_t simulated_gpu_task::* member) const noexcept -> std::int64_t {
    std::int64_t n = 0;
    for (const simulated_gpu_task& t : tasks) { n += t.*member; }
    return n;
  }
};

}  // namespace takt
