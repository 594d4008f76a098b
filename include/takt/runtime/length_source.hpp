// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/stage.hpp>
#include <takt/runtime/run_options.hpp>

namespace takt::runtime {

/// Lengths of a task's segments, the same sequence for the same seed on every machine. The generator is splitmix64.
class length_source {
 public:
  length_source(length_choice choice, std::uint64_t seed, std::uint32_t task) noexcept
      : choice_{choice}, state_{seed + 0xD1B54A32D192ED03 * (std::uint64_t{task} + 1)} {}

  [[nodiscard]] auto draw(const interval<ticks>& bounds) noexcept -> ticks {
    switch (choice_) {
      case length_choice::upper: return bounds.upper;
      case length_choice::lower: return bounds.lower;
      case length_choice::uniform: break;
    }
    const auto values = static_cast<std::uint64_t>(bounds.upper - bounds.lower) + 1;
    return bounds.lower + static_cast<ticks>(next() % values);
  }

 private:
  [[nodiscard]] auto next() noexcept -> std::uint64_t {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EB;
    return z ^ (z >> 31U);
  }

  length_choice choice_;
  std::uint64_t state_;
};

}  // namespace takt::runtime
