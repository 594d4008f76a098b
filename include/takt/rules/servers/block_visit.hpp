// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what visits say of their kernels to a block queue.
struct block_visit {
  std::int64_t blocks = 1;
  std::int64_t threads = 1;
  ticks length = 0;  ///< longest time of a block
  ticks serial = 0;  ///< longest time of the kernel apart from its blocks

  [[nodiscard]] static constexpr auto of(const view_values& v) noexcept -> block_visit {
    return {v.at[0], v.at[1], v.at[2], v.at[3]};
  }
  [[nodiscard]] constexpr auto values() const noexcept -> view_values { return {{blocks, threads, length, serial}}; }
};

}  // namespace takt::inline TAKT_ABI
