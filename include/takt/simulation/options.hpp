// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <takt/core/duration.hpp>

namespace takt {

enum class release_pattern : std::uint8_t {
  periodic,     ///< at its offset and then exactly one period apart
  sporadic,     ///< at least one period apart, every other release with a random delay of up to a period more
  adversarial,  ///< legal sporadic releases that are steered towards bad coincidences
};
[[nodiscard]] constexpr auto is_known(release_pattern e) noexcept -> bool {
  switch (e) {
    case release_pattern::periodic:
    case release_pattern::sporadic:
    case release_pattern::adversarial: return true;
  }
  return false;
}

enum class execution_times : std::uint8_t {
  lower,
  upper,
  random,  ///< each segment by itself: often its lower bound, often its upper bound, else anything between
};
[[nodiscard]] constexpr auto is_known(execution_times e) noexcept -> bool {
  switch (e) {
    case execution_times::lower:
    case execution_times::upper:
    case execution_times::random: return true;
  }
  return false;
}

[[nodiscard]] constexpr auto is_adversarial(release_pattern p) noexcept -> bool {
  switch (p) {
    case release_pattern::periodic:
    case release_pattern::sporadic: return false;
    case release_pattern::adversarial: return true;
  }
  return false;
}
[[nodiscard]] constexpr auto is_sporadic(release_pattern p) noexcept -> bool {
  switch (p) {
    case release_pattern::sporadic: return true;
    case release_pattern::periodic:
    case release_pattern::adversarial: return false;
  }
  return false;
}

[[nodiscard]] constexpr auto is_full(execution_times e) noexcept -> bool {
  switch (e) {
    case execution_times::lower:
    case execution_times::random: return false;
    case execution_times::upper: return true;
  }
  return false;
}

struct simulation_options {
  duration horizon = duration{1'000'000'000};  ///< releases are before it, completions not after it
  release_pattern releases = release_pattern::periodic;
  execution_times execution = execution_times::upper;
  std::uint64_t seed = 1;
  bool stop_at_first_miss = false;
  std::span<const duration> offsets{};  ///< of periodic tasks, in the given order; 0 for those beyond its end
};

[[nodiscard]] constexpr auto name_of(release_pattern p) noexcept -> std::string_view {
  switch (p) {
    case release_pattern::periodic: return "periodic";
    case release_pattern::sporadic: return "sporadic";
    case release_pattern::adversarial: return "adversarial";
  }
  return "";
}

[[nodiscard]] constexpr auto name_of(execution_times e) noexcept -> std::string_view {
  switch (e) {
    case execution_times::lower: return "lower";
    case execution_times::upper: return "upper";
    case execution_times::random: return "random";
  }
  return "";
}

}  // namespace takt
