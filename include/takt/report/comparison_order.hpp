// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include <takt/analysis/verdict.hpp>
#include <takt/report/comparison_summary.hpp>

namespace takt::inline TAKT_ABI::report {

/// By what ways of sharing a GPU are ranked.
enum class comparison_rank : std::uint8_t { slack, factor };

namespace detail {

/// Proven first, then what no proof decides, then proven misses, then what has no verdict.
[[nodiscard]] constexpr auto grade_of(const std::optional<verdict_status>& status) noexcept -> std::int32_t {
  if (!status) { return 5; }
  switch (*status) {
    case verdict_status::schedulable: return 0;
    case verdict_status::not_proven: return 1;
    case verdict_status::unschedulable: return 2;
    case verdict_status::overflow: return 3;
    case verdict_status::invalid_model: return 4;
  }
  return 5;
}

[[nodiscard]] inline auto better(const comparison_row& a, const comparison_row& b, comparison_rank by) -> bool {
  // An empty optional compares less than any number, so what is unknown comes last.
  const auto& [a1, a2] = by == comparison_rank::slack ? std::tie(a.slack_permille, a.factor_permille)
                                                      : std::tie(a.factor_permille, a.slack_permille);
  const auto& [b1, b2] = by == comparison_rank::slack ? std::tie(b.slack_permille, b.factor_permille)
                                                      : std::tie(b.factor_permille, b.slack_permille);
  return std::tuple{grade_of(a.status), b1, b2} < std::tuple{grade_of(b.status), a1, a2};
}

}  // namespace detail

/// Returns positions of the rows, best first; equals keep their order.
[[nodiscard]] inline auto ranked(const comparison_summary& c, comparison_rank by = comparison_rank::slack)
    -> std::vector<std::size_t> {
  std::vector<std::size_t> out(c.rows.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::ranges::sort(out, [&](std::size_t a, std::size_t b) {
    if (detail::better(c.rows[a], c.rows[b], by)) { return true; }
    return !detail::better(c.rows[b], c.rows[a], by) && a < b;
  });
  return out;
}

/// Returns the row that is proven and leaves most; none where no row is proven.
[[nodiscard]] inline auto best_of(const comparison_summary& c, comparison_rank by = comparison_rank::slack)
    -> std::optional<std::size_t> {
  const auto order = ranked(c, by);
  if (order.empty() || c.rows[order.front()].status != verdict_status::schedulable) { return std::nullopt; }
  return order.front();
}

}  // namespace takt::inline TAKT_ABI::report
