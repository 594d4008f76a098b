// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/job_count.hpp>
#include <takt/core/fixed_point.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Response of task k on its core under preemptive fixed priorities, with waiting as a term of its own. It is the least
/// x = own + sum over the higher tasks i of its core of ceil((x + R_i - C_i) / T_i) C_i. `own` is all of a job's CPU
/// time, its suspensions and its waiting; `cpu(i)` is C_i without suspensions, `response(i)` a bound R_i >= C_i.
///
/// Sound on one core and on partitioned ones, for constrained deadlines, under two conditions. `own` bounds the
/// wall-clock time of every wait, not only its suspension-oblivious blocking. No section of a lower task keeps the core
/// from the job. Not sound under global or clustered scheduling. A higher task's suspensions cost the others nothing
/// but jitter, which is where this beats `inflate`; a short response with long waits above it is where `inflate` is
/// better. Source: Chen, Nelissen and Huang 2016, Theorem 1.
template <class Table, class Cpu, class Response>
[[nodiscard]] constexpr auto suspension_aware_response(const Table& table, std::size_t k,
                                                       const typename Table::number& own, const Cpu& cpu,
                                                       const Response& response)
    -> fixed_point<typename Table::number> {
  using number = typename Table::number;
  const auto& t = table.tasks[k];
  return least_fixed_point(own, t.deadline, [&](const number& x) {
    number sum = own;
    for (std::size_t i = 0; i < k; ++i) {
      const auto& h = table.tasks[i];
      if (h.core != t.core) { continue; }
      sum = sum + detail::jobs_released(h.period, number(x + response(i) - cpu(i))) * cpu(i);
    }
    return takt::detail::ascent<number>{sum, x};
  });
}

}  // namespace takt::inline TAKT_ABI::analysis
