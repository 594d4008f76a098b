// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// A stream of numbers that is the same on every platform, unlike the distributions of the standard library.
/// Source: Steele, Lea and Flood 2014, SplitMix64.
class random_stream {
 public:
  constexpr explicit random_stream(std::uint64_t seed) noexcept : state_{seed} {}

  constexpr auto next() noexcept -> std::uint64_t {
    state_ += 0x9E37'79B9'7F4A'7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D0'49BB'1331'11EBU;
    return z ^ (z >> 31U);
  }
  /// Returns a number from 0 to `limit - 1`; uneven by less than limit / 2^64. Pre: limit > 0.
  constexpr auto below(ticks limit) noexcept -> ticks {
    TAKT_EXPECTS(limit > 0);
    return static_cast<ticks>(next() % static_cast<std::uint64_t>(limit));
  }
  /// Returns a number from `least` to `most`, both included. Pre: least <= most, and most - least < 2^63 - 1.
  constexpr auto between(ticks least, ticks most) noexcept -> ticks {
    TAKT_EXPECTS(least <= most &&
                 static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least) < std::uint64_t{INT64_MAX});
    return least + below(most - least + 1);
  }
  /// True in `part` of `whole` cases. Pre: whole > 0.
  constexpr auto chance(ticks part, ticks whole) noexcept -> bool {
    TAKT_EXPECTS(whole > 0);
    return below(whole) < part;
  }

 private:
  std::uint64_t state_;
};

}  // namespace takt::inline TAKT_ABI
