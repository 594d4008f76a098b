// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/scaled.hpp>
#include <takt/model/shares/contention.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/model/visit_fact.hpp>

namespace takt::inline TAKT_ABI {

/// Returns what all others together may add to the kernels of a task, in parts per million; it fits for 2^31 tasks.
template <std::size_t N>
[[nodiscard]] constexpr auto growth_ppm(const contention_matrix<N>& contention, std::size_t task) noexcept
    -> std::int64_t {
  std::int64_t out = 0;
  for (std::size_t by = 0; by < N; ++by) { out += contention.ppm(task, by); }
  return out;
}

/// Returns the same workload with kernels as long as they are while all other tasks use the GPU: each upper end of
/// their times grows, rounded up. Costs of preemptions stay. Error: `time_overflow`.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto with_contention(const runtime_task_set<N, V, R, S>& tasks,
                                             const contention_matrix<N>& contention)
    -> runtime_conversion<runtime_task_set<N, V, R, S>> {
  constexpr std::int64_t million = 1'000'000;
  runtime_conversion<runtime_task_set<N, V, R, S>> out{.tasks = tasks};
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    const std::int64_t ppm = growth_ppm(contention, i);
    for (std::uint32_t p = 0; ppm > 0 && p < tasks.tasks[i].visit_count; ++p) {
      runtime_visit& v = out.tasks.visits[tasks.tasks[i].first_visit + p];
      if (v.where != resource_kind::gpu) { continue; }
      detail::time_scale by{million + ppm, million};
      for (ticks* const time : {&v.time.upper, &v.work.upper, &v.overhead, &v.block_length, &v.wcet}) { by.up(*time); }
      for (std::uint32_t k = 0; v.known.has(visit_fact::times_on_sms) && k < v.samples; ++k) {
        ticks& upper = out.tasks.samples[v.first_sample + k].upper;
        if (upper != unbounded_time) { by.up(upper); }
      }
      if (v.known.has(visit_fact::wcet_by_share)) {
        out.tasks.rows[v.row] = detail::scaled_row(out.tasks.rows[v.row], by);
      }
      const bool fits = detail::keep_serial_part_within(v) && by.fits();
      if (!fits && !out.error) { out.error = located(fault_at(model_fault::time_overflow, i, p), tasks.tasks); }
    }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI
