// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/duration.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI {

/// Says how many times as long a copy takes at worst because other copies share the bus, as a fraction of at least 1.
/// It lengthens upper bounds only: a copy may also have the bus to itself. Source: Elliott 2015, section 3.2.3.4, where
/// packets make the bus fluid among copies.
struct bus_congestion {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;

  [[nodiscard]] constexpr auto valid() const noexcept -> bool { return denominator > 0 && numerator >= denominator; }

  /// Returns the lengthened time, rounded up. Error: an upper bound of `duration::max()` on overflow or without a valid
  /// factor.
  [[nodiscard]] constexpr auto time(const interval<duration>& t) const noexcept -> interval<duration> {
    if (!valid()) { return {t.lower, duration::max()}; }
    const ticks whole = t.upper.count() / denominator;
    const ticks rest = t.upper.count() % denominator;
    ticks stretched = 0;
    ticks product = 0;
    ticks sum = 0;
    const bool fits = checked_multiply(whole, numerator, stretched) && checked_multiply(rest, numerator, product) &&
                      checked_add(stretched, ceil_divide(product, denominator), sum);
    return {t.lower, fits ? duration{sum} : duration::max()};
  }
  [[nodiscard]] constexpr auto segment(const copy_segment& s) const noexcept -> copy_segment {
    return {time(s.time), s.direction};
  }
};

}  // namespace takt::inline TAKT_ABI
