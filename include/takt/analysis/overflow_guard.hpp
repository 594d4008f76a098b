// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/task_table.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Returns whether the bounds of a kernel can be computed on every share of every GPU whose speed is not 1; `upper`, at
/// least its time at speed 1, grows to its time on the slowest GPU.
template <class Table>
[[nodiscard]] constexpr auto fits_speeds(const Table& table, const segment_record<ticks>& s,
                                         const platform_record& platform, ticks& upper) -> bool {
  if (s.where != stage::kernel) { return true; }
  const ticks reference = upper;
  for (const gpu_record& gpu : platform.gpus) {
    if (gpu.speed.is_one()) { continue; }
    interval<ticks> slowed{};
    if (!table.kernel_bounds(s, gpu.power(gpu.budget()), slowed) ||
        !takt::detail::times_at_speed<ticks>({0, reference}, gpu.speed, slowed)) {
      return false;
    }
    upper = slowed.upper > upper ? slowed.upper : upper;
  }
  return true;
}

}  // namespace detail

/// Returns whether all intermediate values of a response-time analysis fit 64 bits, on any share of any GPU.
///
/// A workload function is at most its window, and a window at most twice the longest deadline plus what it is asked
/// for. So every sum is at most (segments + 8) times all own work plus (4 tasks + 2 segments + 8) times the longest
/// period. A product jobs x work is at most a window plus two periods. One test at the start lets the later loops use
/// plain arithmetic.
template <class Table>
[[nodiscard]] constexpr auto fits_64_bits(const Table& table, const platform_record& platform) -> bool {
  using number = typename Table::number;
  if constexpr (number_traits<number>::integral) {
    number longest = 0;
    number own = 0;
    std::int32_t most_stretched = 1;
    for (const gpu_record& gpu : platform.gpus) {
      most_stretched = gpu.virtual_per_sm > most_stretched ? gpu.virtual_per_sm : most_stretched;
    }
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
        const interleave_ratio ratio = ratio_on(most_stretched, s.interleave_numerator, s.interleave_denominator);
        if (!checked_multiply(upper, ratio.numerator, upper) || !checked_add(upper, s.overhead, upper) ||
            !detail::fits_speeds(table, s, platform, upper) || !checked_add(own, upper, own)) {
          return false;
        }
        number serial = 0;
        if (!checked_multiply(s.overhead, ratio.denominator, serial)) { return false; }
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

}  // namespace takt::inline TAKT_ABI::analysis
