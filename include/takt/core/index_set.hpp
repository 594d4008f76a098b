// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Holds a few of many positions, in rising order. Cost: linear in those that are in it.
template <std::size_t Capacity>
class index_set {
 public:
  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return size_; }
  /// Pre: k < size().
  [[nodiscard]] constexpr auto operator[](std::size_t k) const noexcept -> std::uint32_t {
    TAKT_EXPECTS(k < size_);
    return all_[k];
  }

  constexpr void clear() noexcept { size_ = 0; }
  /// Pre: i < Capacity, and it is not in the set.
  constexpr void insert(std::uint32_t i) noexcept {
    TAKT_EXPECTS(i < Capacity && size_ < Capacity);
    std::size_t at = size_++;
    for (; at > 0 && all_[at - 1] > i; --at) { all_[at] = all_[at - 1]; }
    TAKT_EXPECTS(at == 0 || all_[at - 1] != i);
    all_[at] = i;
  }
  /// Nothing happens if it is not in the set.
  constexpr void erase(std::uint32_t i) noexcept {
    std::size_t at = 0;
    while (at < size_ && all_[at] != i) { ++at; }
    if (at == size_) { return; }
    --size_;
    for (; at < size_; ++at) { all_[at] = all_[at + 1]; }
  }

 private:
  std::uint32_t all_[Capacity]{};
  std::size_t size_ = 0;
};

}  // namespace takt::inline TAKT_ABI
