// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/exact.hpp>
#include <takt/systems/locked_gpus/analysis/options.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync::detail {

/// Returns the lesser of a whole number and `cap`. Pre: whole >= 0.
template <ExactNumber Number>
[[nodiscard]] constexpr auto bounded_count(const Number& whole, std::int64_t cap) -> std::int64_t {
  TAKT_EXPECTS(!(whole < Number(0)));
  if (!(whole < Number(cap))) { return cap; }
  if constexpr (number_traits<Number>::integral) {
    return static_cast<std::int64_t>(whole);
  } else {
    std::int64_t low = 0;
    std::int64_t high = cap;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (Number(middle) < whole) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

/// More jobs of one task than any job is counted to wait for. A count at the cap makes no bound smaller than it is,
/// since a wait that needs more of them is refused as an overflow.
inline constexpr std::int64_t most_overlaps = std::int64_t{1} << 31;

/// Computes how many jobs of task j can be pending while one job of task i is, from responses of each: the least that
/// can be said without knowing releases. Source: Elliott 2015, equations 4.11 and 4.12; with late deadlines a window is
/// the deadline, also where all of them are met.
template <class Table>
class job_overlaps {
 public:
  using number = typename Table::number;

  constexpr job_overlaps(const Table& table, std::span<const number> responses, guarantee wanted)
      : table_{&table}, responses_{responses}, wanted_{wanted} {}

  /// As a whole number; false when it does not fit.
  [[nodiscard]] constexpr auto count(std::size_t i, std::size_t j, number& out) const -> bool {
    const auto& t = table_->tasks[i];
    const number& window = asks_for_deadlines(wanted_) ? t.deadline : responses_[i];
    number sum{};
    if (!add_exactly(t.period < window ? window : t.period, responses_[j], sum)) { return false; }
    out = takt::detail::ceil_quotient(sum, table_->tasks[j].period);
    return is_number(out);
  }
  /// As an integer, `most_overlaps` for more or when it does not fit.
  [[nodiscard]] constexpr auto count(std::size_t i, std::size_t j) const -> std::int64_t {
    number whole{};
    return count(i, j, whole) ? detail::bounded_count(whole, most_overlaps) : most_overlaps;
  }

 private:
  const Table* table_;
  std::span<const number> responses_;
  guarantee wanted_;
};

}  // namespace takt::inline TAKT_ABI::analysis::gpusync::detail
