// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Largest numerator and denominator of a GPU's speed.
inline constexpr std::int32_t max_speed_part = 10'000;

/// Says how many times as fast a GPU is as the one that the times of a model are about: 3/2 for one and a half times.
/// It is a promise about all of a kernel, launch included, and scales measured times like divisible work: both are
/// times on that one GPU. Where the factor is not the same for every kernel, the bounds of the work must be widened to
/// cover it. Source: Zou et al. 2021, section 5.6, in words.
struct gpu_speed {
  std::int32_t numerator = 1;
  std::int32_t denominator = 1;

  [[nodiscard]] constexpr auto valid() const noexcept -> bool {
    return numerator > 0 && denominator > 0 && numerator <= max_speed_part && denominator <= max_speed_part;
  }
  [[nodiscard]] constexpr auto is_one() const noexcept -> bool { return numerator == denominator && numerator > 0; }
  [[nodiscard]] friend constexpr auto operator==(const gpu_speed& a, const gpu_speed& b) noexcept -> bool {
    return std::int64_t{a.numerator} * b.denominator == std::int64_t{b.numerator} * a.denominator;
  }
};

/// Holds what a share of a GPU amounts to for a kernel.
struct sm_power {
  std::int32_t virtual_sms = 0;
  gpu_speed speed{};
  std::int32_t virtual_per_sm = 1;  ///< of the GPU
};

}  // namespace takt::inline TAKT_ABI
