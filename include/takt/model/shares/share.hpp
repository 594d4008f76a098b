// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI {

/// Per cent of a GPU's compute that an application holds, 0 to 100. 0: none of its further kernels start.
class share {
 public:
  constexpr share() noexcept = default;
  /// A constant. A value above 100 or below 0 does not compile.
  consteval explicit share(std::int32_t percent) noexcept : percent_{static_cast<std::uint8_t>(percent)} {
    if (percent < 0 || percent > 100) {
      detail::stop_compilation("takt: a share is not from 0 to 100 per cent. See docs/errors.md#E50");
    }
  }

  /// `out` = a value that is only known at run time; false, and no change, when it is not a share.
  [[nodiscard]] static constexpr auto make(std::int32_t percent, share& out) noexcept -> bool {
    if (percent < 0 || percent > 100) { return false; }
    out = bounded(percent);
    return true;
  }
  /// Returns the share nearest to a value.
  [[nodiscard]] static constexpr auto bounded(std::int32_t percent) noexcept -> share {
    share out;
    out.percent_ = static_cast<std::uint8_t>(percent < 0 ? 0 : percent > 100 ? 100 : percent);
    return out;
  }

  [[nodiscard]] constexpr auto percent() const noexcept -> std::int32_t { return percent_; }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return percent_ != 0; }
  [[nodiscard]] friend constexpr auto operator<=>(share, share) noexcept = default;

 private:
  std::uint8_t percent_ = 0;
};

inline constexpr share no_share{};
inline constexpr share full_share{100};

/// Device memory in the units in which it is granted, of 256 MB each.
class memory_units {
 public:
  static constexpr std::int64_t bytes_per_unit = std::int64_t{256} * 1024 * 1024;

  constexpr memory_units() noexcept = default;
  constexpr explicit memory_units(std::int32_t count) noexcept : count_{count < 0 ? 0 : count} {}

  /// Returns as many units as so many bytes need. Pre: 0 <= bytes < 2^58.
  [[nodiscard]] static constexpr auto holding(std::int64_t bytes) noexcept -> memory_units {
    TAKT_EXPECTS(0 <= bytes && bytes < (std::int64_t{1} << 58));
    return memory_units{static_cast<std::int32_t>(ceil_divide(bytes, bytes_per_unit))};
  }

  [[nodiscard]] constexpr auto count() const noexcept -> std::int32_t { return count_; }
  [[nodiscard]] constexpr auto bytes() const noexcept -> std::int64_t { return count_ * bytes_per_unit; }
  [[nodiscard]] friend constexpr auto operator<=>(memory_units, memory_units) noexcept = default;

 private:
  std::int32_t count_ = 0;
};

}  // namespace takt::inline TAKT_ABI
