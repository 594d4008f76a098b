// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/model/stage.hpp>
#include <takt/runtime/run_options.hpp>

namespace takt::runtime {

/// Lengths of a task's segments, the same sequence for the same seed on every machine.
class length_source {
 public:
  length_source(length_choice choice, std::uint64_t seed, std::uint32_t task) noexcept
      : choice_{choice}, random_{seed + 0xD1B54A32D192ED03 * (std::uint64_t{task} + 1)} {}

  [[nodiscard]] auto draw(const interval<ticks>& bounds) noexcept -> ticks {
    switch (choice_) {
      case length_choice::upper: return bounds.upper;
      case length_choice::lower: return bounds.lower;
      case length_choice::uniform: return random_.between(bounds.lower, bounds.upper);
    }
    return bounds.upper;
  }

 private:
  length_choice choice_;
  random_stream random_;
};

}  // namespace takt::runtime
