// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/analysis/runtime_tasks/deadlines.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/rules/tags.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// The task-level order in which processors preempt; void: they have none.
template <class CpuRule>
struct order_of_cores : std::type_identity<void> {};
template <FixedPriority CpuRule>
struct order_of_cores<CpuRule> : std::type_identity<order_of<CpuRule>> {};
template <BusyWaiting CpuRule>
struct order_of_cores<CpuRule> : std::type_identity<order_of<typename CpuRule::inner_rule>> {};

/// Returns a task as orders see it. Pre: its index is its position.
[[nodiscard]] constexpr auto order_timing(const runtime_task& t, std::size_t i) -> job_timing {
  return {.wcet = 1,
          .period = t.period,
          .deadline = ordering_deadline(t),
          .task = static_cast<std::int32_t>(i),
          .priority = t.priority};
}

/// Returns the ranks of tasks for proofs of misses under a rule of processors; none where it is not one of fixed
/// priorities with preemption. A plan may choose priorities that some task lacks. Then deadline monotonic ones stand
/// for all, since tasks that never leave a core keep no deadlines under others that they miss under these. That is so
/// of tasks with deadlines within their periods, without jitter and without strict periods in the set; the others get
/// no rank. Source: Leung and Whitehead 1982.
template <class CpuRule, std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto ranks_under(const runtime_task_set<N, V, R, S>& all) -> inline_vector<std::int64_t, N> {
  inline_vector<std::int64_t, N> out;
  using order = typename detail::order_of_cores<CpuRule>::type;
  if constexpr (!std::is_void_v<order>) {
    bool all_are_given = true;
    for (const runtime_task& t : all.tasks) { all_are_given = all_are_given && t.priority != no_priority; }
    bool is_chosen = false;
    if constexpr (takt::detail::GivenPriority<order>) { is_chosen = !all_are_given; }
    bool some_are_strict = false;
    for (const runtime_task& t : all.tasks) { some_are_strict = some_are_strict || t.strict; }
    priority_point points[N]{};
    for (std::size_t i = 0; i < all.size(); ++i) {
      const job_timing t = detail::order_timing(all.tasks[i], i);
      const bool fits = is_chosen ? by_relative_deadline{}.point(t, 0, points[i]) : order{}.point(t, 0, points[i]);
      if (!fits) { return {}; }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      const runtime_task& t = all.tasks[i];
      const bool is_ranked = !is_chosen || (asks_for_its_deadline(t) && t.jitter == 0 && !some_are_strict);
      std::int64_t rank = 0;
      for (std::size_t k = 0; k < all.size(); ++k) { rank += points[k] < points[i] ? 1 : 0; }
      // Bound: one per task, at most N.
      out.unchecked_push_back(is_ranked ? rank : -1);
    }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis::detail
