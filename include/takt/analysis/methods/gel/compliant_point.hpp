// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/analysis/methods/gel/gel_bounds.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Says whether a task's delay x = (s - wcet) / m counts below 0.
enum class delay_sign : std::uint8_t {
  any,           ///< as in Erickson 2014
  not_negative,  ///< 0 instead, as in the earlier definition of a compliant vector
};
[[nodiscard]] constexpr auto last_of(delay_sign) noexcept -> delay_sign { return delay_sign::not_negative; }

namespace detail {

/// A demand at s, and its slope to the right of s, times m.
template <class Fraction>
struct compliant_value {
  Fraction value{};
  load_sum<Fraction> slope{};
};

/// Returns S = C max(0, 1 - Y / T): what a task brings beyond its utilisation to an interval before a priority point.
template <class Fraction>
[[nodiscard]] constexpr auto early_work(const gel_task<Fraction>& t) -> Fraction {
  return t.point < t.period ? share_of(Fraction(t.period - t.point), t.wcet, t.period) : Fraction(0);
}

template <class Fraction>
struct compliant_shift {
  Fraction x{};
  bool grows = true;  ///< with s
};
template <class Fraction>
[[nodiscard]] constexpr auto compliant_delay(const Fraction& s, const Fraction& wcet, std::int32_t processors,
                                             delay_sign sign) -> compliant_shift<Fraction> {
  const Fraction x = number_traits<Fraction>::divide_up(Fraction(s - wcet), processors);
  switch (sign) {
    case delay_sign::any: break;
    case delay_sign::not_negative:
      if (x < Fraction(0)) { return {Fraction(0), false}; }
      break;
  }
  return {x, true};
}

/// Jobs that may be in progress when fewer than ceil(U) processors work: ceil(U) - 1, bounded from both sides where U
/// is not exact.
struct carried_jobs {
  std::int64_t least = 0;
  std::int64_t most = 0;
};
template <class Fraction>
[[nodiscard]] constexpr auto carried_in(const load_sum<Fraction>& load, std::int32_t processors) -> carried_jobs {
  const std::int64_t least = load.least_ceiling(processors);
  const std::int64_t most = load.greatest_ceiling(processors);
  return {least > 0 ? least - 1 : 0, most > 0 ? most - 1 : 0};
}

/// Finds the least s that is not below `demand(s)`, by Newton's method from 0, which the least s is not below. Pre:
/// `demand` is convex, and its slope stays below 1. False when numbers do not fit.
template <class Fraction, class Demand>
[[nodiscard]] constexpr auto least_compliant(std::int32_t processors, const Demand& demand, Fraction& s) -> bool {
  constexpr int step_limit = 100'000;
  s = Fraction(0);
  for (int step = 0; step < step_limit; ++step) {
    const compliant_value<Fraction> now = demand(s);
    if (!is_number(now.value) || !now.slope.fits()) { return false; }
    if (!(s < now.value)) { return true; }
    s = s + now.slope.scale_by_rest(Fraction(now.value - s), processors);
    if (!is_number(s)) { return false; }
  }
  return false;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
