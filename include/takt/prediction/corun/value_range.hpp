// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Maps the values from `low` to `high` to 0 to 1.
struct value_range {
  double low = 0;
  double high = 0;

  [[nodiscard]] constexpr auto holds(double value) const noexcept -> bool { return low <= value && value <= high; }
  /// Values outside stay outside. A range of one value maps everything to 0.
  [[nodiscard]] constexpr auto to_unit(double value) const noexcept -> double {
    return high > low ? (value - low) / (high - low) : 0;
  }
  [[nodiscard]] constexpr auto from_unit(double unit) const noexcept -> double { return low + unit * (high - low); }

  friend constexpr auto operator==(const value_range&, const value_range&) noexcept -> bool = default;
};

/// Pre: not empty.
[[nodiscard]] constexpr auto range_of(std::span<const double> values) noexcept -> value_range {
  TAKT_EXPECTS(!values.empty());
  value_range out{values[0], values[0]};
  for (const double v : values) {
    out.low = v < out.low ? v : out.low;
    out.high = v > out.high ? v : out.high;
  }
  return out;
}

/// Returns one range per column. Pre: not empty.
template <std::size_t Inputs>
[[nodiscard]] constexpr auto ranges_of(std::span<const std::array<double, Inputs>> rows) noexcept
    -> std::array<value_range, Inputs> {
  TAKT_EXPECTS(!rows.empty());
  std::array<value_range, Inputs> out{};
  for (std::size_t i = 0; i < Inputs; ++i) {
    out[i] = {rows[0][i], rows[0][i]};
    for (const std::array<double, Inputs>& row : rows) {
      out[i].low = row[i] < out[i].low ? row[i] : out[i].low;
      out[i].high = row[i] > out[i].high ? row[i] : out[i].high;
    }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI
