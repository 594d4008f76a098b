// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/version.hpp>

namespace takt::inline TAKT_ABI::generation {

/// From which values one is drawn, each as likely as any other.
struct uniform_range {
  std::int64_t least = 0;
  std::int64_t most = 0;

  [[nodiscard]] friend constexpr auto operator==(const uniform_range&, const uniform_range&) noexcept -> bool = default;
};

}  // namespace takt::inline TAKT_ABI::generation
