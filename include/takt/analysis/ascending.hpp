// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Calls `visit(j)` for the positions below `count` that `selects(j)` picks, by ascending `key(j)`; equal keys keep
/// their order. Pre: count <= Capacity. Cost: selected positions squared.
template <std::size_t Capacity, class Selects, class Key, class Visit>
constexpr void for_ascending(std::size_t count, const Selects& selects, const Key& key, const Visit& visit) {
  TAKT_EXPECTS(count <= Capacity);
  std::size_t order[Capacity];  // NOLINT: left unset, so that a large capacity costs nothing
  std::size_t selected = 0;
  for (std::size_t j = 0; j < count; ++j) {
    if (!selects(j)) { continue; }
    std::size_t at = selected++;
    for (; at > 0 && key(j) < key(order[at - 1]); --at) { order[at] = order[at - 1]; }
    order[at] = j;
  }
  for (std::size_t i = 0; i < selected; ++i) { visit(order[i]); }
}

}  // namespace takt::inline TAKT_ABI::analysis::detail
