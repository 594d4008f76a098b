// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>
#include <takt/core/value.hpp>
#include <takt/core/wide_natural.hpp>
#include <takt/model/shares/wcet_row.hpp>

namespace takt::inline TAKT_ABI {

/// A prediction for a whole job, and the time of that job alone with the share that the prediction is about. Their
/// ratio is the slow-down, and alone it is what is reused later.
struct slowdown {
  ticks predicted = 1;
  ticks alone = 1;
};

/// Says how much of a job is done, theta in the paper. It is the sum of executed over whole time, each whole time at
/// the share and the load that were then in force (Yao et al. 2022, Eq. 9 to 11). What remains of a job whose whole
/// time is now C is C (1 - theta).
///
/// - `start(reference)`: nothing is done of a job whose time, at some fixed share, is `reference`.
/// - `advance(executed, whole)`: no progress when `whole` is `unbounded_time`; at most to the end of the job.
/// - `time_left(whole)`: ceil(whole (1 - theta)).
/// - `fits(whole, slack)`: whole (1 - theta) <= slack.
/// - `fits_rescaled(with, slow, now, slack)`: with max(1, slow now (1 - theta)) <= slack now and slack > 0. `with` and
///   `now`: times alone, with another and with the present share (Eq. 12 and 13).
/// - `beyond(threshold)`: theta > threshold.
template <class P>
concept JobProgress =
    detail::DefaultCopyable<P> && requires(P p, const P& c, ticks t, const slowdown& slow, const rational& threshold) {
      { P::start(t) } -> std::same_as<P>;
      p.advance(t, t);
      { c.finished() } -> std::same_as<bool>;
      { c.time_left(t) } -> std::same_as<ticks>;
      { c.fits(t, t) } -> std::same_as<bool>;
      { c.fits_rescaled(t, slow, t, t) } -> std::same_as<bool>;
      { c.beyond(threshold) } -> std::same_as<bool>;
    };

/// Progress in a fixed size. It is exact while the fraction that remains fits 62 bits, else on a grid of 2^-k reference
/// times' ticks, with the greatest k that fits. The grid rounds what remains up, by less than one step per change of
/// the whole time. It never rounds down: no completion is expected too early and no need comes out too small.
///
/// Nor does it come out too great where the whole job is bounded by the reference C. Let the job keep up with
/// 1 - theta <= s / C, s its slack. Slack is whole, so s / C lies on the grid, hence rounding 1 - theta up to the grid
/// keeps it below. `sufficient_shares` rests on this.
class fixed_progress {
 public:
  constexpr fixed_progress() noexcept = default;

  /// Pre: reference >= 1.
  [[nodiscard]] static constexpr auto start(ticks reference) noexcept -> fixed_progress {
    TAKT_EXPECTS(reference >= 1);
    fixed_progress out;
    out.grid_ = reference;
    while (out.grid_ < greatest / 2) { out.grid_ *= 2; }
    return out;
  }

  /// Pre: executed >= 0, whole >= 1.
  constexpr void advance(ticks executed, ticks whole) noexcept {
    TAKT_EXPECTS(executed >= 0 && whole >= 1);
    if (whole == unbounded_time || executed == 0) { return; }
    using detail::wide_natural;
    const wide_natural before = wide_natural{left_} * whole;  // both times of_ whole
    const wide_natural done = wide_natural{executed} * of_;
    if (before <= done) {
      left_ = 0;
      of_ = 1;
      return;
    }
    const ticks common = greatest_common_divisor(of_, whole);
    ticks of = 0;
    if (checked_multiply(of_ / common, whole, of) && 0 < of && of <= greatest) {
      const ticks left = left_ * (whole / common) - executed * (of_ / common);
      const ticks divisor = greatest_common_divisor(of, left);
      left_ = left / divisor;
      of_ = of / divisor;
      return;
    }
    wide_natural left = before - done;
    left *= grid_;
    left.divide_up(of_);
    left.divide_up(whole);
    left_ = left.to_ticks();
    of_ = grid_;
  }

  [[nodiscard]] constexpr auto finished() const noexcept -> bool { return left_ == 0; }
  [[nodiscard]] constexpr auto time_left(ticks whole) const noexcept -> ticks {
    return detail::scaled_up(whole, left_, of_);
  }
  [[nodiscard]] constexpr auto fits(ticks whole, ticks slack) const noexcept -> bool {
    return slack >= 0 && whole != unbounded_time &&
           detail::wide_natural{whole} * left_ <= detail::wide_natural{slack} * of_;
  }
  [[nodiscard]] constexpr auto fits_rescaled(ticks with, const slowdown& slow, ticks now, ticks slack) const noexcept
      -> bool {
    using detail::wide_natural;
    if (slack <= 0 || with == unbounded_time || slow.predicted == unbounded_time) { return false; }
    // One tick against what is left, both times slow.alone of_.
    const wide_natural tick = wide_natural{slow.alone} * of_;
    const wide_natural left = wide_natural{slow.predicted} * now * left_;
    return (left < tick ? tick : left) * with <= wide_natural{slow.alone} * of_ * slack * now;
  }
  [[nodiscard]] constexpr auto beyond(const rational& threshold) const noexcept -> bool {
    if (threshold.overflowed()) { return false; }
    if (threshold.numerator() < 0) { return true; }
    return detail::wide_natural{of_ - left_} * threshold.denominator() >
           detail::wide_natural{of_} * threshold.numerator();
  }

 private:
  static constexpr ticks greatest = ticks{1} << 62;

  ticks grid_ = 1;
  ticks left_ = 1;  ///< over `of_`: the part of the job that remains
  ticks of_ = 1;
};

static_assert(JobProgress<fixed_progress>);

}  // namespace takt::inline TAKT_ABI
