// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Says how much applications on one GPU slow one another down, pairwise and in parts per million. `ppm(i, k)` is what
/// the time of i grows by when k holds the whole rest of the GPU; with a part of it, by so much less.
template <std::size_t MaxTasks>
class contention_matrix {
 public:
  /// Pre: both are below `MaxTasks`; so for the one below.
  [[nodiscard]] constexpr auto ppm(std::size_t slowed, std::size_t by) const noexcept -> std::uint32_t {
    TAKT_EXPECTS(slowed < MaxTasks && by < MaxTasks);
    return ppm_[slowed][by];
  }
  /// An application does not slow itself down.
  constexpr void set(std::size_t slowed, std::size_t by, std::uint32_t value) noexcept {
    TAKT_EXPECTS(slowed < MaxTasks && by < MaxTasks);
    if (slowed != by) { ppm_[slowed][by] = value; }
  }
  /// Returns whether no application slows another one down.
  [[nodiscard]] constexpr auto none() const noexcept -> bool {
    for (std::size_t i = 0; i < MaxTasks; ++i) {
      for (std::size_t k = 0; k < MaxTasks; ++k) {
        if (ppm_[i][k] != 0) { return false; }
      }
    }
    return true;
  }

 private:
  std::array<std::array<std::uint32_t, MaxTasks>, MaxTasks> ppm_{};
};

/// Holds the per cent of SMs, L2, DRAM, shared memory and texture units of a GPU that an application uses alone.
using resource_profile = std::array<std::uint8_t, 5>;

/// Returns the slow-down between two applications that both press on the same resources: kappa a . b / 10^4, rounded
/// down. What does not fit is the greatest one.
[[nodiscard]] constexpr auto profiled_slowdown(const resource_profile& slowed, const resource_profile& by,
                                               std::uint32_t kappa_ppm) noexcept -> std::uint32_t {
  std::uint64_t common = 0;
  for (std::size_t r = 0; r < slowed.size(); ++r) { common += std::uint64_t{slowed[r]} * by[r]; }
  constexpr std::uint64_t greatest = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t product = kappa_ppm * common / 10'000;
  return static_cast<std::uint32_t>(product < greatest ? product : greatest);
}

}  // namespace takt::inline TAKT_ABI
