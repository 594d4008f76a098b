// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <takt/allocation/allocate.hpp>
#include <takt/analysis/analyze.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/task_set.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/share_tags.hpp>

namespace takt {

/// Proves, or fails to prove, that every task meets its deadline under a plan that is looked for first: that of
/// `allocate` with its defaults. The verdict's plan says what was chosen; `plan.effort.complete` is false where the
/// search ended before it was decided whether there is a plan. Error and cost: those of `allocate` and of `analyze`
/// with a plan.
template <Platform P, TaskSet T>
  requires(!HasAccelerator<P> && !HasGpuShares<P> && !ComposedBoard<P, T>)
[[nodiscard]] constexpr auto analyze(const P& platform, const T& tasks,
                                     detail::refusal&& refused = detail::refusal{detail::check_composition<P>::passed &&
                                                                                 detail::check_chains<T>::passed}) {
  if constexpr (KnownComposition<P> && !AcceleratorTaskSet<T>) {
    detail::refusal found{};
    const auto p =
        allocate(platform, tasks, default_search, analysis::rtgpu_best, default_evaluations, std::move(found));
    found.error = {};
    return analyze(platform, tasks, p, analysis::rtgpu_best, std::move(refused));
  }
}

}  // namespace takt
