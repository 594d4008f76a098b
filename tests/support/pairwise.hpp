// SPDX-License-Identifier: Apache-2.0
// Covering arrays of strength two: rows of choices in which any two factors show every pair of their values.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace pairwise {

template <std::size_t Factors>
using row = std::array<std::size_t, Factors>;

/// Rows in the order in which they were found.
template <std::size_t Factors, std::size_t Capacity>
struct covering_array {
  std::array<row<Factors>, Capacity> rows{};
  std::size_t count = 0;

  [[nodiscard]] constexpr auto begin() const { return rows.begin(); }
  [[nodiscard]] constexpr auto end() const { return rows.begin() + static_cast<std::ptrdiff_t>(count); }
  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return count; }
  [[nodiscard]] constexpr auto operator[](std::size_t i) const -> const row<Factors>& { return rows[i]; }
};

/// Whether some row has value x of factor f beside value y of factor g.
template <class Rows>
[[nodiscard]] constexpr auto shows(const Rows& rows, std::size_t f, std::size_t x, std::size_t g, std::size_t y)
    -> bool {
  for (const auto& r : rows) {
    if (r[f] == x && r[g] == y) { return true; }
  }
  return false;
}

/// The number of pairs of values of two factors that no row shows.
template <class Rows, std::size_t Factors>
[[nodiscard]] constexpr auto pairs_left(const Rows& rows, const std::array<std::size_t, Factors>& levels)
    -> std::size_t {
  std::size_t left = 0;
  for (std::size_t f = 0; f < Factors; ++f) {
    for (std::size_t g = f + 1; g < Factors; ++g) {
      for (std::size_t x = 0; x < levels[f]; ++x) {
        for (std::size_t y = 0; y < levels[g]; ++y) { left += shows(rows, f, x, g, y) ? 0U : 1U; }
      }
    }
  }
  return left;
}

namespace detail {

/// Pairs that a value would show first, beside the values that a row has already. `set` says which those are.
template <class Rows, std::size_t Factors>
[[nodiscard]] constexpr auto gain(const Rows& rows, const row<Factors>& made, const std::array<bool, Factors>& set,
                                  std::size_t f, std::size_t x) -> std::size_t {
  std::size_t pairs = 0;
  for (std::size_t g = 0; g < Factors; ++g) { pairs += set[g] && !shows(rows, f, x, g, made[g]) ? 1U : 0U; }
  return pairs;
}
template <class Rows>
[[nodiscard]] constexpr auto uses(const Rows& rows, std::size_t f, std::size_t x) -> std::size_t {
  std::size_t n = 0;
  for (const auto& r : rows) { n += r[f] == x ? 1U : 0U; }
  return n;
}

}  // namespace detail

/// Greedy: each row starts with the first pair that is missing, and takes for every other factor the value that shows
/// most missing pairs, of equal ones the one that was used least. At most `Capacity` rows.
template <std::size_t Capacity, std::size_t Factors>
[[nodiscard]] constexpr auto cover(const std::array<std::size_t, Factors>& levels)
    -> covering_array<Factors, Capacity> {
  covering_array<Factors, Capacity> out;
  for (std::size_t f = 0; f < Factors; ++f) {
    for (std::size_t g = f + 1; g < Factors; ++g) {
      for (std::size_t pair = 0; pair < levels[f] * levels[g] && out.count < Capacity; ++pair) {
        const std::size_t x = pair / levels[g];
        const std::size_t y = pair % levels[g];
        if (shows(out, f, x, g, y)) { continue; }
        row<Factors> made{};
        std::array<bool, Factors> set{};
        made[f] = x;
        made[g] = y;
        set[f] = set[g] = true;
        for (std::size_t h = 0; h < Factors; ++h) {
          if (set[h]) { continue; }
          std::size_t best = 0;
          for (std::size_t z = 1; z < levels[h]; ++z) {
            const std::size_t more = detail::gain(out, made, set, h, z);
            const std::size_t most = detail::gain(out, made, set, h, best);
            if (more > most || (more == most && detail::uses(out, h, z) < detail::uses(out, h, best))) { best = z; }
          }
          made[h] = best;
          set[h] = true;
        }
        out.rows[out.count++] = made;
      }
    }
  }
  return out;
}

}  // namespace pairwise
