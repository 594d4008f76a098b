// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <takt/study/unit.hpp>

namespace takt::inline TAKT_ABI::studies {

/// Counts set by set: `judge(unit, number of the set in it, counts)`.
template <class Judge>
[[nodiscard]] auto set_by_set(Judge judge) {
  return [judge = std::move(judge)](const unit& u, row counts) mutable {
    for (std::int64_t i = 0; i < u.sets; ++i) { judge(u, i, counts); }
  };
}

namespace detail {

/// Returns how many columns compare so many with one another: for each two, sets with only the one or the other.
[[nodiscard]] constexpr auto pair_columns(std::size_t compared) noexcept -> std::size_t {
  return compared * (compared - (compared > 0 ? 1 : 0));
}
/// Returns the first of the two columns of a pair, behind those of the study. Pre: i < j < compared.
[[nodiscard]] constexpr auto pair_column(std::size_t compared, std::size_t i, std::size_t j) noexcept -> std::size_t {
  TAKT_EXPECTS(i < j && j < compared);
  return i * (2 * compared - i - 1) + 2 * (j - i - 1);
}

}  // namespace detail

/// As `set_by_set`, and compares the columns `paired` of each set: a judge adds at most 1 to each of these. Pre: the
/// counts have `pair_columns` more than the study, at their end.
template <class Judge>
[[nodiscard]] auto count_pairs(std::vector<std::size_t> paired, Judge judge) {
  return [paired = std::move(paired), judge = std::move(judge)](const unit& u, row counts) mutable {
    TAKT_EXPECTS(counts.size() >= detail::pair_columns(paired.size()));
    const std::size_t columns = counts.size() - detail::pair_columns(paired.size());
    const row pairs = counts.subspan(columns);
    std::vector<std::int64_t> one(columns);
    for (std::int64_t set = 0; set < u.sets; ++set) {
      std::ranges::fill(one, 0);
      judge(u, set, row{one});
      for (std::size_t c = 0; c < columns; ++c) { counts[c] += one[c]; }
      for (std::size_t i = 0; i < paired.size(); ++i) {
        for (std::size_t j = i + 1; j < paired.size(); ++j) {
          const std::int64_t first = one[paired[i]];
          const std::int64_t second = one[paired[j]];
          const std::size_t at = detail::pair_column(paired.size(), i, j);
          pairs[at] += first > second ? 1 : 0;
          pairs[at + 1] += second > first ? 1 : 0;
        }
      }
    }
  };
}

/// Counts where all levels of a configuration come out of the same runs: `find(series)` does those, once for all
/// workers, and `write(found, unit, counts)` counts for a level.
template <class Find, class Write>
[[nodiscard]] auto once_per_series(std::size_t series, Find find, Write write) {
  struct entry {
    std::once_flag once;
    std::optional<decltype(find(series))> found;
  };
  return [find = std::move(find), write = std::move(write), entries = std::make_shared<std::vector<entry>>(series)](
             const unit& u, row counts) {
    entry& e = (*entries)[u.series];
    std::call_once(e.once, [&] { e.found.emplace(find(u.series)); });
    write(*e.found, u, counts);
  };
}

}  // namespace takt::inline TAKT_ABI::studies
