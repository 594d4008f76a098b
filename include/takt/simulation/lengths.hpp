// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/model/stage.hpp>
#include <takt/simulation/options.hpp>

namespace takt::simulation {

/// How long segments take.
class lengths {
 public:
  constexpr lengths(execution_times execution, std::uint64_t seed) noexcept : random_{seed}, execution_{execution} {}

  [[nodiscard]] constexpr auto draw(const interval<ticks>& time) noexcept -> ticks {
    if (execution_ == execution_times::upper) { return time.upper; }
    if (execution_ == execution_times::lower || time.lower == time.upper) { return time.lower; }
    const ticks luck = random_.below(8);
    if (luck < 5) { return luck < 3 ? time.upper : time.lower; }
    return random_.between(time.lower, time.upper);
  }

 private:
  random_stream random_;
  execution_times execution_;
};

}  // namespace takt::simulation
