// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace takt {

/// On which of the SMs that have room the next block goes: the one with the most idle threads, the lowest number, or
/// the fewest idle threads. Of equals the lowest number. Hardware has been seen to place evenly.
enum class block_placement : std::uint8_t { even, first_fit, best_fit };
[[nodiscard]] constexpr auto last_of(block_placement) noexcept -> block_placement { return block_placement::best_fit; }

/// What one block takes from its SM, besides a block slot.
struct block_footprint {
  std::int64_t threads = 1;
  std::int64_t shared_memory = 0;
  std::int64_t registers = 0;

  [[nodiscard]] friend constexpr auto operator==(const block_footprint&, const block_footprint&) noexcept
      -> bool = default;
};

/// What one SM has, or has left.
struct sm_capacity {
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

  std::int64_t threads = 2048;
  std::int64_t blocks = unlimited;  ///< that can be resident at once
  std::int64_t shared_memory = unlimited;
  std::int64_t registers = unlimited;

  [[nodiscard]] constexpr auto fits(const block_footprint& b) const noexcept -> bool {
    return b.threads <= threads && blocks > 0 && b.shared_memory <= shared_memory && b.registers <= registers;
  }
  /// Pre: `count` of them fit.
  constexpr void take(const block_footprint& b, std::int64_t count) noexcept {
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

}  // namespace takt
