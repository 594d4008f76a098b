// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/concepts.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/plan.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Evaluates every task under a plan, from the highest priority down, and stops at the first that fails. Bounds of
/// lower tasks would rest on a deadline that is not kept. A task without a share in the plan has none.
/// Returns the number of tasks that meet their deadlines, highest first.
template <PriorityAnalysis A, std::size_t N>
constexpr auto evaluate_all(A& a, const plan<N>& p) -> std::size_t {
  const auto& tasks = a.table().tasks;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    const auto id = tasks[k].id;
    a.assign(k, id < p.shares.size() ? p.shares[id] : sm_share{});
  }
  std::size_t k = 0;
  while (k < tasks.size() && a.evaluate(k)) { ++k; }
  return k;
}

/// Returns the verdict of an analysis whose first `passed` tasks meet their deadlines and whose next one, if any, was
/// evaluated. Status: `schedulable` or `not_proven`.
template <PriorityAnalysis A>
[[nodiscard]] constexpr auto verdict_of(const A& a, std::size_t passed) {
  const auto& table = a.table();
  using number = typename std::remove_cvref_t<decltype(table)>::number;
  verdict<number, A::max_tasks> out;
  out.method = a.name();
  out.status = passed == table.size() ? verdict_status::schedulable : verdict_status::not_proven;
  out.tasks.resize(table.size());
  for (std::size_t k = 0; k < table.size(); ++k) {
    const auto& t = table.tasks[k];
    auto& v = out.tasks[t.id];
    v = {.name = t.name, .deadline = t.deadline};
    if (k > passed) { continue; }
    v.bound = a.bound(k);
    v.evaluated = true;
    v.meets = k < passed;
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
