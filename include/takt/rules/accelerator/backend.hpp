// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/accelerator/job_order.hpp>

namespace takt::inline TAKT_ABI {

/// Says where a kernel goes: to one core or, with `unassigned_core`, to all of them. Of the kernels that share a core
/// the one on the highest level runs, from the end of a wave of the lower one on.
struct kernel_placement {
  std::int32_t core = unassigned_core;
  std::int32_t level = 0;

  [[nodiscard]] friend constexpr auto operator==(const kernel_placement&, const kernel_placement&) noexcept
      -> bool = default;
};

/// One stream for each core and level, and one for each level of the kernels that need all cores. Kernels in one stream
/// run in the order of their submission, so two cores may not share one.
struct stream_layout {
  std::int32_t cores = 1;
  std::int32_t levels = 1;

  [[nodiscard]] constexpr auto count() const noexcept -> std::int32_t { return (cores + 1) * levels; }
  [[nodiscard]] constexpr auto stream_of(const kernel_placement& p) const noexcept -> std::int32_t {
    return (p.core == unassigned_core ? cores : p.core) * levels + p.level;
  }
  /// Returns the level of a stream; the larger one goes first.
  [[nodiscard]] constexpr auto level_of(std::int32_t stream) const noexcept -> std::int32_t { return stream % levels; }
};

/// Holds for what carries out the decisions of a scheduler: a simulated accelerator, or streams of a device.
///
/// - `submit(k, where)`: the job of k starts or goes on there.
/// - `request_yield(k)`: the submitted job of k shall stop at the end of its wave. The host answers with `yielded`, or
///   with `complete` if that was the last wave; it never calls back from within.
template <class B>
concept AcceleratorBackend = requires(B b, kernel_id k, const kernel_placement& where) {
  b.submit(k, where);
  b.request_yield(k);
};

namespace detail {

enum class accelerator_command_kind : std::uint8_t { submit, request_yield };

struct accelerator_command {
  accelerator_command_kind what = accelerator_command_kind::submit;
  kernel_id kernel = no_kernel;
  kernel_placement where{};

  [[nodiscard]] friend constexpr auto operator==(const accelerator_command&, const accelerator_command&) noexcept
      -> bool = default;
};

/// Notes commands for later. One rescheduling gives each kernel at most one command. Pre: `clear` comes between two of
/// them.
template <std::size_t MaxTasks>
class command_list {
 public:
  constexpr void submit(kernel_id k, const kernel_placement& where) noexcept {
    TAKT_EXPECTS(!commands_.full());
    commands_.unchecked_push_back({accelerator_command_kind::submit, k, where});  // Bound: one per kernel.
  }
  constexpr void request_yield(kernel_id k) noexcept {
    TAKT_EXPECTS(!commands_.full());
    commands_.unchecked_push_back({accelerator_command_kind::request_yield, k, {}});  // Bound: one per kernel.
  }
  constexpr void clear() noexcept { commands_.clear(); }
  [[nodiscard]] constexpr auto commands() const noexcept -> const inline_vector<accelerator_command, MaxTasks>& {
    return commands_;
  }

 private:
  inline_vector<accelerator_command, MaxTasks> commands_;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
