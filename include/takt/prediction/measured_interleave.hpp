// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI {

/// Returns whether runs are long enough to tell their work from the launch: at least half of the shortest is work. Pre:
/// not empty.
[[nodiscard]] constexpr auto long_enough(std::span<const ticks> times, const interval<ticks>& overhead) noexcept
    -> bool {
  TAKT_EXPECTS(!times.empty());
  ticks shortest = times[0];
  for (const ticks t : times) { shortest = t < shortest ? t : shortest; }
  return shortest >= 1 && overhead.lower >= 0 && overhead.upper >= overhead.lower && shortest / 2 >= overhead.upper;
}

namespace detail {

/// Returns `factor` times the work of runs that were stretched over that of runs that were not, in thousandths rounded
/// up. Work from above is the longest time less the least overhead, from below the shortest less the greatest. None
/// when a run is too short for that, a time is not positive, or on overflow.
[[nodiscard]] constexpr auto slowdown_from_above(std::span<const ticks> alone, std::span<const ticks> stretched,
                                                 std::int32_t factor, const interval<ticks>& overhead) noexcept
    -> std::optional<std::int64_t> {
  if (alone.empty() || stretched.empty() || factor < 1 || !long_enough(alone, overhead)) { return std::nullopt; }
  ticks shortest = alone[0];
  ticks longest = stretched[0];
  for (const ticks t : alone) { shortest = t < shortest ? t : shortest; }
  for (const ticks t : stretched) {
    if (t < 1) { return std::nullopt; }
    longest = t > longest ? t : longest;
  }
  const ticks most = longest - overhead.lower;
  ticks scaled = 0;
  if (!checked_multiply(most, std::int64_t{1'000} * factor, scaled)) { return std::nullopt; }
  const std::int64_t thousandths = ceil_divide(scaled, shortest - overhead.upper);
  return thousandths < 1'000 ? 1'000 : thousandths;
}

}  // namespace detail

/// Returns the self-interleave ratio of a kernel from two kinds of runs on the same physical SMs: `alone` with one
/// block on each, and `together` with V blocks on each that share the same work. It is at least the true one, and at
/// least 1, if `overhead` holds what any of these runs took besides its work. None when there are no times, a time or V
/// is not positive, the runs alone are not `long_enough`, or on overflow. Source: Zou et al. 2021, section 6.2, solved
/// for the ratio.
[[nodiscard]] constexpr auto measured_interleave(std::span<const ticks> alone, std::span<const ticks> together,
                                                 std::int32_t virtual_per_sm, const interval<ticks>& overhead) noexcept
    -> std::optional<kernel_interleave> {
  const auto thousandths = detail::slowdown_from_above(alone, together, virtual_per_sm, overhead);
  if (!thousandths) { return std::nullopt; }
  const std::int64_t common = greatest_common_divisor(*thousandths, std::int64_t{1'000});
  return self_interleave(*thousandths / common, 1'000 / common);
}

/// Returns the ratio of a kernel beside another one that is at work on the same SM all the time. The same runs are
/// timed `alone` and `beside`, each with one block on the SM. From above, and none, as `measured_interleave`. Runs of
/// which one ends before the other would give too little: the longer one is alone for the rest. Source: Zou et al.
/// 2021, section 4.2 and Fig. 5.
[[nodiscard]] constexpr auto cross_interleave(std::span<const ticks> alone, std::span<const ticks> beside,
                                              const interval<ticks>& overhead) noexcept -> std::optional<rational> {
  const auto thousandths = detail::slowdown_from_above(alone, beside, 1, overhead);
  return thousandths ? std::optional{rational{*thousandths, 1'000}} : std::nullopt;
}

}  // namespace takt::inline TAKT_ABI
