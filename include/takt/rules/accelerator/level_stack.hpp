// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/to_index.hpp>
#include <takt/rules/accelerator/backend.hpp>
#include <takt/rules/accelerator/job_order.hpp>
#include <takt/rules/accelerator/job_queues.hpp>
#include <takt/rules/accelerator/strategy.hpp>
#include <takt/rules/servers/forward.hpp>

namespace takt::inline TAKT_ABI {

/// A better job is pushed above a started one while a stream is left above it, which a device needs.
struct limited_by_streams {
  /// Returns how many levels count as taken; `next` is the lowest free one above the top.
  [[nodiscard]] static constexpr auto taken(std::int32_t next, std::int32_t /*started*/) noexcept -> std::int32_t {
    return next;
  }
  [[nodiscard]] friend constexpr auto operator==(const limited_by_streams&, const limited_by_streams&) noexcept
      -> bool = default;
};
/// While fewer jobs than there are levels have started, as if jobs could change streams.
struct limited_by_started_jobs {
  [[nodiscard]] static constexpr auto taken(std::int32_t /*next*/, std::int32_t started) noexcept -> std::int32_t {
    return started;
  }
  [[nodiscard]] friend constexpr auto operator==(const limited_by_started_jobs&,
                                                 const limited_by_started_jobs&) noexcept -> bool = default;
};

/// The whole accelerator for one job at a time, with a stream per level: a job that outranks the topmost started one is
/// pushed above it while the limit allows. What is started cannot be taken back. Where kernels are pinned is ignored.
///
/// With two levels: if both streams are empty, the best job goes to the low one. If only the low one is taken, a better
/// job goes to the high one. Else nothing is submitted, also where the low job has ended during the wave for which the
/// high one waits. The two limits differ there. Source: Zahaf and Lipari 2020, section 5.2.
template <std::size_t MaxTasks, class Limit>
class level_stack {
 public:
  static constexpr std::size_t max_tasks = MaxTasks;

  /// Pre: levels >= 1, cores >= 1.
  constexpr explicit level_stack(std::int32_t levels = 2, std::int32_t cores = 1) noexcept
      : levels_{levels}, cores_{cores} {
    TAKT_EXPECTS(levels >= 1 && cores >= 1);
    level_.fill(not_started);
  }

  [[nodiscard]] constexpr auto cores() const noexcept -> std::int32_t { return cores_; }
  [[nodiscard]] constexpr auto levels() const noexcept -> std::int32_t { return levels_; }

  template <detail::JobPoint Point>
  constexpr void enqueue(kernel_id k, std::int32_t /*core*/, const job_orders<Point, MaxTasks>& orders) {
    ready_.insert(0, k, orders);
  }
  /// Called for any started job: a last wave may end while the job above waits for that.
  constexpr void complete(kernel_id k) noexcept {
    level_[to_index(k)] = not_started;
    --started_;
    top_ = no_kernel;
    for (std::size_t i = 0; i < MaxTasks; ++i) {
      if (level_[i] != not_started && (top_ == no_kernel || level_[i] > level_[to_index(top_)])) {
        top_ = static_cast<kernel_id>(i);
      }
    }
  }
  constexpr void yielded(kernel_id /*k*/) const noexcept {}

  /// Makes one push at most: the job that waits next does not outrank the best.
  template <detail::JobPoint Point, AcceleratorBackend Backend>
  constexpr void decide(const job_orders<Point, MaxTasks>& orders, Backend& backend) {
    const kernel_id k = ready_.head(0);
    const std::int32_t level = top_ == no_kernel ? 0 : level_[to_index(top_)] + 1;
    if (k == no_kernel || Limit::taken(level, started_) == levels_) { return; }
    if (top_ != no_kernel && !detail::outranks(orders[to_index(k)], orders[to_index(top_)])) { return; }
    ready_.erase(0, k);
    level_[to_index(k)] = level;
    top_ = k;
    ++started_;
    backend.submit(k, {.core = unassigned_core, .level = level});
  }

  /// Returns the started job that runs, or waits for the end of a wave only.
  [[nodiscard]] constexpr auto top() const noexcept -> kernel_id { return top_; }

  [[nodiscard]] friend constexpr auto operator==(const level_stack&, const level_stack&) noexcept -> bool = default;

 private:
  static constexpr std::int32_t not_started = -1;

  job_queues<1, MaxTasks> ready_;
  std::array<std::int32_t, MaxTasks> level_{};
  kernel_id top_ = no_kernel;
  std::int32_t started_ = 0;
  std::int32_t levels_;
  std::int32_t cores_;
};

}  // namespace takt::inline TAKT_ABI
