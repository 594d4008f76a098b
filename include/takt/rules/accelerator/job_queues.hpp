// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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

  /// Pre: k stands in no queue.
  template <JobPoint Point>
  constexpr void insert(std::size_t queue, kernel_id k, const job_orders<Point, MaxTasks>& orders) {
    kernel_id* link = &head_[queue];
    while (*link != no_kernel && goes_before(orders[index(*link)], orders[index(k)])) { link = &next_[index(*link)]; }
    next_[index(k)] = *link;
    *link = k;
  }
  /// Pre: k stands in the queue.
  constexpr void erase(std::size_t queue, kernel_id k) noexcept {
    kernel_id* link = &head_[queue];
    while (*link != k) { link = &next_[index(*link)]; }
    *link = next_[index(k)];
    next_[index(k)] = no_kernel;
  }
  /// The most important one, or `no_kernel`.
  [[nodiscard]] constexpr auto head(std::size_t queue) const noexcept -> kernel_id { return head_[queue]; }

  [[nodiscard]] friend constexpr auto operator==(const job_queues&, const job_queues&) noexcept -> bool = default;

 private:
  [[nodiscard]] static constexpr auto index(kernel_id k) noexcept -> std::size_t { return static_cast<std::size_t>(k); }

  std::array<kernel_id, Queues> head_{};
  std::array<kernel_id, MaxTasks> next_{};
};

}  // namespace takt::inline TAKT_ABI
