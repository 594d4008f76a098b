// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/model/shares/wcet_row.hpp>

namespace takt::inline TAKT_ABI {

/// The algebra of remaining times (Yao et al. 2022, section 5.1) on exact fractions; an overflow stays one.
///
/// Each interval counts at the share and load that it ran with. That differs from line 8 of the published Algorithm 1,
/// which divides every past interval by the whole time at the present share.

namespace detail {

/// Returns the completion rate after `executed` more ticks of a job that takes `whole` in all (Eq. 10 and 11, as an
/// accumulator). Pre: whole > 0.
template <ExactFraction Fraction>
[[nodiscard]] constexpr auto advanced(const Fraction& theta, const Fraction& executed, const Fraction& whole)
    -> Fraction {
  TAKT_EXPECTS(Fraction(0) < whole);
  return theta + executed / whole;
}

}  // namespace detail

/// Returns by Eq. 11 what remains of a job that takes `whole` in all.
template <ExactFraction Fraction>
[[nodiscard]] constexpr auto remaining_time(const Fraction& whole, const Fraction& theta) -> Fraction {
  return whole * (Fraction(1) - theta);
}

/// Returns by Eq. 12 the same remainder with another share, if the slow-down by others does not depend on the own
/// share. Pre: alone_now > 0.
template <ExactFraction Fraction>
[[nodiscard]] constexpr auto rescaled(const Fraction& remaining, const Fraction& alone_now, const Fraction& alone_then)
    -> Fraction {
  TAKT_EXPECTS(Fraction(0) < alone_now);
  return remaining * alone_then / alone_now;
}

namespace detail {

/// A job that runs has something left, whatever a prediction says.
template <ExactFraction Fraction>
[[nodiscard]] constexpr auto at_least_a_tick(const Fraction& remaining) -> Fraction {
  return remaining < Fraction(1) ? Fraction(1) : remaining;
}

/// Eq. 13: the longest time alone that a share may have for the remainder to fit into the slack. Pre: remaining > 0.
template <ExactFraction Fraction>
[[nodiscard]] constexpr auto longest_time_alone(const Fraction& slack, const Fraction& alone_now,
                                                const Fraction& remaining) -> Fraction {
  TAKT_EXPECTS(Fraction(0) < remaining);
  return slack * alone_now / remaining;
}

}  // namespace detail

/// Eq. 13: the least share whose time alone is at most `bound`; none if the bound is not positive or not a number.
template <ExactFraction Fraction>
[[nodiscard]] constexpr auto least_share(const wcet_row& row, const Fraction& bound) -> share_need {
  if (!is_number(bound) || !(Fraction(0) < bound)) { return no_share_suffices; }
  return detail::least_sufficient_share([&](share held) { return !(bound < Fraction(row.at(held))); });
}

}  // namespace takt::inline TAKT_ABI
