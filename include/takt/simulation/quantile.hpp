// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/checked.hpp>
#include <takt/core/expects.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Returns the least value that at least so many thousandths of all are not above. Pre: ascending, not empty, 0 < share
/// <= 1000.
[[nodiscard]] inline auto quantile(std::span<const ticks> ascending, std::int64_t share) -> ticks {
  TAKT_EXPECTS(!ascending.empty() && 0 < share && share <= 1000);
  TAKT_EXPECTS_IN_TESTS(std::ranges::is_sorted(ascending));
  const auto count = static_cast<std::int64_t>(ascending.size());
  return ascending[static_cast<std::size_t>(ceil_divide<std::int64_t>(count * share, 1000) - 1)];
}

}  // namespace takt::inline TAKT_ABI::simulation
