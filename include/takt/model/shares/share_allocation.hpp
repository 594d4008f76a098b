// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/model/shares/share.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what each of at most `MaxTasks` applications holds of a GPU. No operation can bring the sum above 100.
template <std::size_t MaxTasks>
class share_allocation {
 public:
  [[nodiscard]] static constexpr auto capacity() noexcept -> std::size_t { return MaxTasks; }
  /// Pre: task < capacity().
  [[nodiscard]] constexpr auto operator[](std::size_t task) const noexcept -> share {
    TAKT_EXPECTS(task < MaxTasks);
    return held_[task];
  }
  [[nodiscard]] constexpr auto sum() const noexcept -> std::int32_t { return sum_; }
  [[nodiscard]] constexpr auto left() const noexcept -> std::int32_t { return full_share.percent() - sum_; }

  /// False, and no change, when there is no such application or not so much is left.
  [[nodiscard]] constexpr auto set(std::size_t task, share value) noexcept -> bool {
    if (task >= MaxTasks || value.percent() - held_[task].percent() > left()) { return false; }
    sum_ += value.percent() - held_[task].percent();
    held_[task] = value;
    return true;
  }
  /// Pre: task < capacity().
  constexpr void clear(std::size_t task) noexcept {
    TAKT_EXPECTS(task < MaxTasks);
    sum_ -= held_[task].percent();
    held_[task] = no_share;
  }

  [[nodiscard]] friend constexpr auto operator==(const share_allocation&, const share_allocation&) noexcept
      -> bool = default;

 private:
  std::array<share, MaxTasks> held_{};
  std::int32_t sum_ = 0;
};

/// Calls `apply(task, share)` for each application whose share differs, in an order in which the sum never exceeds 100
/// on the way: all that give before any that take.
template <std::size_t MaxTasks, class Apply>
constexpr void for_each_change(const share_allocation<MaxTasks>& from, const share_allocation<MaxTasks>& to,
                               Apply apply) {
  for (std::size_t i = 0; i < MaxTasks; ++i) {
    if (to[i] < from[i]) { apply(i, to[i]); }
  }
  for (std::size_t i = 0; i < MaxTasks; ++i) {
    if (from[i] < to[i]) { apply(i, to[i]); }
  }
}

}  // namespace takt::inline TAKT_ABI
