// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include <takt/model/warps.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what one block takes from its SM, besides a block slot: threads in whole warps.
struct block_footprint {
  std::int64_t threads = 1;
  std::int64_t shared_memory = 0;
  std::int64_t registers = 0;

  [[nodiscard]] friend constexpr auto operator==(const block_footprint&, const block_footprint&) noexcept
      -> bool = default;
};

/// Holds what one SM has, or has left.
struct sm_capacity {
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

  std::int64_t threads = 2048;
  std::int64_t blocks = unlimited;  ///< that can be resident at once
  std::int64_t shared_memory = unlimited;
  std::int64_t registers = unlimited;
  std::int32_t warp_size = 1;  ///< of 1 thread: blocks say what they hold in whole warps

  /// Returns what a block of so many threads takes here.
  [[nodiscard]] constexpr auto held_by(block_footprint b) const noexcept -> block_footprint {
    b.threads = detail::whole_warps(b.threads, warp_size);
    return b;
  }
  /// Pre: as the block is held here.
  [[nodiscard]] constexpr auto fits(const block_footprint& b) const noexcept -> bool {
    TAKT_EXPECTS_IN_TESTS(warp_size >= 1 && b.threads % warp_size == 0);
    return b.threads <= threads && blocks > 0 && b.shared_memory <= shared_memory && b.registers <= registers;
  }
  /// Pre: `count` of them fit.
  constexpr void take(const block_footprint& b, std::int64_t count) noexcept {
    TAKT_EXPECTS(0 <= count && count <= blocks && count * b.threads <= threads &&
                 count * b.shared_memory <= shared_memory && count * b.registers <= registers);
    threads -= count * b.threads;
    blocks -= count;
    shared_memory -= count * b.shared_memory;
    registers -= count * b.registers;
  }
  /// Pre: `count` of them have been taken.
  constexpr void give_back(const block_footprint& b, std::int64_t count) noexcept {
    threads += count * b.threads;
    blocks += count;
    shared_memory += count * b.shared_memory;
    registers += count * b.registers;
  }

  [[nodiscard]] friend constexpr auto operator==(const sm_capacity&, const sm_capacity&) noexcept -> bool = default;
};

/// Says on which of the SMs with room the next block goes: the one that is better than each before it, of equals the
/// lowest number. A user's own placement is a comparison of what two SMs have left. Hardware has been seen to place
/// evenly; no bound depends on it.
struct block_placement {
  /// Tells whether the first SM is better. Pre: the block fits either.
  using comparison = auto (*)(const sm_capacity& left, const sm_capacity& than) noexcept -> bool;

  comparison better = nullptr;  ///< none: the lowest number

  static const block_placement even;  ///< the most idle threads
  static const block_placement first_fit;
  static const block_placement best_fit;  ///< the fewest idle threads

  [[nodiscard]] constexpr auto prefers(const sm_capacity& left, const sm_capacity& than) const noexcept -> bool {
    return better != nullptr && better(left, than);
  }
  [[nodiscard]] friend constexpr auto operator==(const block_placement&, const block_placement&) noexcept
      -> bool = default;
};

namespace detail {

[[nodiscard]] constexpr auto more_idle_threads(const sm_capacity& left, const sm_capacity& than) noexcept -> bool {
  return left.threads > than.threads;
}
[[nodiscard]] constexpr auto fewer_idle_threads(const sm_capacity& left, const sm_capacity& than) noexcept -> bool {
  return left.threads < than.threads;
}

}  // namespace detail

inline constexpr block_placement block_placement::even{detail::more_idle_threads};
inline constexpr block_placement block_placement::first_fit{};
inline constexpr block_placement block_placement::best_fit{detail::fewer_idle_threads};

}  // namespace takt::inline TAKT_ABI
