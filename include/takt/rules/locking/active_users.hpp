// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/model/gpu_topology.hpp>

namespace takt::inline TAKT_ABI {

/// The GPU that each task used last or uses now, and how many tasks that makes per GPU. Source: Elliott 2015, section
/// 3.2.3.2.
template <std::size_t MaxTasks, std::size_t MaxGpus>
class active_users {
 public:
  constexpr active_users() noexcept { last_.fill(no_gpu); }

  /// A job of the task got a token of this GPU. Pre: both are below their capacities.
  constexpr void acquired(std::size_t task, std::int32_t gpu) noexcept {
    TAKT_EXPECTS(task < MaxTasks && 0 <= gpu && static_cast<std::size_t>(gpu) < MaxGpus);
    exited(task);
    last_[task] = gpu;
    ++users_[static_cast<std::size_t>(gpu)];
  }
  /// The task has ended and will not ask again. Pre: task < MaxTasks.
  constexpr void exited(std::size_t task) noexcept {
    TAKT_EXPECTS(task < MaxTasks);
    if (last_[task] != no_gpu) { --users_[static_cast<std::size_t>(last_[task])]; }
    last_[task] = no_gpu;
  }

  /// Returns the GPU that a task used last; `no_gpu` before its first token. Pre: task < MaxTasks.
  [[nodiscard]] constexpr auto preferred(std::size_t task) const noexcept -> std::int32_t {
    TAKT_EXPECTS(task < MaxTasks);
    return last_[task];
  }
  [[nodiscard]] constexpr auto per_gpu() const noexcept -> std::span<const std::int32_t> { return users_; }

 private:
  std::array<std::int32_t, MaxTasks> last_{};
  std::array<std::int32_t, MaxGpus> users_{};
};

}  // namespace takt::inline TAKT_ABI
