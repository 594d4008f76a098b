// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// Says when a task takes its inputs and gives its outputs to others.
enum class communication : std::uint8_t {
  implicit,  ///< copies its inputs when a job starts, and gives its outputs when it ends
  direct,    ///< reads and writes at any time while a job runs, what follows from an input after it: "explicit"
  let,       ///< logical execution time: takes inputs at the release, gives outputs at a fixed time after it
};
[[nodiscard]] constexpr auto name_of(communication c) noexcept -> std::string_view {
  switch (c) {
    case communication::implicit: return "implicit";
    case communication::direct: return "explicit";
    case communication::let: return "let";
  }
  return "";
}
[[nodiscard]] constexpr auto has_fixed_times(communication c) noexcept -> bool {
  switch (c) {
    case communication::implicit:
    case communication::direct: return false;
    case communication::let: return true;
  }
  return false;
}

/// A clock that no other stage of a chain shares.
inline constexpr std::int32_t own_clock = -1;

/// Holds what a cause-effect chain has to know of one of its tasks. Jobs are released at `offset` and then a period
/// apart, up to their jitter later; `response` is the bound that an analysis gives, from the nominal release.
struct chain_stage {
  ticks period = 0;  ///< of a sporadic task the longest time between two releases
  ticks response = 0;
  communication how = communication::implicit;
  ticks let_interval = 0;  ///< from release to output under LET; 0: the period
  ticks offset = 0;        ///< by its clock
  /// Stages of the same clock keep their offsets to each other for ever. Those of a sporadic task keep none.
  std::int32_t clock = 0;
  /// No job of this task starts while an older job of the stage before it has not ended. Neither stage is LET, and they
  /// share one processor. The stage before is more urgent and never suspends itself. Every job takes time.
  bool waits_for_producer = false;

  /// Returns the time from the nominal release until the output is certainly there.
  [[nodiscard]] constexpr auto output_delay() const noexcept -> ticks {
    if (!has_fixed_times(how)) { return response; }
    return let_interval > 0 ? let_interval : period;
  }
};

enum class chain_status : std::uint8_t {
  bounded,
  empty,                    ///< no stage
  period_not_positive,      ///< also of a sporadic task whose releases may be any time apart
  response_negative,        ///< or a LET interval or offset is
  let_interval_exceeded,    ///< a response bound is longer than the interval after which the output is given
  producer_not_waited_for,  ///< a stage waits for a producer that is not there, or one of the two is LET
  overflow,
};
[[nodiscard]] constexpr auto name_of(chain_status s) noexcept -> std::string_view {
  switch (s) {
    case chain_status::bounded: return "bounded";
    case chain_status::empty: return "empty";
    case chain_status::period_not_positive: return "period-not-positive";
    case chain_status::response_negative: return "response-negative";
    case chain_status::let_interval_exceeded: return "let-interval-exceeded";
    case chain_status::producer_not_waited_for: return "producer-not-waited-for";
    case chain_status::overflow: return "overflow";
  }
  return "";
}

/// Says why a chain cannot be bounded, and the first stage that causes it; `bounded` where there is no fault.
struct chain_fault {
  chain_status status = chain_status::bounded;
  std::size_t stage = 0;

  [[nodiscard]] friend constexpr auto operator==(const chain_fault&, const chain_fault&) noexcept -> bool = default;
};

namespace detail {

[[nodiscard]] constexpr auto find_fault(std::span<const chain_stage> stages) noexcept -> chain_fault {
  if (stages.empty()) { return {chain_status::empty, 0}; }
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const chain_stage& s = stages[i];
    if (s.period < 1) { return {chain_status::period_not_positive, i}; }
    if (s.response < 0 || s.let_interval < 0 || s.offset < 0) { return {chain_status::response_negative, i}; }
    if (has_fixed_times(s.how) && s.response > s.output_delay()) { return {chain_status::let_interval_exceeded, i}; }
    const bool both = i > 0 && !has_fixed_times(s.how) && !has_fixed_times(stages[i - 1].how);
    if (s.waits_for_producer && !both) { return {chain_status::producer_not_waited_for, i}; }
  }
  return {};
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
