// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/must_miss.hpp>
#include <takt/analysis/proven_miss.hpp>
#include <takt/analysis/strict_periods.hpp>
#include <takt/analysis/task_ranks.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/rules/tags.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Tasks that are certain to run on a core, by their instants of release. Others that run there too only delay them.
template <std::size_t N>
struct clocked_tasks {
  inline_vector<strict_load, N> loads;
  inline_vector<std::uint32_t, N> tasks;
};

template <class Tasks>
[[nodiscard]] constexpr auto clocked_on(const Tasks& all, const board_limits& limits, std::int32_t core,
                                        std::span<const std::int64_t> ranks, bool by_rank)
    -> clocked_tasks<Tasks::max_tasks> {
  clocked_tasks<Tasks::max_tasks> out;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const runtime_task& t = all.tasks[i];
    const bool is_there = limits.processors == 1 || (limits.named_cores && t.core == core);
    const bool is_ordered = !by_rank || (i < ranks.size() && ranks[i] >= 0);
    if (!is_there || !is_ordered || !t.strict || t.visit_count != 1 || t.offset < 0 || t.period < 1) { continue; }
    const runtime_visit& v = all.visits[t.first_visit];
    if (v.where != resource_kind::processor || !v.known.has(visit_fact::time) || v.time.upper < 1 || v.region != 0) {
      continue;
    }
    if (t.period > longest_visit_time || t.offset > longest_visit_time || v.time.upper > longest_visit_time) {
      continue;
    }
    // Bound: one per task, at most that of all.
    out.loads.unchecked_push_back({t.offset, t.period, v.time.upper});
    out.tasks.unchecked_push_back(i);
  }
  return out;
}

/// A task stands for its core where no task before it names the same one: only cores that are named are looked at,
/// once.
template <class Tasks>
[[nodiscard]] constexpr auto is_first_there(const Tasks& all, const board_limits& limits, std::uint32_t task) -> bool {
  if (limits.processors == 1) { return task == 0; }
  const std::int32_t core = all.tasks[task].core;
  if (core < 0 || core >= limits.processors) { return false; }
  for (std::uint32_t i = 0; i < task; ++i) {
    if (all.tasks[i].core == core) { return false; }
  }
  return true;
}

template <class Misses>
[[nodiscard]] constexpr auto is_noted(const Misses& out, std::uint32_t task) -> bool {
  for (const auto& miss : out) {
    if (miss.task == task) { return true; }
  }
  return false;
}

/// Adds strictly periodic tasks that miss a deadline in the run of their instants of release, under every plan. They
/// are on the one processor, or on the core that they name, under preemptive fixed priorities or EDF. `ranks`: as for
/// `find_proven_misses`. Cost: tasks x `response_by_hyperperiod`.
template <RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R, std::size_t S>
constexpr void add_strict_misses(const runtime_task_set<N, V, R, S>& all, const board_limits& limits,
                                 std::span<const std::int64_t> ranks, proven_misses<ticks, N>& out) {
  constexpr bool by_rank = FixedPriority<CpuRule>;
  if constexpr (by_rank || EarliestDeadlineFirst<CpuRule>) {
    for (std::uint32_t first = 0; first < all.size(); ++first) {
      const std::int32_t core = limits.processors == 1 ? 0 : all.tasks[first].core;
      if (!detail::is_first_there(all, limits, first)) { continue; }
      const auto there = detail::clocked_on(all, limits, core, ranks, by_rank);
      const auto point = [&](std::size_t k, ticks release) {
        const std::uint32_t i = there.tasks[k];
        return by_rank ? ticks{ranks[i]} : release + detail::order_timing(all.tasks[i], i).deadline;
      };
      for (std::size_t k = 0; k < there.tasks.size(); ++k) {
        const std::uint32_t i = there.tasks[k];
        const runtime_task& t = all.tasks[i];
        if (!t.limited || detail::is_noted(out, i)) { continue; }
        const ticks worst = response_by_hyperperiod(there.loads, k, tie::won, point).worst;
        if (worst <= t.deadline) { continue; }
        const std::int32_t at = t.core == unassigned_core ? core : t.core;
        // Bound: of a task one miss is noted, see `proven_misses`.
        out.unchecked_push_back({miss_reason::strict_releases, i, at, worst, t.deadline});
      }
    }
  }
}

}  // namespace detail

/// Returns whether tasks are released by the clock, so that runs with other releases prove nothing.
template <class Tasks>
[[nodiscard]] constexpr auto some_are_strict(const Tasks& all) -> bool {
  for (const runtime_task& t : all.tasks) {
    if (t.strict) { return true; }
  }
  return false;
}

}  // namespace takt::inline TAKT_ABI::analysis
