// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/job_count.hpp>
#include <takt/core/fixed_point.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Returns the longest CPU time of a job of task k.
template <class Table>
[[nodiscard]] constexpr auto cpu_time(const Table& table, std::size_t k) {
  typename Table::number sum(0);
  for (std::size_t j = 0; j < table.tasks[k].segment_count; ++j) {
    if (table.segment(k, j).where == stage::cpu) { sum = sum + table.segment(k, j).time.upper; }
  }
  return sum;
}

/// Response of a task that never suspends: lfp C_k + sum ceil((x + J_i) / T_i) C_i over the higher tasks of its core.
/// `jitter(i)` is 0 for a task that never suspends, else R_i - C_i; with 0 throughout the result is exact for tasks
/// released together. Source: Joseph and Pandya 1986 without jitter; Chen, Nelissen and Huang 2016, Theorem 1, with.
template <class Table, class Jitter>
[[nodiscard]] constexpr auto classical_response(const Table& table, std::size_t k, const Jitter& jitter)
    -> fixed_point<typename Table::number> {
  using number = typename Table::number;
  const auto& t = table.tasks[k];
  const number own = cpu_time(table, k);
  return least_fixed_point(own, t.deadline, [&](const number& x) {
    number sum = own;
    for (std::size_t i = 0; i < k; ++i) {
      if (table.tasks[i].core != t.core) { continue; }
      sum = sum + detail::jobs_released(table.tasks[i].period, number(x + jitter(i))) * cpu_time(table, i);
    }
    return takt::detail::ascent<number>{sum, x};
  });
}

}  // namespace takt::inline TAKT_ABI::analysis
