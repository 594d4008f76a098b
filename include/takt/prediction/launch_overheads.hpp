// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <takt/core/checked.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what the launch of a kernel takes besides its work, as the shortest and the longest of some runs without work:
/// launched plainly, and pinned to SMs. Source: Zou et al. 2021, section 4.3.
struct launch_overheads {
  interval<ticks> plain{};
  interval<ticks> pinned{};

  /// Returns what pinning adds at most. A plain run had at least the shortest, so two longest give no bound.
  [[nodiscard]] constexpr auto pinning() const noexcept -> ticks {
    return pinned.upper > plain.lower ? pinned.upper - plain.lower : 0;
  }
};

namespace detail {

/// Returns the law of a kernel that ends later by up to `delay` on any number of SMs. Its upper bound is later, and its
/// overhead larger by that; the work is rounded up to a tick. A ratio that is not given counts as 1, at which all of
/// the delay is work. None on overflow. Pre: delay >= 0.
[[nodiscard]] constexpr auto later_by(const divisible_work& law, ticks delay) noexcept
    -> std::optional<divisible_work> {
  TAKT_EXPECTS(delay >= 0);
  const interleave_ratio ratio = ratio_on(1, law.interleave_numerator, law.interleave_denominator);
  ticks unstretched = 0;
  ticks work = 0;
  ticks overhead = 0;
  if (!checked_multiply(delay, ratio.denominator, unstretched)) { return std::nullopt; }
  unstretched = ceil_divide(unstretched, ratio.numerator);
  if (!checked_add(law.work.upper.count(), unstretched, work) || !checked_add(law.overhead.count(), delay, overhead)) {
    return std::nullopt;
  }
  divisible_work out = law;
  out.work.upper = duration{work};
  out.overhead = duration{overhead};
  interval<ticks> unused;
  const bool fits = divisible_work_bounds<ticks>({out.work.lower.count(), work}, overhead, ratio.numerator,
                                                 ratio.denominator, 1, unused);
  return fits ? std::optional{out} : std::nullopt;
}

}  // namespace detail

/// Returns the law of a kernel once it is pinned, from that of its plain form. Not for a law from times of pinned runs,
/// which hold what pinning adds already. None on overflow.
[[nodiscard]] constexpr auto pinned_law(const divisible_work& plain, const launch_overheads& costs) noexcept
    -> std::optional<divisible_work> {
  return detail::later_by(plain, costs.pinning());
}

}  // namespace takt::inline TAKT_ABI
