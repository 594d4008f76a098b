// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what rules of whole kernels read of a visit: the cost to stop the kernel, and the core that it is pinned to.
struct kernel_needs {
  ticks cost = 0;  ///< longest time of one wave; 0: it stops anywhere
  std::int32_t core = unassigned_core;
  ticks margin = 0;  ///< it starts waves so much longer before the end of its slot than they last; below 0: less long

  /// For servers whose kernels are stopped by others, in waves of that length: they leave as soon as they are asked to,
  /// and slots close as early as otherwise.
  [[nodiscard]] constexpr auto stopped_elsewhere() const noexcept -> kernel_needs { return {0, core, margin + cost}; }
  [[nodiscard]] constexpr auto values() const noexcept -> view_values { return {{cost, core + 1, margin}}; }
};
[[nodiscard]] constexpr auto kernel_needs_of(const view_values& v) noexcept -> kernel_needs {
  return {v.at[0], static_cast<std::int32_t>(v.at[1] - 1), v.at[2]};
}

}  // namespace takt::inline TAKT_ABI
