// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// Returns how many jobs of a node, released `offset` after its invocation starts, can begin before one of them ends.
/// `instances` are under way at a time. A graph has room for as many invocations as the node that needs most.
[[nodiscard]] constexpr auto node_reach(ticks offset, ticks period, std::int64_t instances) -> std::int64_t {
  return ceil_divide(offset, period) + instances;
}

}  // namespace takt::inline TAKT_ABI
