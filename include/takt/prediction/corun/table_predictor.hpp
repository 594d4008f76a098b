// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/model/shares/wcet_row.hpp>

namespace takt::inline TAKT_ABI {

/// Answers with the longest time ever recorded: per application, set of co-runners and step of the own share. What was
/// recorded at some share counts from the step that begins at or above it, since with more an application is not
/// slower. `Steps`: a divisor of 100. Memory: tasks x 2^tasks x steps times, in place.
template <std::size_t MaxTasks, std::size_t Steps = 20>
class table_predictor {
  static_assert(MaxTasks >= 1 && MaxTasks <= 12,
                "takt: a table of all sets of co-runners is too large; use 1 to 12 tasks. See docs/errors.md#E55");
  static_assert(
      Steps >= 1 && 100 % Steps == 0,
      "takt: steps of the share do not divide 100; use 1, 2, 4, 5, 10, 20, 25, 50 or 100. See docs/errors.md#E56");

 public:
  /// Returns false, with no change, for an unknown task, no share, or a time below 1. `load`: a range of {task, held}.
  template <class Load>
  [[nodiscard]] constexpr auto record(std::size_t task, share own, const Load& load, ticks time) noexcept -> bool {
    std::size_t set = 0;
    if (task >= MaxTasks || own == no_share || time < 1 || !set_of(task, load, set)) { return false; }
    const std::size_t step = (static_cast<std::size_t>(own.percent()) + width - 2) / width;
    if (step >= Steps) { return true; }
    ticks& cell = times_[task][set][step];
    cell = time > cell ? time : cell;
    return true;
  }

  /// Returns the time from the nearest recorded step at or below the own share; `unbounded_time` if there is none.
  template <class Load>
  [[nodiscard]] constexpr auto predict(std::size_t task, share own, const Load& load) const noexcept -> ticks {
    std::size_t set = 0;
    if (task >= MaxTasks || own == no_share || !set_of(task, load, set)) { return unbounded_time; }
    return longest(task, set, own);
  }

  /// Returns the longest over all sets among `others`, each of which must have been recorded.
  template <class Load>
  [[nodiscard]] constexpr auto predict_worst(std::size_t task, share own, const Load& others) const noexcept -> ticks {
    std::size_t all = 0;
    for (const auto& other : others) {
      if (other.task >= MaxTasks || other.task == task) { return unbounded_time; }
      all |= std::size_t{1} << other.task;
    }
    if (task >= MaxTasks || own == no_share) { return unbounded_time; }
    ticks worst = longest(task, 0, own);
    for (std::size_t set = all; set != 0; set = (set - 1) & all) {
      const ticks time = longest(task, set, own);
      worst = time > worst ? time : worst;
    }
    return worst;
  }

 private:
  static constexpr std::size_t width = 100 / Steps;
  static constexpr std::size_t sets = std::size_t{1} << MaxTasks;

  /// Adds to `set` those that hold something. Returns false for an unknown task, or the task itself.
  template <class Load>
  [[nodiscard]] static constexpr auto set_of(std::size_t task, const Load& load, std::size_t& set) noexcept -> bool {
    for (const auto& other : load) {
      if (other.task >= MaxTasks || other.task == task) { return false; }
      if (other.held != no_share) { set |= std::size_t{1} << other.task; }
    }
    return true;
  }

  [[nodiscard]] constexpr auto longest(std::size_t task, std::size_t set, share own) const noexcept -> ticks {
    for (std::size_t step = (static_cast<std::size_t>(own.percent()) - 1) / width + 1; step > 0; --step) {
      if (times_[task][set][step - 1] > 0) { return times_[task][set][step - 1]; }
    }
    return unbounded_time;
  }

  std::array<std::array<std::array<ticks, Steps>, sets>, MaxTasks> times_{};
};

}  // namespace takt::inline TAKT_ABI
