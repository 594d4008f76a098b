// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Returns the capacity of a table for `n` rows. Sets of about the same size share one compiled instance of each
/// analysis, search and engine.
[[nodiscard]] constexpr auto padded_capacity(std::size_t n) noexcept -> std::size_t {
  constexpr std::size_t least = 4;
  return n == 0 ? 0 : n < least ? least : std::bit_ceil(n);
}

}  // namespace takt::inline TAKT_ABI
