// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <takt/core/number.hpp>
#include <takt/model/task_attributes.hpp>
#include <takt/model/task_rows.hpp>

namespace takt::inline TAKT_ABI {

/// Says how much of an accelerator a kernel asks for.
enum class kernel_width : std::uint8_t {
  one_core,   ///< one SM, which it is pinned to
  all_cores,  ///< every SM at once
};
[[nodiscard]] constexpr auto last_of(kernel_width) noexcept -> kernel_width { return kernel_width::all_cores; }
[[nodiscard]] constexpr auto needs_all_cores(kernel_width e) noexcept -> bool {
  switch (e) {
    case kernel_width::one_core: return false;
    case kernel_width::all_cores: return true;
  }
  return false;
}

/// The core of a kernel that is not placed yet, or needs all cores.
inline constexpr std::int32_t unassigned_core = -1;

/// A recurrent kernel of an accelerator whose preemption is limited (Zahaf and Lipari 2020, section 4).
template <ExactNumber Number>
struct accelerator_task {
  using number = Number;
  static constexpr bool forms_task_set = true;

  std::string_view name;
  Number wcet{};  ///< with all cores that it asks for; the copies of its data are part of it
  Number period{};
  Number deadline{};
  Number
      preemption_cost{};  ///< longest time of one wave of blocks, at whose end the kernel can be stopped; 0: anywhere
  kernel_width width = kernel_width::one_core;
  std::int32_t core = unassigned_core;
  std::int32_t priority = no_priority;
  std::uint32_t id = 0;  ///< position in the order in which the tasks were given
};

/// An accelerator of so many cores (SMs), whose hardware nests at most so many started kernels on each.
struct accelerator_record {
  std::int32_t cores = 1;
  std::int32_t preemption_levels = 2;
};

/// Time on an accelerator that recurs: [offset + k period, offset + k period + budget) for all whole k.
template <ExactNumber Number>
struct slot_reservation {
  Number offset{};
  Number budget{};
  Number period{};
};

/// Says what a preemption costs, and which kernel pays (Zahaf and Lipari 2020, sections 2 and 6.2; three readings).
enum class preemption_cost_model : std::uint8_t {
  ideal,     ///< it runs to the end of its wave, then the next job follows at once
  race,      ///< the hardware resumes the kernel below for one wave before the host has submitted the next job
  overhead,  ///< preemption is immediate and wastes the preempted kernel's cost
};
[[nodiscard]] constexpr auto last_of(preemption_cost_model) noexcept -> preemption_cost_model {
  return preemption_cost_model::overhead;
}
namespace detail {

/// Returns whether a preempted kernel first runs to the end of its wave, so that the cost is a piece of its own time.
[[nodiscard]] constexpr auto costs_a_wave(preemption_cost_model model) noexcept -> bool {
  switch (model) {
    case preemption_cost_model::ideal:
    case preemption_cost_model::race: return true;
    case preemption_cost_model::overhead: return false;
  }
  return false;
}

}  // namespace detail

/// A set whose tasks are kernels of an accelerator.
template <class T>
concept AcceleratorTaskSet = TaskSet<T> && detail::RowsOf<T, accelerator_task<ticks>>;

}  // namespace takt::inline TAKT_ABI
