// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/core/to_index.hpp>
#include <takt/rules/accelerator/backend.hpp>
#include <takt/rules/accelerator/job_order.hpp>
#include <takt/rules/accelerator/job_queues.hpp>

namespace takt::inline TAKT_ABI {

/// The common part of strategies that treat SMs as cores. It holds the queues of the cores and of the kernels that need
/// all cores, and what has been submitted from each. A lane is a core or, after the last one, all of them.
///
/// A strategy says which kernel each lane shall run; `bring_about` issues the commands for it. A better kernel is
/// submitted above those of its lane while a level is left, else it waits until the topmost has yielded. A kernel for
/// all cores is submitted only when no pinned kernel is, and the other way round.
template <std::size_t MaxTasks, std::size_t MaxCores>
class core_streams {
 public:
  /// Per lane the kernel that shall run, or `no_kernel`.
  using choice = std::array<kernel_id, MaxCores + 1>;

  /// Pre: 1 <= cores <= MaxCores, levels >= 1.
  constexpr core_streams(std::int32_t cores, std::int32_t levels) noexcept : cores_{cores}, levels_{levels} {
    TAKT_EXPECTS(1 <= cores && static_cast<std::size_t>(cores) <= MaxCores && levels >= 1);
    lane_.fill(0);
    level_.fill(not_submitted);
    leaving_.fill(false);
  }

  [[nodiscard]] constexpr auto cores() const noexcept -> std::int32_t { return cores_; }
  [[nodiscard]] constexpr auto levels() const noexcept -> std::int32_t { return levels_; }
  /// Pre: a core, or `unassigned_core`.
  [[nodiscard]] constexpr auto lane_of(std::int32_t core) const noexcept -> std::size_t {
    TAKT_EXPECTS(core == unassigned_core || (0 <= core && core < cores_));
    return to_index(core == unassigned_core ? cores_ : core);
  }
  [[nodiscard]] constexpr auto gang_lane() const noexcept -> std::size_t { return to_index(cores_); }
  /// Returns the choice under which no kernel runs.
  [[nodiscard]] static constexpr auto nothing() noexcept -> choice {
    choice c{};
    c.fill(no_kernel);
    return c;
  }
  /// Returns the most important incomplete job of a lane, submitted or not.
  [[nodiscard]] constexpr auto head(std::size_t lane) const noexcept -> kernel_id { return pending_.head(lane); }

  template <detail::JobPoint Point>
  constexpr void enqueue(kernel_id k, std::int32_t core, const job_orders<Point, MaxTasks>& orders) {
    lane_[to_index(k)] = lane_of(core);
    pending_.insert(lane_of(core), k, orders);
  }
  constexpr void complete(kernel_id k) noexcept {
    pending_.erase(lane_[to_index(k)], k);
    yielded(k);
  }
  constexpr void yielded(kernel_id k) noexcept {
    level_[to_index(k)] = not_submitted;
    leaving_[to_index(k)] = false;
  }

  template <AcceleratorBackend Backend>
  constexpr void bring_about(const choice& wanted, Backend& backend) {
    for (std::size_t lane = 0; lane <= gang_lane(); ++lane) {
      if (wanted[lane] == no_kernel) {
        clear_above(lane, not_submitted, backend);
      } else if (level_[to_index(wanted[lane])] != not_submitted) {
        clear_above(lane, level_[to_index(wanted[lane])], backend);
      }
    }
    for (std::size_t lane = 0; lane <= gang_lane(); ++lane) {
      const kernel_id k = wanted[lane];
      if (k == no_kernel || level_[to_index(k)] != not_submitted || blocked(lane)) { continue; }
      const std::int32_t level = top_level(lane) + 1;
      if (level == levels_) {
        clear_above(lane, level - 2, backend);
        continue;
      }
      level_[to_index(k)] = level;
      backend.submit(k,
                     {.core = lane == gang_lane() ? unassigned_core : static_cast<std::int32_t>(lane), .level = level});
    }
  }

  [[nodiscard]] friend constexpr auto operator==(const core_streams&, const core_streams&) noexcept -> bool = default;

 private:
  static constexpr std::int32_t not_submitted = -1;

  [[nodiscard]] constexpr auto top_level(std::size_t lane) const noexcept -> std::int32_t {
    std::int32_t top = not_submitted;
    for (std::size_t i = 0; i < MaxTasks; ++i) { top = lane_[i] == lane && level_[i] > top ? level_[i] : top; }
    return top;
  }
  [[nodiscard]] constexpr auto blocked(std::size_t lane) const noexcept -> bool {
    for (std::size_t i = 0; i < MaxTasks; ++i) {
      if (level_[i] != not_submitted && (lane_[i] == gang_lane()) != (lane == gang_lane())) { return true; }
    }
    return false;
  }
  template <AcceleratorBackend Backend>
  constexpr void clear_above(std::size_t lane, std::int32_t level, Backend& backend) {
    for (std::size_t i = 0; i < MaxTasks; ++i) {
      if (lane_[i] != lane || level_[i] <= level || leaving_[i]) { continue; }
      leaving_[i] = true;
      backend.request_yield(static_cast<kernel_id>(i));
    }
  }

  job_queues<MaxCores + 1, MaxTasks> pending_;
  std::array<std::size_t, MaxTasks> lane_{};
  std::array<std::int32_t, MaxTasks> level_{};
  std::array<bool, MaxTasks> leaving_{};
  std::int32_t cores_;
  std::int32_t levels_;
};

}  // namespace takt::inline TAKT_ABI
