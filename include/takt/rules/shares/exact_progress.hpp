// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/rules/shares/job_progress.hpp>

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

/// Returns by Eq. 11 what remains of a job that takes `whole` in all.
template <ExactFraction Fraction>
[[nodiscard]] constexpr auto remaining_time(const Fraction& whole, const Fraction& theta) -> Fraction {
  return whole * (Fraction(1) - theta);
}

}  // namespace detail

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

/// Progress as an exact fraction, whose denominator grows with every change of the whole time: for comparisons with
/// published values, on fractions of any size. A fraction that overflows counts as nothing done, from then on.
template <ExactFraction Fraction>
class exact_progress {
 public:
  constexpr exact_progress() = default;

  [[nodiscard]] static constexpr auto start(ticks /*reference*/) -> exact_progress { return {}; }
  /// Returns a job of which so much is done. Pre: 0 <= theta <= 1.
  [[nodiscard]] static constexpr auto at(const Fraction& theta) -> exact_progress {
    TAKT_EXPECTS(Fraction(0) <= theta && theta <= Fraction(1));
    exact_progress out;
    out.theta_ = theta;
    return out;
  }

  constexpr void advance(ticks executed, ticks whole) {
    if (whole == unbounded_time || !is_number(theta_)) { return; }
    const Fraction theta = detail::advanced(theta_, Fraction(executed), Fraction(whole));
    theta_ = Fraction(1) < theta && is_number(theta) ? Fraction(1) : theta;
  }

  [[nodiscard]] constexpr auto theta() const -> const Fraction& { return theta_; }
  [[nodiscard]] constexpr auto finished() const -> bool { return theta_ == Fraction(1); }
  [[nodiscard]] constexpr auto time_left(ticks whole) const -> ticks {
    const Fraction left = detail::remaining_time(Fraction(whole), theta_or_none());
    return is_number(left) ? whole_part_up(left, whole) : whole;
  }
  [[nodiscard]] constexpr auto fits(ticks whole, ticks slack) const -> bool {
    return whole != unbounded_time && slack >= 0 &&
           !(Fraction(slack) < detail::remaining_time(Fraction(whole), theta_or_none()));
  }
  [[nodiscard]] constexpr auto fits_rescaled(ticks with, const slowdown& slow, ticks now, ticks slack) const -> bool {
    if (slack <= 0 || with == unbounded_time || slow.predicted == unbounded_time) { return false; }
    const Fraction whole = Fraction(slow.predicted) / Fraction(slow.alone) * Fraction(now);
    const Fraction left = detail::at_least_a_tick(detail::remaining_time(whole, theta_or_none()));
    const Fraction bound = detail::longest_time_alone(Fraction(slack), Fraction(now), left);
    return is_number(left) && is_number(bound) && !(bound < Fraction(with));
  }
  [[nodiscard]] constexpr auto beyond(const rational& threshold) const -> bool {
    if (!is_number(theta_) || threshold.overflowed()) { return false; }
    return Fraction(threshold.numerator()) / Fraction(threshold.denominator()) < theta_;
  }

 private:
  [[nodiscard]] constexpr auto theta_or_none() const -> Fraction { return is_number(theta_) ? theta_ : Fraction(0); }
  /// Rounds up by bisection: a fraction need not convert to ticks. Pre: value <= limit.
  [[nodiscard]] static constexpr auto whole_part_up(const Fraction& value, ticks limit) -> ticks {
    TAKT_EXPECTS(value <= Fraction(limit));
    ticks low = 0;
    ticks high = limit;
    while (low < high) {
      const ticks middle = low + (high - low) / 2;
      if (Fraction(middle) < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  Fraction theta_{0};
};

}  // namespace takt::inline TAKT_ABI
