// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/locking/critical_section_fusion.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Computes how long a copy of `chunks` chunks waits at most while less important copies have its engine.
/// `longest_lower` has the longest chunk of each of those. Returns false on overflow, with a negative value, and for an
/// order of which nothing is known.
///
/// In priority order one chunk of one of them can be in front of each request. That is a request of every chunk, or
/// with fused sections of the first one only. Then a copy that gave way to a more important one stays in the queue, and
/// no less important one passes it. First come, first served, each of them can be in front once per chunk, fused or
/// not: fusion ends where another copy waits. Source: Elliott 2015, section 3.2.3.4.
[[nodiscard]] constexpr auto copy_chunk_blocking(const service_order& order, bool fused, std::int64_t chunks,
                                                 std::span<const ticks> longest_lower, ticks& out) noexcept -> bool {
  ticks longest = 0;
  ticks sum = 0;
  for (std::size_t i = 0; i < longest_lower.size(); ++i) {
    if (longest_lower[i] < 0 || !checked_add(sum, longest_lower[i], sum)) { return false; }
    longest = longest < longest_lower[i] ? longest_lower[i] : longest;
  }
  if (chunks < 0) { return false; }
  if (order.is_by_arrival()) { return checked_multiply(sum, chunks, out); }
  return order.is_by_priority() && checked_multiply(longest, fused && chunks > 1 ? 1 : chunks, out);
}

}  // namespace takt::inline TAKT_ABI::analysis
