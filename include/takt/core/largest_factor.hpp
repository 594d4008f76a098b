// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Returns the largest whole number up to `most` for which `holds(n)` is true, if it is true for all smaller ones.
/// Otherwise it returns a number for which it is true, where the next tried one failed. It asks `first`, then twice as
/// much while it holds, then by bisection. 0: none. Pre: 1 <= first <= most < 2^62.
template <class F>
[[nodiscard]] constexpr auto largest_factor(std::int64_t first, std::int64_t most, const F& holds) -> std::int64_t {
  TAKT_EXPECTS(1 <= first && first <= most && most < (std::int64_t{1} << 62));
  std::int64_t passes = 0;
  std::int64_t fails = most + 1;
  for (std::int64_t next = first; fails - passes > 1;) {
    (holds(next) ? passes : fails) = next;
    if (passes == most) { break; }
    next = fails <= most ? (passes + fails) / 2 : passes * 2 < most ? passes * 2 : most;
  }
  return passes;
}

}  // namespace takt::inline TAKT_ABI
