// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/to_index.hpp>
#include <takt/rules/accelerator/job_order.hpp>

namespace takt::inline TAKT_ABI {

/// Queues in order of importance over a common set of kernels, each of which stands in at most one of them. Two states
/// with the same queues compare equal. Cost: `insert` and `erase` linear in the queue, `head` none.
template <std::size_t Queues, std::size_t MaxTasks>
class job_queues {
 public:
  constexpr job_queues() noexcept {
    head_.fill(no_kernel);
    next_.fill(no_kernel);
  }

  /// Pre: queue < Queues, 0 <= k < MaxTasks, and k stands in no queue.
  template <detail::JobPoint Point>
  constexpr void insert(std::size_t queue, kernel_id k, const job_orders<Point, MaxTasks>& orders) {
    TAKT_EXPECTS(queue < Queues && is_kernel(k) && next_[to_index(k)] == no_kernel);
    TAKT_EXPECTS_IN_TESTS(!contains(k));
    kernel_id* link = &head_[queue];
    while (*link != no_kernel && goes_before(orders[to_index(*link)], orders[to_index(k)])) {
      link = &next_[to_index(*link)];
    }
    next_[to_index(k)] = *link;
    *link = k;
  }
  /// Pre: queue < Queues, 0 <= k < MaxTasks, and k stands in the queue.
  constexpr void erase(std::size_t queue, kernel_id k) noexcept {
    TAKT_EXPECTS(queue < Queues && is_kernel(k));
    kernel_id* link = &head_[queue];
    while (*link != k) {
      TAKT_EXPECTS(*link != no_kernel);
      link = &next_[to_index(*link)];
    }
    *link = next_[to_index(k)];
    next_[to_index(k)] = no_kernel;
  }
  /// Returns the most important one, or `no_kernel`. Pre: queue < Queues.
  [[nodiscard]] constexpr auto head(std::size_t queue) const noexcept -> kernel_id {
    TAKT_EXPECTS(queue < Queues);
    return head_[queue];
  }

  [[nodiscard]] friend constexpr auto operator==(const job_queues&, const job_queues&) noexcept -> bool = default;

 private:
  [[nodiscard]] static constexpr auto is_kernel(kernel_id k) noexcept -> bool {
    return k >= 0 && to_index(k) < MaxTasks;
  }
  [[nodiscard]] constexpr auto contains(kernel_id k) const noexcept -> bool {
    for (const kernel_id head : head_) {
      for (kernel_id other = head; other != no_kernel; other = next_[to_index(other)]) {
        if (other == k) { return true; }
      }
    }
    return false;
  }

  std::array<kernel_id, Queues> head_{};
  std::array<kernel_id, MaxTasks> next_{};
};

}  // namespace takt::inline TAKT_ABI
