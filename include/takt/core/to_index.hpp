// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Returns a number that counts from 0, such as an id, as a position in an array. A negative one is beyond all arrays.
template <std::integral I>
[[nodiscard]] constexpr auto to_index(I number) noexcept -> std::size_t {
  return static_cast<std::size_t>(number);
}

}  // namespace takt::inline TAKT_ABI
