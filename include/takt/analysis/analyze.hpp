// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <takt/analysis/judge.hpp>
#include <takt/analysis/known_method.hpp>
#include <takt/analysis/known_methods.hpp>
#include <takt/analysis/proven_miss.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/task_set.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/planned_table.hpp>
#include <takt/rules/share_tags.hpp>

namespace takt {

namespace analysis {

/// The known method of chains on a platform, on a table in priority order, in one of its readings.
template <class P, class Table>
  requires HasMethodOptions<P>
[[nodiscard]] constexpr auto make_analysis(const P& platform, const Table& table, const method_options<P>& options) {
  using made = typename method_of<P>::template analysis<Table>;
  return made(table, platform.record(), options);
}
template <class P, class Table>
  requires HasChainMethod<P>
[[nodiscard]] constexpr auto make_analysis(const P& platform, const Table& table) {
  using made = typename method_of<P>::template analysis<Table>;
  if constexpr (HasMethodOptions<P>) {
    return made(table, platform.record(), method_of<P>::options);
  } else {
    return made(table, platform.record());
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

/// What the known method of chains on a platform says of them.
template <class P, class T, std::size_t N, class... Options>
[[nodiscard]] constexpr auto judge_chains(const P& platform, const T& tasks, const plan<N>& p, model_error& error,
                                          const Options&... options) {
  const auto table = planned_table(platform, tasks, p);
  const platform_record record = platform.record();
  auto a = make_analysis(platform, table, options...);
  error = platform.validate();
  if (!error) { error = located(a.fits(table, record), table.tasks); }
  if (!error) { error = plan_fault(platform, table, p); }
  if (error) { return invalid(a, error); }
  auto out = verdict_of(a, evaluate_all(a, p));
  complete_plan(platform, table, p, out.plan);
  if constexpr (finds_misses<method_of<P>>) {
    const bool hopeless = !out.schedulable() && !find_proven_misses(table, record).empty();
    out.status = hopeless ? verdict_status::unschedulable : out.status;
  }
  return out;
}

template <class P>
using check_method =
    std::conditional_t<HasChainMethod<P>, method_is_usable<method_of<P>, true>, takt::detail::check_composition<P>>;

}  // namespace detail
}  // namespace analysis

namespace detail {

/// Whether tasks are chains that say no more than the flat table of chains holds.
template <class T>
inline constexpr bool flattens = TaskSet<T>;
template <TaskSet T>
  requires VisitSource<T>
inline constexpr bool flattens<T> = !visit_source<T>::needs_pools;

/// Whether a board needs what its pools know: no method of chains is known for it.
template <class P, class T>
concept AsksPools = !(analysis::HasChainMethod<P> && flattens<T>) &&
                    (ComposedBoard<P, T> || !std::same_as<analysis::method_of<P>, analysis::no_known_method>);

}  // namespace detail

/// Chains on a platform as a whole; whether a method is known for them is asked when they are analysed.
template <class P, class T>
concept ChainsAsAWhole =
    Platform<P> && TaskSet<T> && !HasAccelerator<P> && !HasGpuShares<P> && !detail::AsksPools<P, T>;
/// Tasks on a board that is proven from what its pools know, one by one.
template <class P, class T>
concept BoardOfPools = Platform<P> && !HasAccelerator<P> && detail::AsksPools<P, T>;

/// Proves, or fails to prove, that every task meets its deadline under a plan. `known_method` of the platform decides
/// how; a composition without a known bound does not compile. With <takt/compose.hpp>, which is included in all files
/// of a program that ask or in none, bounds from the pools stand beside it.
///
/// Returns one verdict for the set. Error: `invalid_model` and `overflow`, with the field in `error`; in a constant
/// expression these stop compilation with a sentence. `unschedulable` only with a proof of a miss, in a legal run,
/// under every plan. Cost: see the analysis.
template <class P, class T, std::size_t N>
  requires ChainsAsAWhole<P, T>
[[nodiscard]] constexpr auto analyze(const P& platform, const T& tasks, const plan<N>& p,
                                     detail::refusal&& refused = detail::refusal{
                                         analysis::detail::check_method<P>::passed &&
                                         detail::check_chains<T>::passed}) {
  if constexpr (analysis::HasChainMethod<P> && !AcceleratorTaskSet<T>) {
    return analysis::detail::judge_chains(platform, tasks, p, refused.error);
  }
}

/// The same by one reading of the method, such as a variant of RTGPU, and by nothing else.
template <class P, class T, std::size_t N>
  requires(ChainsAsAWhole<P, T> && analysis::HasMethodOptions<P>)
[[nodiscard]] constexpr auto analyze(const P& platform, const T& tasks, const plan<N>& p,
                                     const analysis::method_options<P>& options,
                                     detail::refusal&& refused = detail::refusal{detail::check_chains<T>::passed}) {
  if constexpr (!AcceleratorTaskSet<T>) {
    return analysis::detail::judge_chains(platform, tasks, p, refused.error, options);
  }
}

/// Chosen only where <takt/compose.hpp> is not included: says so.
template <class P, class T, std::size_t N, std::size_t W>
  requires BoardOfPools<P, T>
constexpr auto analyze(
    const P& /*board*/, const T& /*tasks*/, const plan<N, W>& /*p*/,
    detail::refusal&& /*refused*/ = detail::refusal{detail::bounds_of_pools<!BoardOfPools<P, T>>::included})
    -> verdict<ticks, tasks_of<T>, visits_of<T>> {
  return {};
}
template <class P, class T>
  requires BoardOfPools<P, T>
constexpr auto analyze(
    const P& /*board*/, const T& /*tasks*/,
    detail::refusal&& /*refused*/ = detail::refusal{detail::bounds_of_pools<!BoardOfPools<P, T>>::included})
    -> verdict<ticks, tasks_of<T>, visits_of<T>> {
  return {};
}

}  // namespace takt
