// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <takt/allocation/allocate.hpp>
#include <takt/analysis/analyze.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// A verdict under the plan of the default search.
template <class P, class T>
[[nodiscard]] constexpr auto analyze_planned_chains(const P& platform, const T& tasks, model_error& error) {
  model_error found;
  const auto p = allocate_chains(platform, tasks, default_search, default_evaluations, found);
  return analysis::detail::judge_chains(platform, tasks, p, error);
}

}  // namespace detail

/// Proves, or fails to prove, that every task meets its deadline under a plan that is looked for first: that of
/// `allocate` with its defaults. The verdict's plan says what was chosen; `plan.effort.complete` is false where the
/// search ended before it was decided whether there is a plan. Error and cost: those of `allocate` and of `analyze`
/// with a plan.
template <class P, class T>
  requires ChainsAsAWhole<P, T>
[[nodiscard]] constexpr auto analyze(const P& platform, const T& tasks,
                                     detail::refusal&& refused = detail::refusal{
                                         analysis::detail::check_method<P>::passed &&
                                         detail::check_chains<T>::passed}) {
  if constexpr (analysis::HasChainMethod<P> && !AcceleratorTaskSet<T>) {
    return detail::analyze_planned_chains(platform, tasks, refused.error);
  }
}

}  // namespace takt::inline TAKT_ABI
