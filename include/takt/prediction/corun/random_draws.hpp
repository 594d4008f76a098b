// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <takt/core/random.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Draws evenly from [0, 1), the same on every machine.
[[nodiscard]] constexpr auto draw_unit(random_stream& random) noexcept -> double {
  return static_cast<double>(random.next() >> 11U) * 0x1p-53;
}

/// Draws an order evenly, the same on every machine. Source: Durstenfeld 1964.
template <class Value>
constexpr void shuffle(std::span<Value> values, random_stream& random) noexcept {
  for (std::size_t left = values.size(); left > 1; --left) {
    std::swap(values[left - 1], values[static_cast<std::size_t>(random.below(static_cast<ticks>(left)))]);
  }
}

}  // namespace takt::inline TAKT_ABI::detail
