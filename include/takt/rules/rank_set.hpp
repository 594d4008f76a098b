// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Position of a task in priority order; 0 is the highest priority.
using rank = std::int32_t;
inline constexpr rank nobody = -1;

/// A set of ranks below `Capacity` that gives the highest priority first. Cost: one step per 64 ranks.
template <std::size_t Capacity>
class rank_set {
 public:
  /// Pre: 0 <= r < Capacity; so for the two below.
  constexpr void insert(rank r) noexcept {
    TAKT_EXPECTS(is_rank(r));
    word_of(r) |= bit_of(r);
  }
  constexpr void erase(rank r) noexcept {
    TAKT_EXPECTS(is_rank(r));
    word_of(r) &= ~bit_of(r);
  }
  [[nodiscard]] constexpr auto contains(rank r) const noexcept -> bool {
    TAKT_EXPECTS(is_rank(r));
    return (words_[static_cast<std::size_t>(r) / 64] & bit_of(r)) != 0;
  }
  [[nodiscard]] constexpr auto empty() const noexcept -> bool { return first() == nobody; }
  /// Returns the member of highest priority, or `nobody`.
  [[nodiscard]] constexpr auto first() const noexcept -> rank {
    for (std::size_t w = 0; w < word_count; ++w) {
      if (words_[w] != 0) { return static_cast<rank>(w * 64) + std::countr_zero(words_[w]); }
    }
    return nobody;
  }
  [[nodiscard]] friend constexpr auto operator==(const rank_set&, const rank_set&) noexcept -> bool = default;

 private:
  static constexpr std::size_t word_count = (Capacity + 63) / 64 == 0 ? 1 : (Capacity + 63) / 64;

  [[nodiscard]] static constexpr auto is_rank(rank r) noexcept -> bool {
    return r >= 0 && static_cast<std::size_t>(r) < Capacity;
  }
  [[nodiscard]] constexpr auto word_of(rank r) noexcept -> std::uint64_t& {
    return words_[static_cast<std::size_t>(r) / 64];
  }
  [[nodiscard]] static constexpr auto bit_of(rank r) noexcept -> std::uint64_t {
    return std::uint64_t{1} << (static_cast<std::size_t>(r) % 64);
  }

  std::array<std::uint64_t, word_count> words_{};
};

}  // namespace takt::inline TAKT_ABI
