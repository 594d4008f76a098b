// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Holds a few of many positions, in the order in which they came. Cost: linear in those that are in it.
template <std::size_t Capacity>
class index_queue {
 public:
  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return size_; }
  /// Pre: k < size().
  [[nodiscard]] constexpr auto operator[](std::size_t k) const noexcept -> std::uint32_t {
    TAKT_EXPECTS(k < size_);
    return all_[k];
  }

  /// Pre: fewer than `Capacity` are in it.
  constexpr void push(std::uint32_t i) noexcept {
    TAKT_EXPECTS(size_ < Capacity);
    all_[size_++] = i;
  }
  /// Pre: k < size().
  constexpr auto take(std::size_t k) noexcept -> std::uint32_t {
    TAKT_EXPECTS(k < size_);
    const std::uint32_t taken = all_[k];
    --size_;
    for (; k < size_; ++k) { all_[k] = all_[k + 1]; }
    return taken;
  }

 private:
  std::uint32_t all_[Capacity]{};
  std::size_t size_ = 0;
};

}  // namespace takt::inline TAKT_ABI
