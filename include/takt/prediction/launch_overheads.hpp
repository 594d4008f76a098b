// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <takt/core/checked.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/kernel_law.hpp>

namespace takt {

/// What the launch of a kernel takes besides its work, as the longest of some runs without work: launched plainly, and
/// pinned to SMs. Source: Zou et al. 2021, section 4.3.
struct launch_overheads {
  ticks plain = 0;
  ticks pinned = 0;

  /// What pinning adds.
  [[nodiscard]] constexpr auto pinning() const noexcept -> ticks { return pinned > plain ? pinned - plain : 0; }
};

/// The law of a kernel once it is pinned, from that of its plain form: by what pinning adds its upper bound is later on
/// any number of SMs, and its overhead larger; the work is rounded up to a tick. Not for a law from times of pinned
/// runs, which hold it already. None on overflow.
[[nodiscard]] constexpr auto pinned_law(const divisible_work& plain, const launch_overheads& costs) noexcept
    -> std::optional<divisible_work> {
  ticks unstretched = 0;
  ticks work = 0;
  ticks overhead = 0;
  if (!checked_multiply(costs.pinning(), plain.interleave_denominator, unstretched)) { return std::nullopt; }
  unstretched = ceil_divide(unstretched, plain.interleave_numerator);
  if (!checked_add(plain.work.upper.count(), unstretched, work) ||
      !checked_add(plain.overhead.count(), costs.pinning(), overhead)) {
    return std::nullopt;
  }
  divisible_work out = plain;
  out.work.upper = duration{work};
  out.overhead = duration{overhead};
  interval<ticks> unused;
  const bool fits = divisible_work_bounds<ticks>({out.work.lower.count(), work}, overhead, out.interleave_numerator,
                                                 out.interleave_denominator, 1, unused);
  return fits ? std::optional{out} : std::nullopt;
}

}  // namespace takt
