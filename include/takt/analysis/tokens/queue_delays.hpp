// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/tokens/delays.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Returns the sum of the `count` longest sections that can be ahead of s at its request, of one task as many as do not
/// follow each other. Cost: `count` passes.
[[nodiscard]] constexpr auto longest_ahead(std::span<const section_demand> all, std::size_t s,
                                           std::int32_t count) noexcept -> ticks {
  ticks sum = 0;
  ticks below = unbounded_response;  // lengths are taken in descending order, those of one length at once
  while (count > 0) {
    ticks next = -1;
    std::int32_t of_it = 0;
    const auto offer = [&](ticks length) {
      if (length >= below || length < next) { return; }
      of_it = length > next ? 1 : of_it + 1;
      next = length;
    };
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (!is_first_of_task(all, r)) { continue; }
      const rivals x = rivals_of(all, s, all[r].task);
      if (x.count == 0) { continue; }
      if (x.one_at_a_time) {
        offer(x.longest < unbounded_response ? x.longest : unbounded_response - 1);
        continue;
      }
      for (std::size_t q = r; q < all.size(); ++q) {
        const bool counts =
            q != s && all[q].task == all[r].task && (all[q].task != all[s].task || !ordered(all[q], all[s]));
        if (counts) { offer(all[q].length < unbounded_response ? all[q].length : unbounded_response - 1); }
      }
    }
    if (next < 0) { break; }
    for (; of_it > 0 && count > 0; --of_it, --count) { sum = capped_sum(sum, next); }
    below = next;
  }
  return sum;
}

}  // namespace detail

/// Bounds waits in one queue that keeps the order of arrival: the sections of all that can have asked before, spread
/// over the tokens. Source: docs/composition.md, contract 3.
constexpr void arrival_order_delays(std::span<section_demand> sections, std::int32_t tokens) {
  for (std::size_t s = 0; s < sections.size(); ++s) {
    ticks sum = 0;
    std::int32_t others = 0;
    for (std::size_t r = 0; r < sections.size(); ++r) {
      if (!detail::is_first_of_task(sections, r)) { continue; }
      const auto x = detail::rivals_of(sections, s, sections[r].task);
      others += x.count;
      sum = detail::capped_sum(sum, x.sum);
    }
    detail::set_wait(sections[s], others < tokens ? 0 : sum / tokens);
  }
}

/// Bounds waits with a queue for each token, of which the one with the fewest requests is joined: behind
/// floor(others / tokens) of them. Source: Elliott 2015, equation 2.31, with the longest sections of different tasks.
constexpr void shortest_queue_delays(std::span<section_demand> sections, std::int32_t tokens) {
  for (std::size_t s = 0; s < sections.size(); ++s) {
    const std::int32_t ahead = detail::others_at_a_time(sections, s) / tokens;
    detail::set_wait(sections[s], detail::longest_ahead(sections, s, ahead));
  }
}

}  // namespace takt::inline TAKT_ABI::analysis
