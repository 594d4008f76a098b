// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/segment.hpp>

namespace takt {

/// The self-interleave ratio of a kernel from two kinds of runs on one physical SM: `alone` as one block on one virtual
/// SM, and `together` as V blocks that share the same work on all V. It is V times the longest time together over the
/// shortest alone, in thousandths rounded up, and at least 1. An overhead in the times makes it larger, never too
/// small. None when there are no times, a time or V is not positive, or on overflow.
/// Source: Zou et al. 2021, section 6.2, solved for the ratio.
[[nodiscard]] constexpr auto measured_interleave(std::span<const ticks> alone, std::span<const ticks> together,
                                                 std::int32_t virtual_per_sm) noexcept
    -> std::optional<kernel_interleave> {
  if (alone.empty() || together.empty() || virtual_per_sm < 1) { return std::nullopt; }
  ticks shortest = alone[0];
  ticks longest = together[0];
  bool positive = true;
  for (const ticks t : alone) {
    shortest = t < shortest ? t : shortest;
    positive = positive && t > 0;
  }
  for (const ticks t : together) {
    longest = t > longest ? t : longest;
    positive = positive && t > 0;
  }
  ticks scaled = 0;
  if (!positive || !checked_multiply(longest, std::int64_t{1'000} * virtual_per_sm, scaled)) { return std::nullopt; }
  const std::int64_t thousandths = ceil_divide(scaled, shortest);
  if (thousandths <= 1'000) { return self_interleave(1); }
  const std::int64_t common = greatest_common_divisor(thousandths, std::int64_t{1'000});
  return self_interleave(thousandths / common, 1'000 / common);
}

}  // namespace takt
