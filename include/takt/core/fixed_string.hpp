// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// A name of at most `Capacity` characters as a structural value, so that compilers print it in a diagnostic. Longer
/// names are cut.
template <std::size_t Capacity>
struct fixed_string {
  char text[Capacity + 1] = {};

  constexpr fixed_string() noexcept = default;
  constexpr fixed_string(const char (&from)[Capacity + 1]) noexcept {  // NOLINT
    for (std::size_t i = 0; i < Capacity; ++i) { text[i] = from[i]; }
  }
  constexpr fixed_string(std::string_view from) noexcept {  // NOLINT(google-explicit-constructor)
    for (std::size_t i = 0; i < Capacity && i < from.size(); ++i) { text[i] = from[i]; }
  }

  [[nodiscard]] constexpr auto view() const noexcept -> std::string_view { return {text}; }
};

/// Of a literal, the room that it takes.
template <std::size_t Size>
fixed_string(const char (&)[Size]) -> fixed_string<Size - 1>;

}  // namespace takt::inline TAKT_ABI
