// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/simulation/result.hpp>

namespace takt {

/// What was done while a job of an application was active, summed over its jobs: this is what the scheduling overhead
/// of Yao et al. 2022, Eq. 16 weighs.
struct share_activity {
  std::uint64_t started = 0;  ///< jobs
  std::uint64_t operations = 0;
  std::uint64_t predictions = 0;
};

/// What deciding cost. All 0 for policies that do not predict.
struct share_effort {
  std::uint64_t operations = 0;
  std::uint64_t skipped = 0;   ///< completions after which nothing was decided
  std::uint64_t refilled = 0;  ///< completions after which only the freed share was handed out
  std::uint64_t refusals = 0;  ///< operations that found no share for some job
  std::uint64_t predictions = 0;
  std::uint64_t predictor_calls = 0;
  std::uint64_t share_changes = 0;  ///< of active jobs, in operations
};

/// What a simulation of shares saw, application by application. Those that wait for a late job count as released.
template <std::size_t MaxTasks>
struct share_observation : simulation_result<MaxTasks> {
  share_effort effort{};
  inline_vector<share_activity, MaxTasks> activities{};

  [[nodiscard]] constexpr auto without_miss() const noexcept -> std::size_t {
    std::size_t n = 0;
    for (const auto& t : this->tasks) { n += t.misses == 0 ? 1U : 0U; }
    return n;
  }
};

}  // namespace takt
