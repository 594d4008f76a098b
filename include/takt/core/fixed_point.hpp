// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Says why a fixed-point iteration stopped.
enum class stop_reason : std::uint8_t {
  not_started,      ///< nothing was computed
  converged,        ///< `value` is the least fixed point
  exceeds_limit,    ///< the least fixed point, if any, is above the limit; `value` is the first iterate above it
  iteration_limit,  ///< given up: neither of the above is known
  lower_bound,      ///< given up where `value` is asked as a bound: it is not above the least fixed point
};

template <class Number>
struct fixed_point {
  Number value{};
  stop_reason reason = stop_reason::not_started;

  /// Returns whether `value` says what was asked: the least fixed point or, behind `at_least`, a lower bound of it.
  [[nodiscard]] constexpr auto exists() const noexcept -> bool {
    return reason == stop_reason::converged || reason == stop_reason::lower_bound;
  }
};

/// Returns a solution or a lower bound of it: no iterate lies above the least fixed point.
template <class Number>
[[nodiscard]] constexpr auto at_least(const fixed_point<Number>& f) -> fixed_point<Number> {
  return {f.value, f.reason == stop_reason::iteration_limit ? stop_reason::lower_bound : f.reason};
}

namespace detail {

/// One step of an iteration: f(x), and a point up to which f is known to grow at least as fast as x. So no fixed point
/// lies between x and that point. A step without such knowledge repeats x.
template <class Number>
struct ascent {
  Number value{};
  Number no_fixed_point_before{};
};

}  // namespace detail

inline constexpr std::int64_t default_iteration_limit = 1'000'000;

/// Returns the least fixed point of a non-decreasing function that is not below `start`, by iteration from there.
///
/// `f(x)` returns an `ascent`. Its second member lets the iteration cross workload functions, which rise with slope one
/// inside a segment, a segment at a time. A nanosecond of own work behind a 10 ms segment then takes two steps, not ten
/// million. Pre: start <= least fixed point. Error: `exceeds_limit` when it is above `limit`; `iteration_limit` after
/// that many steps, which no verdict may take for either answer. Cost: one call of f per step.
template <class Number, class Function>
[[nodiscard]] constexpr auto least_fixed_point(const Number& start, const Number& limit, const Function& f,
                                               std::int64_t steps = default_iteration_limit) -> fixed_point<Number> {
  Number x = start;
  for (; steps > 0; --steps) {
    if (limit < x) { return {x, stop_reason::exceeds_limit}; }
    const detail::ascent<Number> next = f(x);
    if (next.value <= x) { return {x, stop_reason::converged}; }
    x = next.value < next.no_fixed_point_before ? next.no_fixed_point_before : next.value;
  }
  return {x, stop_reason::iteration_limit};
}

}  // namespace takt::inline TAKT_ABI
