// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/fixed_point.hpp>

namespace takt::analysis {

/// Solves x = c + I(x) for several constants c and the same interference I. A greater constant moves the least fixed
/// point by at least the difference, so the next search starts there.
template <class Number>
class warm_start {
 public:
  /// `interference(x, sum)` adds I(x) to an `ascent` that holds c and x. Error: as `least_fixed_point`.
  template <class Interference>
  constexpr auto solve(const Number& c, const Number& limit, const Interference& interference) -> fixed_point<Number> {
    const bool further = found_.exists() && !(c < constant_);
    const Number start = further ? Number(found_.value + (c - constant_)) : c;
    const auto result = least_fixed_point(start, limit, [&](const Number& x) {
      ascent<Number> next{c, x};
      interference(x, next);
      return next;
    });
    if (result.exists()) {
      constant_ = c;
      found_ = result;
    }
    return result;
  }

 private:
  Number constant_{};
  fixed_point<Number> found_{};
};

/// Adds one task's workload to a sum of interference.
template <class Number>
constexpr void accumulate(ascent<Number>& sum, const ascent<Number>& w) {
  sum.value = sum.value + w.value;
  if (sum.no_fixed_point_before < w.no_fixed_point_before) { sum.no_fixed_point_before = w.no_fixed_point_before; }
}

}  // namespace takt::analysis
