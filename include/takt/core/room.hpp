// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// The capacity of a table for `n` rows: of sets of about the same size one instance of each analysis, search and
/// engine is compiled, not one for each size.
[[nodiscard]] constexpr auto room_for(std::size_t n) noexcept -> std::size_t {
  constexpr std::size_t least = 4;
  return n == 0 ? 0 : n < least ? least : std::bit_ceil(n);
}

}  // namespace takt::inline TAKT_ABI
