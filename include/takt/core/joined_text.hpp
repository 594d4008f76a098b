// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Joins one text after the other. Pre: Size is the sum of their sizes.
template <std::size_t Size>
[[nodiscard]] constexpr auto joined_text(std::string_view first, std::string_view second) noexcept
    -> std::array<char, Size> {
  TAKT_EXPECTS(first.size() + second.size() == Size);
  std::array<char, Size> out{};
  std::size_t n = 0;
  for (const char c : first) { out[n++] = c; }
  for (const char c : second) { out[n++] = c; }
  return out;
}

}  // namespace takt::inline TAKT_ABI::detail
