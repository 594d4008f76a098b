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

/// What a kernel went through. Responses are those of completed jobs; late and incomplete jobs are misses.
template <ExactNumber Number>
struct simulated_kernel {
  std::string_view name;
  std::int64_t released = 0;
  std::int64_t completed = 0;
  std::int64_t misses = 0;
  Number worst_response{};
};

/// What a simulation observed. Kernels stand in the order in which they were given.
template <ExactNumber Number, std::size_t MaxTasks>
struct accelerator_result {
  model_error error{};
  Number end{};  ///< the last instant
  inline_vector<simulated_kernel<Number>, MaxTasks> tasks{};

  [[nodiscard]] constexpr auto status() const noexcept -> simulation_status {
    if (error) { return simulation_status::invalid_model; }
    return misses() == 0 ? simulation_status::no_miss : simulation_status::missed;
  }
  [[nodiscard]] constexpr auto misses() const noexcept -> std::int64_t {
    std::int64_t n = 0;
    for (const auto& t : tasks) { n += t.misses; }
    return n;
  }
  [[nodiscard]] constexpr auto completed() const noexcept -> std::int64_t {
    std::int64_t n = 0;
    for (const auto& t : tasks) { n += t.completed; }
    return n;
  }
};

}  // namespace takt::simulation
