// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/core/choice.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/late_handling.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI {

enum class release_pattern : std::uint8_t {
  periodic,     ///< at its offset and then exactly one period apart
  sporadic,     ///< at least one period apart, every other release with a random delay of up to a period more
  adversarial,  ///< legal sporadic releases that are steered towards bad coincidences
};
[[nodiscard]] constexpr auto last_of(release_pattern) noexcept -> release_pattern {
  return release_pattern::adversarial;
}

enum class execution_times : std::uint8_t {
  lower,
  upper,
  random,  ///< each segment by itself: often its lower bound, often its upper bound, else anything between
};
[[nodiscard]] constexpr auto last_of(execution_times) noexcept -> execution_times { return execution_times::random; }

[[nodiscard]] constexpr auto is_periodic(release_pattern p) noexcept -> bool {
  switch (p) {
    case release_pattern::periodic: return true;
    case release_pattern::sporadic:
    case release_pattern::adversarial: return false;
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

/// Says how a system is simulated. A simulation refuses what it does not use by `option_unused`, named in `name`.
struct simulation_options {
  /// Releases are before it; on boards that are composed of the rules of their pools, also at it.
  duration horizon = duration{1'000'000'000};
  release_pattern releases = release_pattern::periodic;
  execution_times execution = execution_times::upper;
  std::uint64_t seed = 1;  ///< of everything that is random
  bool stop_at_first_miss = false;
  std::span<const duration> offsets{};    ///< of periodic tasks, in the given order; 0 for those beyond its end
  std::span<const duration> deadlines{};  ///< of graphs, which state none; 0, and for those beyond its end: none
  /// Lists when the process is stopped; ascending, and stops do not touch. Not for jobs on shares, nor for typed chains
  /// on boards that a published method knows.
  std::span<const stall> stalls{};
  late_handling on_late = late_handling::catch_up;
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

namespace simulation {

/// Times above it, some 36 years in nanoseconds, are refused, so that no sum of a few of them overflows.
inline constexpr ticks longest_time = ticks{1} << 60;

/// Options beyond those that every simulation uses.
struct option_parts {
  bool stop_at_first_miss = false;
  bool deadlines = false;
  bool stalls = false;
};

namespace detail {

[[nodiscard]] constexpr auto unused(std::string_view option) noexcept -> model_error {
  return {.fault = model_fault::option_unused, .name = option};
}

/// Returns what is wrong with one time per task.
[[nodiscard]] constexpr auto times_fault(std::span<const duration> times, std::size_t tasks,
                                         std::string_view option) noexcept -> model_error {
  if (times.size() > tasks) { return unused(option); }
  for (std::uint32_t i = 0; i < times.size(); ++i) {
    if (times[i].count() < 0) { return {.fault = model_fault::negative_time, .task = i}; }
    if (times[i].count() > longest_time) { return {.fault = model_fault::time_overflow, .task = i}; }
  }
  return {};
}

/// Returns what is wrong with the releases and the execution times that options ask for.
template <class Options>
[[nodiscard]] constexpr auto releases_fault(const Options& o, std::size_t tasks) noexcept -> model_error {
  if (!is_known(o.releases) || !is_known(o.execution)) { return {.fault = model_fault::choice_out_of_range}; }
  if (o.horizon.count() < 0) { return {.fault = model_fault::negative_time}; }
  if (o.horizon.count() > longest_time) { return {.fault = model_fault::time_overflow}; }
  if (!o.offsets.empty() && !is_periodic(o.releases)) { return unused("offsets"); }
  return times_fault(o.offsets, tasks, "offsets");
}

}  // namespace detail

/// Returns what is wrong with options for so many tasks, or which option has no effect.
[[nodiscard]] constexpr auto options_fault(const simulation_options& o, std::size_t tasks,
                                           const option_parts& used) noexcept -> model_error {
  if (const auto error = detail::releases_fault(o, tasks)) { return error; }
  if (o.stop_at_first_miss && !used.stop_at_first_miss) { return detail::unused("stop_at_first_miss"); }
  if (!o.deadlines.empty() && !used.deadlines) { return detail::unused("deadlines"); }
  if (!o.stalls.empty() && !used.stalls) { return detail::unused("stalls"); }
  if (drops_releases(o.on_late) && !used.stalls) { return detail::unused("on_late"); }
  if (!is_known(o.on_late)) { return {.fault = model_fault::choice_out_of_range}; }
  if (!are_apart(o.stalls)) { return {.fault = model_fault::time_overflow, .name = "stalls"}; }
  return detail::times_fault(o.deadlines, tasks, "deadlines");
}

}  // namespace simulation

}  // namespace takt::inline TAKT_ABI
