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

namespace detail {

/// Returns whether task k has what its kernels need, where an analysis says it.
template <class A>
[[nodiscard]] constexpr auto is_served(const A& a, std::size_t k) -> bool {
  if constexpr (requires { a.served(k); }) {
    return a.served(k);
  } else {
    return true;
  }
}

/// Returns the verdict of an analysis whose first `passed` tasks meet their deadlines and whose next one, if any, was
/// evaluated. Status: `schedulable` or `not_proven`. An analysis may say what its bounds consist of, by members
/// `for_each_term(k, f)` and, for a task without bound, `for_each_demand(k, f)`: f takes terms.
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
    const auto add = [&v](const term<number>& part) { v.parts.add(part.what, part.by, part.time); };
    if constexpr (requires { a.for_each_term(k, add); }) {
      if (v.bound.exists) { a.for_each_term(k, add); }
    }
    if constexpr (requires { a.for_each_demand(k, add); }) {
      if (!v.bound.exists && detail::is_served(a, k)) { a.for_each_demand(k, add); }
    }
  }
  return out;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
