// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include <takt/core/number.hpp>
#include <takt/core/random.hpp>

namespace takt::inline TAKT_ABI::generation::detail {

/// Divides `total` into `out.size()` utilisations, uniform on the simplex: the distances between sorted uniform cuts of
/// [0, total]. Takes one number per cut from `random`, and only operations that IEEE 754 rounds the same everywhere.
///
/// A part may exceed 1 where `total` does; such a set is infeasible, but dropping it would change the distribution.
/// Source: Bini and Buttazzo 2005, "Measuring the performance of schedulability tests", UUniSort. It is UUniFast in
/// distribution. Pre: total > 0. Cost: n log n.
constexpr void uunisort(random_stream& random, double total, std::span<double> out) {
  TAKT_EXPECTS(0 < total);
  if (out.empty()) { return; }
  constexpr double unit = 1.0 / 9'007'199'254'740'992.0;  // 2^-53
  for (double& cut : out.first(out.size() - 1)) { cut = total * (static_cast<double>(random.next() >> 11U) * unit); }
  out.back() = total;
  std::ranges::sort(out);
  for (std::size_t i = out.size() - 1; i > 0; --i) { out[i] -= out[i - 1]; }
}

/// Returns the period at which an application of this length has about this utilisation, D = T being the deadline:
/// rounded to a tick, at least 1. Utilisations below 1e-4 count as that. Pre: 0 < wcet < 2^39. Source: Yao et al. 2022,
/// Eq. 14.
[[nodiscard]] constexpr auto period_for(ticks wcet, double utilization) -> ticks {
  TAKT_EXPECTS(0 < wcet && wcet < ticks{1} << 39U);
  constexpr double least = 1e-4;
  const double period = static_cast<double>(wcet) / std::max(utilization, least);
  const auto whole = static_cast<ticks>(period);
  return std::max<ticks>(1, period - static_cast<double>(whole) < 0.5 ? whole : whole + 1);
}

}  // namespace takt::inline TAKT_ABI::generation::detail
