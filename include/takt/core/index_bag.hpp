// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Holds a few of many positions, in any order. Cost: constant, for all of it linear in those that are in it.
template <std::size_t Capacity>
class index_bag {
 public:
  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return size_; }
  /// Pre: k < size().
  [[nodiscard]] constexpr auto operator[](std::size_t k) const noexcept -> std::uint32_t {
    TAKT_EXPECTS(k < size_);
    return all_[k];
  }

  /// Pre: i < Capacity.
  [[nodiscard]] constexpr auto contains(std::uint32_t i) const noexcept -> bool {
    TAKT_EXPECTS(i < Capacity);
    return at_[i] < size_ && all_[at_[i]] == i;
  }
  constexpr void clear() noexcept { size_ = 0; }
  /// Pre: i < Capacity, and it is not in it.
  constexpr void insert(std::uint32_t i) noexcept {
    TAKT_EXPECTS(i < Capacity && !contains(i));
    at_[i] = static_cast<std::uint32_t>(size_);
    all_[size_++] = i;
  }
  /// Nothing happens if it is not in it. Pre: i < Capacity.
  constexpr void erase(std::uint32_t i) noexcept {
    TAKT_EXPECTS(i < Capacity);
    if (!contains(i)) { return; }
    all_[at_[i]] = all_[--size_];
    at_[all_[at_[i]]] = at_[i];
  }

 private:
  std::uint32_t all_[Capacity]{};
  std::uint32_t at_[Capacity]{};
  std::size_t size_ = 0;
};

}  // namespace takt::inline TAKT_ABI
