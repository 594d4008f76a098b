// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// The kind of resource that a segment of a job occupies.
enum class stage : std::uint8_t { cpu, copy, kernel };
[[nodiscard]] constexpr auto last_of(stage) noexcept -> stage { return stage::kernel; }

enum class copy_direction : std::uint8_t { unspecified, to_device, to_host };
[[nodiscard]] constexpr auto last_of(copy_direction) noexcept -> copy_direction { return copy_direction::to_host; }
namespace detail {

/// Returns whether a copy takes the second of two copy engines.
[[nodiscard]] constexpr auto takes_second_engine(copy_direction d) noexcept -> bool {
  switch (d) {
    case copy_direction::unspecified:
    case copy_direction::to_device: return false;
    case copy_direction::to_host: return true;
  }
  return false;
}

}  // namespace detail
inline constexpr auto to_device = copy_direction::to_device;
inline constexpr auto to_host = copy_direction::to_host;

[[nodiscard]] constexpr auto name_of(stage s) noexcept -> std::string_view {
  switch (s) {
    case stage::cpu: return "cpu";
    case stage::copy: return "copy";
    case stage::kernel: return "kernel";
  }
  return "";
}

/// A quantity known to lie between two values.
template <class Number>
struct interval {
  Number lower{};
  Number upper{};

  [[nodiscard]] friend constexpr auto operator==(const interval&, const interval&) noexcept -> bool = default;
};

}  // namespace takt::inline TAKT_ABI
