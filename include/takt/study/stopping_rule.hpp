// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::studies {

/// Says when a point of a curve has seen enough sets: once Wilson's 95 % interval of each share is no wider than this.
/// In whole numbers, so that every machine decides the same.
struct stopping_rule {
  std::int64_t interval_permille = 0;  ///< 0: never, all sets are drawn
  std::int64_t least_sets = 50;
  std::vector<std::size_t> columns;  ///< whose shares count

  [[nodiscard]] auto in_use() const noexcept -> bool { return interval_permille > 0; }

  /// Tells whether (2 z sqrt(a (n - a) / n + z^2 / 4) / (n + z^2) <= w for each. Pre: 0 <= a <= n <= `unit::most_sets`.
  [[nodiscard]] auto enough(std::int64_t sets, std::span<const std::int64_t> counts) const noexcept -> bool {
    if (!in_use() || sets < least_sets || sets < 1) { return false; }
    for (const std::size_t c : columns) {
      if (!is_narrow(sets, counts[c])) {
        TAKT_EXPECTS(0 <= counts[c] && counts[c] <= sets);
        return false;
      }
    }
    return true;
  }

 private:
  [[nodiscard]] auto is_narrow(std::int64_t n, std::int64_t a) const noexcept -> bool {
    __extension__ using wide = unsigned __int128;
    constexpr wide z2 = 38'416;  // 1.96^2 in ten-thousandths
    constexpr wide parts = 10'000;
    const auto all = static_cast<wide>(n);
    const wide spread = static_cast<wide>(a) * static_cast<wide>(n - a);
    const wide left = 1'000'000 * (4 * z2 * parts * spread + all * z2 * z2);
    const auto width = static_cast<wide>(interval_permille);
    const wide scale = all * parts + z2;
    return left <= width * width * all * scale * scale;
  }
};

}  // namespace takt::inline TAKT_ABI::studies
