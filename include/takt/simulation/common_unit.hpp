// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI::simulation::detail {

/// Finds the greatest unit of which all times that it has held are whole multiples: exact runs count in it.
template <ExactFraction Number>
class common_unit {
 public:
  void hold(const Number& time) {
    Number x = time < Number(0) ? Number(Number(0) - time) : time;
    while (fits_ && Number(0) < x) {
      const Number rest = unit_ - number_traits<Number>::floor_quotient(unit_, x) * x;
      fits_ = is_number(x) && is_number(rest);
      unit_ = x;
      x = rest;
    }
  }
  [[nodiscard]] auto fits() const -> bool { return fits_; }
  /// Sets `out` to the time in units. Returns false where it is too large, or no whole number. Pre: `fits`.
  [[nodiscard]] auto whole(const Number& time, ticks& out) const -> bool {
    TAKT_EXPECTS(fits_);
    if (unit_ == Number(0)) {
      out = 0;
      return true;
    }
    const bool negative = time < Number(0);
    const Number count = (negative ? Number(Number(0) - time) : time) / unit_;
    if (!is_number(count) || Number(std::numeric_limits<ticks>::max()) < count) { return false; }
    ticks sum = 0;
    for (ticks bit = ticks{1} << 62U; bit > 0; bit /= 2) { sum += count < Number(sum + bit) ? 0 : bit; }
    out = negative ? -sum : sum;
    return Number(sum) == count;
  }
  [[nodiscard]] auto time(ticks units) const -> Number { return Number(units) * unit_; }

 private:
  Number unit_ = Number(0);
  bool fits_ = true;
};

}  // namespace takt::inline TAKT_ABI::simulation::detail
