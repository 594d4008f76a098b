// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/sm_power.hpp>
#include <takt/model/warps.hpp>

namespace takt::inline TAKT_ABI {

/// A GPU without a rule. A size of 0 is not known; what needs it refuses.
struct gpu_hardware {
  std::int32_t sms = 0;
  std::int32_t virtual_per_sm = 1;
  std::int32_t granularity = 1;
  gpu_speed speed{};
  std::int32_t threads_per_sm = 0;
  std::int32_t blocks_per_sm = 0;
  std::int32_t warp_size = usual_warp_size;
  std::int32_t preemption_levels = 0;
  std::int64_t memory = 0;       ///< bytes
  ticks context_switch = 0;      ///< longest switch between two contexts, caches included
  bool switch_is_known = false;  ///< 0 is a statement, too

  /// Returns the room of an SM.
  [[nodiscard]] constexpr auto residency() const noexcept -> sm_residency {
    return {threads_per_sm, blocks_per_sm, warp_size};
  }
  [[nodiscard]] friend constexpr auto operator==(const gpu_hardware&, const gpu_hardware&) noexcept -> bool = default;
};

/// Units of a resource that is neither processor nor copy engine nor GPU.
struct own_hardware {
  std::string_view name{};
  std::int32_t count = 1;

  [[nodiscard]] friend constexpr auto operator==(const own_hardware&, const own_hardware&) noexcept -> bool = default;
};

inline constexpr std::size_t max_own_resources = 8;

/// A board without rules: what every way of sharing it has in common.
struct hardware {
  std::int32_t processors = 0;
  std::int32_t copy_engines = 0;
  inline_vector<gpu_hardware, max_gpus> gpus;
  inline_vector<own_hardware, max_own_resources> own;

  [[nodiscard]] friend constexpr auto operator==(const hardware&, const hardware&) noexcept -> bool = default;
};

}  // namespace takt::inline TAKT_ABI
