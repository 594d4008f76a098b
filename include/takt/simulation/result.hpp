// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <takt/core/checked.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>

namespace takt {

enum class simulation_status : std::uint8_t { no_miss, missed, invalid_model };

[[nodiscard]] constexpr auto name_of(simulation_status s) noexcept -> std::string_view {
  switch (s) {
    case simulation_status::no_miss: return "no-miss";
    case simulation_status::missed: return "missed";
    case simulation_status::invalid_model: return "invalid-model";
  }
  return "";
}

inline constexpr ticks no_instant = -1;

/// What a task went through. Responses are those of completed jobs; a miss counts whether or not the job completed.
struct simulated_task {
  std::string_view name;
  std::uint64_t released = 0;
  std::uint64_t completed = 0;
  std::uint64_t misses = 0;
  ticks worst_response = 0;
  ticks total_response = 0;         ///< stays at the largest value when it would overflow
  ticks first_miss = no_instant;    ///< the first deadline that passed
  std::uint32_t first_segment = 0;  ///< of its worst segment responses
  std::uint32_t segment_count = 0;

  /// Rounded down; 0 when no job completed.
  [[nodiscard]] constexpr auto mean_response() const noexcept -> ticks {
    return completed == 0 ? 0 : total_response / static_cast<ticks>(completed);
  }
};

/// What a simulation observed. Tasks stand in the order in which they were given.
template <std::size_t MaxTasks, std::size_t MaxSegments>
struct simulation_result {
  model_error error{};
  ticks end = 0;  ///< the horizon, or the instant of the first miss if that stopped it
  inline_vector<simulated_task, MaxTasks> tasks;
  inline_vector<ticks, MaxSegments> segment_responses;

  [[nodiscard]] constexpr auto status() const noexcept -> simulation_status {
    if (error) { return simulation_status::invalid_model; }
    return misses() == 0 ? simulation_status::no_miss : simulation_status::missed;
  }
  [[nodiscard]] constexpr auto misses() const noexcept -> std::uint64_t {
    std::uint64_t n = 0;
    for (const simulated_task& t : tasks) { n += t.misses; }
    return n;
  }
  [[nodiscard]] constexpr auto completed() const noexcept -> std::uint64_t {
    std::uint64_t n = 0;
    for (const simulated_task& t : tasks) { n += t.completed; }
    return n;
  }
  /// Longest time from the instant at which a segment could start to its end; 0 if it never took any.
  [[nodiscard]] constexpr auto segment_response(std::size_t task, std::size_t position) const noexcept -> ticks {
    return segment_responses[tasks[task].first_segment + position];
  }
};

}  // namespace takt
