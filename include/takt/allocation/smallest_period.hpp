// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>

#include <takt/core/number.hpp>
#include <takt/model/graph/graph_table.hpp>

namespace takt::inline TAKT_ABI {

struct period_search {
  bool found = false;
  ticks period = 0;  ///< supported; the smallest such if a longer period is never harder
};

/// Finds the smallest common period of all graphs of `table`, among the multiples of `step` up to `most`, with which
/// `bounded(table)` holds. With the test of a mode of execution, it is the shortest time between frames that this mode
/// supports. The table keeps it. Pre: 0 < step <= most.
/// Cost: one test per halving of the range; none allocates. Source: Yang et al. 2018, section 3.
template <std::size_t N, std::size_t E, std::size_t G, std::predicate<const graph_table<ticks, N, E, G>&> Bounded>
constexpr auto smallest_period(graph_table<ticks, N, E, G>& table, ticks step, ticks most, const Bounded& bounded)
    -> period_search {
  TAKT_EXPECTS(0 < step && step <= most);
  const auto supports = [&](ticks steps) {
    for (auto& g : table.graphs) { g.period = steps * step; }
    return bounded(table);
  };
  ticks low = 1;
  ticks high = most / step;
  if (!supports(high)) { return {}; }
  while (low < high) {
    const ticks middle = low + (high - low) / 2;
    if (supports(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  for (auto& g : table.graphs) { g.period = high * step; }
  return {.found = true, .period = high * step};
}

}  // namespace takt::inline TAKT_ABI
