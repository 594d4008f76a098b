// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/rules/accelerator/core_streams.hpp>
#include <takt/rules/accelerator/strategy.hpp>

namespace takt::inline TAKT_ABI {

/// SMs as cores in turns: pinned kernels run while the slot of their core is open, kernels that need all cores while
/// theirs is. A kernel that runs when its slot closes is asked to yield. Source: Zahaf and Lipari 2020, section 6.3.
template <std::size_t MaxTasks, std::size_t MaxCores>
class slotted_cores {
 public:
  static constexpr std::size_t max_tasks = MaxTasks;
  static constexpr std::size_t max_cores = MaxCores;

  /// All slots are closed. Pre: 1 <= cores <= MaxCores, levels >= 1.
  constexpr explicit slotted_cores(std::int32_t cores, std::int32_t levels = 1) noexcept : streams_{cores, levels} {
    TAKT_EXPECTS(1 <= cores && static_cast<std::size_t>(cores) <= MaxCores && levels >= 1);
    open_.fill(false);
  }

  [[nodiscard]] constexpr auto cores() const noexcept -> std::int32_t { return streams_.cores(); }
  [[nodiscard]] constexpr auto levels() const noexcept -> std::int32_t { return streams_.levels(); }

  constexpr void set_open(std::int32_t core, bool open) noexcept { open_[streams_.lane_of(core)] = open; }
  /// Returns the most important incomplete job of a core or, with `unassigned_core`, of those that need all.
  [[nodiscard]] constexpr auto head(std::int32_t core) const noexcept -> kernel_id {
    return streams_.head(streams_.lane_of(core));
  }
  [[nodiscard]] constexpr auto is_open(std::int32_t core) const noexcept -> bool {
    return open_[streams_.lane_of(core)];
  }

  template <detail::JobPoint Point>
  constexpr void enqueue(kernel_id k, std::int32_t core, const job_orders<Point, MaxTasks>& orders) {
    streams_.enqueue(k, core, orders);
  }
  constexpr void complete(kernel_id k) noexcept { streams_.complete(k); }
  constexpr void yielded(kernel_id k) noexcept { streams_.yielded(k); }

  /// Pre: the slot of all cores is not open together with that of one.
  template <detail::JobPoint Point, AcceleratorBackend Backend>
  constexpr void decide(const job_orders<Point, MaxTasks>& /*orders*/, Backend& backend) {
    auto wanted = streams_.nothing();
    for (std::size_t lane = 0; lane <= streams_.gang_lane(); ++lane) {
      TAKT_EXPECTS(!open_[lane] || !open_[streams_.gang_lane()] || lane == streams_.gang_lane());
      if (open_[lane]) { wanted[lane] = streams_.head(lane); }
    }
    streams_.bring_about(wanted, backend);
  }

  [[nodiscard]] friend constexpr auto operator==(const slotted_cores&, const slotted_cores&) noexcept -> bool = default;

 private:
  core_streams<MaxTasks, MaxCores> streams_;
  std::array<bool, MaxCores + 1> open_{};
};

}  // namespace takt::inline TAKT_ABI
