// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <takt/study/run.hpp>

namespace takt::inline TAKT_ABI::studies {

namespace detail {

struct share_interval {
  double least = 0;
  double most = 1;
};

/// Returns the 95 % interval of a share of which `count` of `of` were seen. Source: Wilson 1927. Pre: 0 <= count <= of.
[[nodiscard]] inline auto wilson(std::int64_t count, std::int64_t of) -> share_interval {
  TAKT_EXPECTS(0 <= count && count <= of);
  if (of < 1) { return {}; }
  constexpr double z = 1.96;
  const auto n = static_cast<double>(of);
  const double p = static_cast<double>(count) / n;
  const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

/// Returns how likely two numbers at least so far apart are where each set is as likely to count for the one as for the
/// other. This is the exact test of McNemar 1947. Pre: both >= 0. Cost: the smaller one.
[[nodiscard]] inline auto mcnemar(std::int64_t only_first, std::int64_t only_second) -> double {
  TAKT_EXPECTS(0 <= only_first && 0 <= only_second);
  const std::int64_t n = only_first + only_second;
  const std::int64_t least = std::min(only_first, only_second);
  if (2 * least >= n) { return 1; }
  // Sum of C(n, k) / 2^n for k <= least, as a multiple of its last and largest term.
  double sum = 1;
  double term = 1;
  double log_of_last = -static_cast<double>(n) * std::log(2.0);
  for (std::int64_t k = least; k > 0; --k) {
    term *= static_cast<double>(k) / static_cast<double>(n - k + 1);
    sum += term;
    log_of_last += std::log(static_cast<double>(n - k + 1) / static_cast<double>(k));
  }
  return std::min(1.0, 2 * sum * std::exp(log_of_last));
}

/// Returns a curve in one number: its share at each level, weighted by the level. Source: Bastoni, Brandenburg and
/// Anderson 2010.
[[nodiscard]] inline auto weighted_share(const result& r, const curve& c) -> double {
  double weights = 0;
  double sum = 0;
  for (std::size_t l = 0; l < r.designed.levels.size(); ++l) {
    const auto level = static_cast<double>(r.designed.levels[l]);
    weights += level;
    const auto sets = static_cast<double>(r.counts.sets(c.series, l));
    sum += sets > 0 ? level * static_cast<double>(r.counts.counts(c.series, l)[c.column]) / sets : 0;
  }
  return sum / weights;
}

}  // namespace detail

struct ranked_curve {
  curve of;
  double weighted = 0;
};

/// Returns the curves of a panel, the highest weighted share first.
[[nodiscard]] inline auto ranking(const result& r, const panel& p) -> std::vector<ranked_curve> {
  std::vector<ranked_curve> out;
  for (const curve& c : p.curves) { out.push_back({c, detail::weighted_share(r, c)}); }
  std::ranges::stable_sort(out, [](const auto& a, const auto& b) { return a.weighted > b.weighted; });
  return out;
}

/// Compares two curves on the same sets: how many sets have only the one or only the other, at all levels.
struct paired_counts {
  std::int64_t only_first = 0;
  std::int64_t only_second = 0;

  [[nodiscard]] auto likelihood() const -> double { return detail::mcnemar(only_first, only_second); }
};

/// Pre: both columns are among the paired ones of the study, and not the same.
[[nodiscard]] inline auto paired(const result& r, std::size_t series, std::size_t first, std::size_t second)
    -> paired_counts {
  const auto& all = r.designed.paired;
  auto i = static_cast<std::size_t>(std::ranges::find(all, first) - all.begin());
  auto j = static_cast<std::size_t>(std::ranges::find(all, second) - all.begin());
  TAKT_EXPECTS(i < all.size() && j < all.size() && i != j);
  const bool swapped = i > j;
  if (swapped) { std::swap(i, j); }
  const std::size_t at = r.designed.columns.size() + detail::pair_column(all.size(), i, j);
  paired_counts out;
  for (std::size_t l = 0; l < r.designed.levels.size(); ++l) {
    const auto counts = r.counts.counts(series, l);
    out.only_first += counts[at];
    out.only_second += counts[at + 1];
  }
  if (swapped) { std::swap(out.only_first, out.only_second); }
  return out;
}

namespace detail {

/// Returns whether a study compared two curves set by set.
[[nodiscard]] inline auto are_paired(const experiment& e, const curve& a, const curve& b) -> bool {
  const auto is_paired = [&e](std::size_t column) { return std::ranges::find(e.paired, column) != e.paired.end(); };
  return a.series == b.series && a.column != b.column && is_paired(a.column) && is_paired(b.column);
}

/// Returns "0.012", or "< 0.001".
[[nodiscard]] inline auto likelihood_text(double p) -> std::string {
  return p < 0.001 ? "< 0.001" : report::fixed(p, 3);
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::studies
