// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/simulation/result.hpp>

namespace takt::simulation {

/// What an application went through.
struct simulated_application {
  std::string_view name;
  std::int64_t released = 0;  ///< jobs, with those that still wait for a late one
  std::int64_t started = 0;
  std::int64_t completed = 0;
  std::int64_t misses = 0;
  ticks worst_response = 0;  ///< of completed jobs
  /// What was done while a job of this application was active, summed over its jobs: this is what the scheduling
  /// overhead of Yao et al. 2022, Eq. 16 weighs.
  std::int64_t operations_in_jobs = 0;
  std::int64_t predictions_in_jobs = 0;
};

/// What deciding cost. All 0 for policies that do not predict.
struct share_effort {
  std::int64_t operations = 0;
  std::int64_t skipped = 0;   ///< completions after which nothing was decided
  std::int64_t refilled = 0;  ///< completions after which only the freed share was handed out
  std::int64_t refusals = 0;  ///< operations that found no share for some job
  std::int64_t predictions = 0;
  std::int64_t predictor_calls = 0;
  std::int64_t share_changes = 0;  ///< of active jobs, in operations
};

/// What a simulation observed. Applications stand in the given order.
template <std::size_t MaxTasks>
struct share_result {
  model_error error{};
  ticks end = 0;  ///< the last instant
  share_effort effort{};
  inline_vector<simulated_application, MaxTasks> tasks{};

  [[nodiscard]] constexpr auto status() const noexcept -> simulation_status {
    if (error) { return simulation_status::invalid_model; }
    return misses() == 0 ? simulation_status::no_miss : simulation_status::missed;
  }
  [[nodiscard]] constexpr auto misses() const noexcept -> std::int64_t { return sum(&simulated_application::misses); }
  [[nodiscard]] constexpr auto completed() const noexcept -> std::int64_t {
    return sum(&simulated_application::completed);
  }
  [[nodiscard]] constexpr auto without_miss() const noexcept -> std::size_t {
    std::size_t n = 0;
    for (const auto& t : tasks) { n += t.misses == 0 ? 1U : 0U; }
    return n;
  }

 private:
  using counter = std::int64_t simulated_application::*;

  [[nodiscard]] constexpr auto sum(counter what) const noexcept -> std::int64_t {
    std::int64_t n = 0;
    for (const auto& t : tasks) { n += t.*what; }
    return n;
  }
};

}  // namespace takt::simulation
