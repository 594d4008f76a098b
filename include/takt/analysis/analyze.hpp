// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <takt/analysis/busy_waiting.hpp>
#include <takt/analysis/enhanced_mpcp.hpp>
#include <takt/analysis/fixed_priority_rta.hpp>
#include <takt/analysis/judge.hpp>
#include <takt/analysis/locking/locked_gpu_rta.hpp>
#include <takt/analysis/proven_miss.hpp>
#include <takt/analysis/rtgpu.hpp>
#include <takt/analysis/self_suspension.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/task_set.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/planned_table.hpp>
#include <takt/rules/share_tags.hpp>

namespace takt {

namespace analysis {

/// The analysis for a composition, on a table in priority order.
template <KnownComposition P, class Table>
[[nodiscard]] constexpr auto make_analysis(const P& platform, const Table& table, rtgpu_variant variant = rtgpu_best) {
  if constexpr (ProcessorsOnly<P>) {
    return fixed_priority_rta<Table>(table, platform.record());
  } else if constexpr (DedicatedGpuPlatform<P>) {
    return rtgpu<Table>(table, platform.record(), variant);
  } else if constexpr (BusyWaitingPlatform<P>) {
    return busy_waiting_rta<Table>(table, platform.record());
  } else if constexpr (SerializedGpuPlatform<P>) {
    return self_suspension<Table>(table, platform.record());
  } else if constexpr (TokenGpuPlatform<P>) {
    return locked_gpu_rta<Table, P::gpu_rule::protocol>(table, platform.record());
  } else {
    return enhanced_mpcp<Table>(table, platform.record());
  }
}

namespace detail {

template <class A>
[[nodiscard]] constexpr auto invalid(const A& a, const model_error& error) {
  using number = typename std::remove_cvref_t<decltype(a.table())>::number;
  verdict<number, A::max_tasks> out;
  out.method = a.name();
  out.refuse(error);
  return out;
}

}  // namespace detail
}  // namespace analysis

/// Proves, or fails to prove, that every task meets its deadline under a plan. The composition of the platform decides
/// how; a composition without a known bound does not compile.
///
/// Returns one verdict for the set. Error: `invalid_model` and `overflow`, with the field in `error`; in a constant
/// expression these stop compilation with a sentence. `unschedulable` only with a proof of a miss, in a legal run,
/// under every plan. Cost: see the analysis.
template <Platform P, TaskSet T, std::size_t N>
  requires(!HasAccelerator<P> && !HasGpuShares<P> && !ComposedBoard<P, T>)
[[nodiscard]] constexpr auto analyze(const P& platform, const T& tasks, const plan<N>& p,
                                     analysis::rtgpu_variant variant = analysis::rtgpu_best,
                                     detail::refusal&& refused = detail::refusal{detail::check_composition<P>::passed &&
                                                                                 detail::check_chains<T>::passed}) {
  if constexpr (KnownComposition<P> && !AcceleratorTaskSet<T>) {
    const auto table = planned_table(platform, tasks, p);
    const platform_record record = platform.record();
    auto a = analysis::make_analysis(platform, table, variant);
    model_error& error = refused.error;
    error = platform.validate();
    if (!error) { error = located(a.fits(table, record), table.tasks); }
    if (!error) { error = plan_fault(platform, table, p); }
    if (error) { return analysis::detail::invalid(a, error); }
    auto out = analysis::verdict_of(a, analysis::evaluate_all(a, p));
    complete_plan(platform, table, p, out.plan);
    if constexpr (!LockedGpuPlatform<P> && !TokenGpuPlatform<P>) {
      const bool hopeless = !out.schedulable() && !analysis::find_proven_misses(table, record).empty();
      out.status = hopeless ? verdict_status::unschedulable : out.status;
    }
    return out;
  }
}

/// Chosen only where <takt/compose.hpp> is not included: says so.
template <class P, class T, std::size_t N, std::size_t W>
  requires ComposedBoard<P, T>
constexpr auto analyze(
    const P& /*board*/, const T& /*tasks*/, const plan<N, W>& /*p*/,
    detail::refusal&& /*refused*/ = detail::refusal{detail::bounds_of_pools<!ComposedBoard<P, T>>::included})
    -> verdict<ticks, tasks_of<T>, visits_of<T>> {
  return {};
}
template <class P, class T>
  requires ComposedBoard<P, T>
constexpr auto analyze(
    const P& /*board*/, const T& /*tasks*/,
    detail::refusal&& /*refused*/ = detail::refusal{detail::bounds_of_pools<!ComposedBoard<P, T>>::included})
    -> verdict<ticks, tasks_of<T>, visits_of<T>> {
  return {};
}

}  // namespace takt
