// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

/// Returns how many characters one has to change, add or take away to make one text the other.
[[nodiscard]] inline auto edit_distance(std::string_view a, std::string_view b) -> std::size_t {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) { row[j] = j; }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace detail

/// Returns the candidate that takes the fewest changes of one character. Of the word the first 64 characters count.
/// Pre: there is a candidate.
[[nodiscard]] inline auto nearest(std::string_view word, std::span<const std::string_view> candidates)
    -> std::string_view {
  TAKT_EXPECTS(!candidates.empty());
  word = word.substr(0, 64);
  return *std::ranges::min_element(candidates, [word](std::string_view a, std::string_view b) {
    return detail::edit_distance(word, a) < detail::edit_distance(word, b);
  });
}

}  // namespace takt::inline TAKT_ABI::report
