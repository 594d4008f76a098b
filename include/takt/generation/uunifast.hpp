// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/core/inline_vector.hpp>
#include <takt/core/random.hpp>

namespace takt::inline TAKT_ABI::generation {

namespace detail {

/// Enters a value that is not in a rising sequence yet. Pre: not full.
template <std::size_t Capacity>
constexpr void insert_rising(inline_vector<ticks, Capacity>& sequence, ticks value) {
  TAKT_EXPECTS(!sequence.full());
  sequence.unchecked_push_back(value);  // Bound: as said above.
  for (std::size_t i = sequence.size() - 1; i > 0 && value < sequence[i - 1]; --i) {
    sequence[i] = sequence[i - 1];
    sequence[i - 1] = value;
  }
}

template <std::size_t Capacity>
[[nodiscard]] constexpr auto holds(const inline_vector<ticks, Capacity>& sequence, ticks value) -> bool {
  for (const ticks v : sequence) {
    if (v == value) { return true; }
  }
  return false;
}

}  // namespace detail

/// Divides `sum` into so many positive whole parts, each way to do so as likely as any other. False, and no draw, when
/// there is none or `out` is too small.
///
/// This is what UUniFast draws (Bini and Buttazzo 2005), in integers. UUniFast makes utilisations uniform on the
/// simplex u_1 + ... + u_n = U with a power of a random number, which differs between machines. The distances between n
/// - 1 sorted uniform cuts of [0, U] are uniform there too. Here the cuts are a uniform set of n - 1 different whole
/// numbers below `sum`. Then they are uniform on the points of the simplex that are multiples of U / sum. The set is
/// drawn after Floyd (Bentley 1987). Cost: parts^2.
template <std::size_t Capacity>
[[nodiscard]] constexpr auto uunifast(random_stream& random, ticks sum, std::size_t parts,
                                      inline_vector<ticks, Capacity>& out) -> bool {
  out.clear();
  if (parts == 0 || parts > Capacity || sum < static_cast<ticks>(parts)) { return false; }
  for (ticks most = sum - static_cast<ticks>(parts) + 1; most < sum; ++most) {
    const ticks cut = random.between(1, most);
    detail::insert_rising(out, detail::holds(out, cut) ? most : cut);
  }
  out.unchecked_push_back(sum);  // Bound: parts, which are at most Capacity.
  for (std::size_t i = out.size() - 1; i > 0; --i) { out[i] -= out[i - 1]; }
  return true;
}

}  // namespace takt::inline TAKT_ABI::generation
