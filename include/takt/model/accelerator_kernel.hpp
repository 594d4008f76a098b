// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <takt/core/duration.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/task_types.hpp>

namespace takt::inline TAKT_ABI {

/// A kernel as a scheduler of whole kernels sees it: one time, and what it costs to stop it.
struct accelerator_kernel {
  using is_whole_task = void;
  static constexpr stage where = stage::kernel;
  duration wcet;
  duration preemption_cost;
  kernel_width width = kernel_width::all_cores;
  std::int32_t core = unassigned_core;
  bool cost_given = false;  ///< else nothing is known of how it stops

  /// Returns what stopping costs at most: where it is not said, the kernel runs to its end.
  [[nodiscard]] constexpr auto cost_to_stop() const noexcept -> duration { return cost_given ? preemption_cost : wcet; }
};

struct kernel_wcet {
  static constexpr std::string_view name = "wcet";
  duration time;
};
struct kernel_preemption_cost {
  static constexpr std::string_view name = "preemption_cost";
  duration time;
};
struct kernel_pinning {
  static constexpr std::string_view name = "on_sm";
  kernel_width width = kernel_width::all_cores;
  std::int32_t core = unassigned_core;
};

/// States the longest time of a kernel that has all the cores it asks for. The copies of its data are part of it: on an
/// accelerator they are no segments of their own.
[[nodiscard]] constexpr auto wcet(duration upper) noexcept -> kernel_wcet { return {upper}; }

/// States the longest time until a kernel that should stop does: one wave of its blocks.
[[nodiscard]] constexpr auto preemption_cost(duration upper) noexcept -> kernel_preemption_cost { return {upper}; }

/// States the one core (SM) that the kernel runs on. A kernel without it needs all of them at once.
[[nodiscard]] constexpr auto on_sm(std::int32_t core) noexcept -> kernel_pinning {
  return {kernel_width::one_core, core < 0 ? unassigned_core - 1 : core};
}

[[nodiscard]] constexpr auto kernel(kernel_wcet c, kernel_preemption_cost p, kernel_pinning at = {}) noexcept
    -> accelerator_kernel {
  return {c.time, p.time, at.width, at.core, true};
}
[[nodiscard]] constexpr auto kernel(kernel_wcet c, kernel_pinning at = {}) noexcept -> accelerator_kernel {
  return {c.time, {}, at.width, at.core, false};
}

namespace detail {

template <class T>
inline constexpr bool is_accelerator_task = false;
template <>
inline constexpr bool is_accelerator_task<typed_task<accelerator_kernel>> = true;

/// A task that is one kernel for an accelerator.
template <class T>
concept AcceleratorTask = Task<T> && detail::is_accelerator_task<T>;

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
