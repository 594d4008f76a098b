// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>

#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Lies beyond all times of a simulation.
inline constexpr ticks never = std::numeric_limits<ticks>::max() / 2;

namespace detail {

/// Finds the earliest of the instants of a fixed set of sources, each of which has at most one. Of equal instants that
/// of the lowest source comes first. It is a tournament tree. Cost: `time` none; `source` and `set` one step per
/// doubling of the sources.
template <std::size_t MaxSources>
class calendar {
 public:
  /// Pre: 0 < sources <= MaxSources.
  constexpr explicit calendar(std::size_t sources) noexcept : leaves_{std::bit_ceil(sources)} {
    TAKT_EXPECTS(0 < sources && sources <= MaxSources);
    earliest_.fill(never);
  }

  [[nodiscard]] constexpr auto time() const noexcept -> ticks { return earliest_[1]; }
  /// Returns whose instant `time` is.
  [[nodiscard]] constexpr auto source() const noexcept -> std::size_t {
    std::size_t i = 1;
    while (i < leaves_) {
      i *= 2;
      i += std::size_t{earliest_[i] != earliest_[1]};
    }
    return i - leaves_;
  }

  /// Replaces the instant of a source; `never` takes it out. Pre: source is below the number of them.
  constexpr void set(std::size_t source, ticks time) noexcept {
    TAKT_EXPECTS(source < leaves_);
    std::size_t i = leaves_ + source;
    earliest_[i] = time;
    while (i > 1) {
      time = std::min(time, earliest_[i ^ 1U]);
      i /= 2;
      earliest_[i] = time;
    }
  }

 private:
  std::array<ticks, 2 * std::bit_ceil(MaxSources)> earliest_{};  ///< of the sources below each node; node 1 is the root
  std::size_t leaves_;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::simulation
