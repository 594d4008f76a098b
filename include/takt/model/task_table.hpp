// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/sm_power.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/task_attributes.hpp>

namespace takt::inline TAKT_ABI {

/// One element of a chain as plain values. For a kernel `time` is its work, or unused where it is tabulated.
template <ExactNumber Number>
struct segment_record {
  stage where = stage::cpu;
  copy_direction direction = copy_direction::unspecified;
  interval<Number> time{};
  Number overhead{};
  std::int64_t interleave_numerator = unsaid_interleave;
  std::int64_t interleave_denominator = 1;
  std::uint32_t first_sample = 0;
  std::uint32_t samples = 0;
  bool any_neighbour = true;  ///< the interleave ratio holds beside kernels of other tasks too
};

template <ExactNumber Number>
struct task_record {
  std::string_view name;
  Number period{};
  Number deadline{};
  std::int32_t priority = no_priority;
  std::int32_t core = 0;
  bool is_placed = true;  ///< the core was named; else `planned_table` may choose another one
  std::uint32_t id = 0;   ///< position in the order in which the tasks were given
  std::uint32_t first_segment = 0;
  std::uint32_t segment_count = 0;
  Number later_deadline{};  ///< after the period, where `deadline` is what a method has to prove; 0: none

  /// Returns the deadline that was given, by which orders go.
  [[nodiscard]] constexpr auto ordering_deadline() const -> Number {
    return Number(0) < later_deadline ? later_deadline : deadline;
  }
};

/// A task set as flat values: what analyses, searches, the simulator and the runtime read. Tasks stand in priority
/// order, highest first, once `prioritize` has run, and in the given order before; their chains lie back to back.
/// A typed task set flattens into one, and so does a file.
template <ExactNumber Number, std::size_t MaxTasks, std::size_t MaxSegments, std::size_t MaxSamples = 0>
struct task_table {
  using number = Number;
  static constexpr std::size_t max_tasks = MaxTasks;
  static constexpr std::size_t max_segments = MaxSegments;
  static constexpr std::size_t max_samples = MaxSamples;

  inline_vector<task_record<Number>, MaxTasks> tasks;
  inline_vector<segment_record<Number>, MaxSegments> segments;
  inline_vector<interval<Number>, MaxSamples> samples;

  /// Opens the next task; its segments follow by `add_segment`. False when full.
  constexpr auto add_task(std::string_view name, const Number& period, const Number& deadline,
                          std::int32_t priority = no_priority, std::int32_t core = 0) -> bool {
    return tasks.try_push_back({name, period, deadline, priority, core, true, static_cast<std::uint32_t>(tasks.size()),
                                static_cast<std::uint32_t>(segments.size()), 0});
  }
  /// Appends to the chain of the task added last. Pre: there is one. False when full.
  constexpr auto add_segment(const segment_record<Number>& s) -> bool {
    TAKT_EXPECTS(!tasks.empty());
    if (!segments.try_push_back(s)) { return false; }
    ++tasks.back().segment_count;
    return true;
  }

  /// A table stands wherever a typed task set does.
  template <std::same_as<Number> N = Number>
  [[nodiscard]] constexpr auto table() const -> const task_table& {
    return *this;
  }

  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return tasks.size(); }
  /// Pre: the task is there, and has so many segments.
  [[nodiscard]] constexpr auto segment(std::size_t task, std::size_t position) const noexcept
      -> const segment_record<Number>& {
    TAKT_EXPECTS(task < tasks.size() && position < tasks[task].segment_count);
    return segments[tasks[task].first_segment + position];
  }
  [[nodiscard]] constexpr auto count(std::size_t task, stage where) const noexcept -> std::size_t {
    std::size_t n = 0;
    for (std::size_t j = 0; j < tasks[task].segment_count; ++j) { n += segment(task, j).where == where ? 1U : 0U; }
    return n;
  }
  [[nodiscard]] constexpr auto has_kernel(std::size_t task) const noexcept -> bool {
    return count(task, stage::kernel) > 0;
  }
  /// Returns the number of tasks with at least one kernel.
  [[nodiscard]] constexpr auto gpu_tasks() const noexcept -> std::size_t {
    std::size_t n = 0;
    for (std::size_t i = 0; i < size(); ++i) { n += has_kernel(i) ? 1U : 0U; }
    return n;
  }

  /// Computes the bounds of a kernel on a share of some GPU; false on overflow or for an invalid speed. Pre: `s` is a
  /// kernel of this table; power.virtual_sms >= 1.
  [[nodiscard]] constexpr auto kernel_bounds(const segment_record<Number>& s, const sm_power& power,
                                             interval<Number>& out) const -> bool {
    TAKT_EXPECTS(s.where == stage::kernel && power.virtual_sms >= 1);
    TAKT_EXPECTS(s.samples <= samples.size() && s.first_sample <= samples.size() - s.samples);
    if (s.samples == 0) {
      const interleave_ratio ratio = ratio_on(power.virtual_per_sm, s.interleave_numerator, s.interleave_denominator);
      return divisible_work_bounds(s.time, s.overhead, ratio.numerator, ratio.denominator, power, out);
    }
    const auto rows = s.samples;
    const auto n = static_cast<std::uint32_t>(power.virtual_sms);
    return detail::times_at_speed(samples[s.first_sample + (n < rows ? n : rows) - 1], power.speed, out);
  }
};

}  // namespace takt::inline TAKT_ABI
