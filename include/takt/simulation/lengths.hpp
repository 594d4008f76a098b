// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/model/stage.hpp>
#include <takt/simulation/options.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Decides how long segments take.
class lengths {
 public:
  constexpr lengths(execution_times execution, std::uint64_t seed) noexcept : random_{seed}, execution_{execution} {}

  [[nodiscard]] constexpr auto draw(const interval<ticks>& time) noexcept -> ticks {
    switch (execution_) {
      case execution_times::upper: return time.upper;
      case execution_times::lower: return time.lower;
      case execution_times::random: return time.lower == time.upper ? time.lower : any_of(time);
    }
    return time.upper;
  }

 private:
  constexpr auto any_of(const interval<ticks>& time) noexcept -> ticks {
    const ticks luck = random_.below(8);
    if (luck < 5) { return luck < 3 ? time.upper : time.lower; }
    return random_.between(time.lower, time.upper);
  }

  random_stream random_;
  execution_times execution_;
};

}  // namespace takt::inline TAKT_ABI::simulation
