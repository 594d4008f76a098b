// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <takt/analysis/runtime_tasks/mismatch.hpp>
#include <takt/analysis/runtime_tasks/whole_kernels.hpp>
#include <takt/core/number.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/model/sm_power.hpp>
#include <takt/model/task_attributes.hpp>
#include <takt/model/visit_fact.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Holds positions by priority, the first the most important: as given if every task says one, else by deadline.
template <class RuntimeTasks>
struct share_ranks {
  std::int64_t least = std::numeric_limits<std::int32_t>::max();
  std::int64_t greatest = 0;
  bool all_given = true;

  constexpr explicit share_ranks(const RuntimeTasks& tasks) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const std::int64_t p = tasks.tasks[i].priority;
      all_given = all_given && p != no_priority;
      least = p < least ? p : least;
      greatest = greatest < p ? p : greatest;
    }
  }
  [[nodiscard]] constexpr auto weight(const RuntimeTasks& tasks, std::size_t i) const -> std::int32_t {
    if (all_given) { return static_cast<std::int32_t>(least + greatest - tasks.tasks[i].priority); }
    std::int32_t below = 0;
    const ticks own = ordering_deadline(tasks.tasks[i]);
    for (std::size_t j = 0; j < tasks.size(); ++j) {
      const ticks other = ordering_deadline(tasks.tasks[j]);
      below += own < other || (own == other && i < j) ? 1 : 0;
    }
    return below;
  }
};

/// A row on a GPU of another speed than that on which it was measured, and nowhere below the `wcet` of the kernel.
[[nodiscard]] constexpr auto row_on(const wcet_row& row, const gpu_speed& speed, ticks wcet) -> wcet_row {
  if (speed.is_one() && wcet <= row.at(full_share)) { return row; }
  ticks times[wcet_row::shares]{};
  for (std::size_t i = 0; i < wcet_row::shares; ++i) {
    const ticks measured = row.at(share::bounded(static_cast<std::int32_t>(i + 1)));
    const ticks given = measured < wcet ? wcet : measured;
    interval<ticks> slowed{};
    times[i] = given != unbounded_time && takt::detail::times_at_speed<ticks>({0, given}, speed, slowed)
                   ? slowed.upper
                   : unbounded_time;
  }
  return wcet_row::measured(std::span<const ticks, wcet_row::shares>{times});
}

/// Pre: the kernel has a row.
template <class RuntimeTasks>
[[nodiscard]] constexpr auto row_of(const RuntimeTasks& tasks, const hardware& board, const runtime_visit& v)
    -> wcet_row {
  TAKT_EXPECTS(v.known.has(visit_fact::wcet_by_share));
  return row_on(tasks.rows[v.row], board.gpus[0].speed, v.known.has(visit_fact::wcet) ? v.wcet : 0);
}

/// Returns the time of the one kernel of a task, with so many per cent of the GPU. Pre: `read_shares` found nothing, 1
/// <= percent <= 100.
template <class RuntimeTasks>
[[nodiscard]] constexpr auto time_with_share(const RuntimeTasks& tasks, const hardware& board, std::size_t task,
                                             std::int32_t percent) -> ticks {
  TAKT_EXPECTS(percent >= 1 && percent <= 100);
  return detail::row_of(tasks, board, tasks.visit(task, 0)).at(share::bounded(percent));
}

}  // namespace detail

/// Writes run-time tasks that are one kernel each, with its times by share, as applications. The highest described
/// priority is 0, that of an application the greatest number, so the order of numbers is reversed. Without priorities
/// the shorter deadline goes first. Pre: the table is empty but for its contention.
template <class RuntimeTasks, class Table>
[[nodiscard]] constexpr auto read_shares(const RuntimeTasks& tasks, const hardware& board, Table& out) -> model_error {
  TAKT_EXPECTS(out.size() == 0);
  if (const auto error = detail::whole_kernel_fault(tasks, board)) { return error; }
  const detail::share_ranks<RuntimeTasks> ranks{tasks};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const runtime_task& t = tasks.tasks[i];
    const runtime_visit& v = tasks.visit(i, 0);
    if (!v.known.has(visit_fact::wcet_by_share)) {
      return detail::fact_missing(tasks, lacks(visit_fact::wcet_by_share), i, 0);
    }
    if (t.memory < 0 || t.memory >= std::int64_t{1} << 58) {
      return detail::mismatch_at(tasks, model_fault::memory_exceeded, i);
    }
    const share_task application{.name = t.name,
                                 .period = t.period,
                                 .deadline = detail::deadline_to_prove(t),
                                 .priority = ranks.weight(tasks, i),
                                 .alone = detail::row_of(tasks, board, v),
                                 .request = {},
                                 .memory = memory_units::holding(t.memory)};
    if (!out.add(application)) { return detail::mismatch_at(tasks, model_fault::too_many_tasks, i); }
  }
  return {};
}

}  // namespace takt::inline TAKT_ABI::analysis
