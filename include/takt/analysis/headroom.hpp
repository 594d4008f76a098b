// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>

namespace takt::analysis {

/// Whether no intermediate value of a response-time analysis of this table can leave 64 bits.
///
/// A workload function is at most its window, a window at most twice the longest deadline plus what it is asked for,
/// so every sum is at most (segments + 8) times all own work plus (4 tasks + 2 segments + 8) times the longest period,
/// and a product jobs x work at most a window plus two periods. One test at the door lets the loops behind it use plain
/// arithmetic.
template <class Table>
[[nodiscard]] constexpr auto has_headroom(const Table& table) -> bool {
  using number = typename Table::number;
  if constexpr (number_traits<number>::integral) {
    number longest = 0;
    number own = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
      const auto& t = table.tasks[i];
      longest = t.period > longest ? t.period : longest;
      for (std::size_t j = 0; j < t.segment_count; ++j) {
        const auto& s = table.segment(i, j);
        number upper = s.time.upper;
        for (std::uint32_t r = 0; r < s.samples; ++r) {
          const number sample = table.samples[s.first_sample + r].upper;
          upper = sample > upper ? sample : upper;
        }
        if (!checked_multiply(upper, s.interleave_numerator, upper) || !checked_add(upper, s.overhead, upper) ||
            !checked_add(own, upper, own)) {
          return false;
        }
        number serial = 0;
        if (!checked_multiply(s.overhead, s.interleave_denominator, serial)) { return false; }
      }
    }
    const auto windows = static_cast<number>(4 * table.size() + 2 * table.segments.size() + 8);
    number sum = 0;
    return checked_multiply(longest, windows, sum) &&
           checked_multiply(own, static_cast<number>(table.segments.size() + 8), own) && checked_add(sum, own, sum);
  } else {
    return true;
  }
}

}  // namespace takt::analysis
