// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace takt {

/// What pinned kernels may do while a more important kernel that needs all cores cannot start.
enum class gang_order : std::uint8_t {
  backfill,  ///< run
  strict,    ///< wait behind it
};
[[nodiscard]] constexpr auto last_of(gang_order) noexcept -> gang_order { return gang_order::strict; }

}  // namespace takt
