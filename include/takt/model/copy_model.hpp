// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/duration.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI {

/// Says how long a transfer takes: a latency plus its bytes at a bandwidth, each known as an interval. Bandwidth is in
/// bytes per second; `slowest` gives upper bounds, `fastest` lower ones. Source: Zou et al. 2021, section 3.2.
struct copy_model {
  interval<duration> latency;
  std::int64_t slowest = 1;
  std::int64_t fastest = 1;

  /// Rounds the lower bound down and the upper bound up. Pre: bytes >= 0, bandwidths > 0. Zero bytes take no time at
  /// all: they are not transferred. Error: an upper bound of `duration::max()` on overflow.
  [[nodiscard]] constexpr auto time(std::int64_t bytes) const noexcept -> interval<duration> {
    TAKT_EXPECTS(bytes >= 0 && slowest > 0 && fastest > 0);
    if (bytes == 0) { return {}; }
    return {latency.lower + duration{at(bytes, fastest, false)}, latency.upper + duration{at(bytes, slowest, true)}};
  }

  /// Returns the segment that moves so many bytes.
  [[nodiscard]] constexpr auto segment(std::int64_t bytes,
                                       copy_direction direction = copy_direction::unspecified) const noexcept
      -> copy_segment {
    return {time(bytes), direction};
  }

 private:
  /// Computes bytes x 10^9 / bandwidth within 64 bits where the result fits: whole seconds first, then nine digits.
  [[nodiscard]] static constexpr auto at(std::int64_t bytes, std::int64_t bandwidth, bool up) noexcept -> ticks {
    ticks nanoseconds = bytes / bandwidth;
    std::int64_t rest = bytes % bandwidth;
    for (int digit = 0; digit < 9; ++digit) {
      std::int64_t scaled = 0;
      ticks shifted = 0;
      if (!checked_multiply(rest, std::int64_t{10}, scaled) || !checked_multiply(nanoseconds, ticks{10}, shifted) ||
          !checked_add(shifted, scaled / bandwidth, nanoseconds)) {
        return duration::max().count();
      }
      rest = scaled % bandwidth;
    }
    return nanoseconds + (up && rest > 0 ? 1 : 0);
  }
};

}  // namespace takt::inline TAKT_ABI
