// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <takt/analysis/judge.hpp>
#include <takt/analysis/known_method.hpp>
#include <takt/analysis/proven_miss.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/task_rows.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/planned_table.hpp>
#include <takt/rules/why_no_method.hpp>
#include <takt/systems/methods.hpp>

namespace takt::inline TAKT_ABI {

namespace analysis {

/// The known method of chains on a platform, on a table in priority order, in one of its readings.
template <class P, class Table>
  requires(HasChainMethod<P> && HasMethodOptions<P>)
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

/// Returns what the known method of chains on a platform says of them.
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
  out.plan.feasible = out.schedulable();
  return out;
}

template <class P>
using check_method =
    std::conditional_t<HasChainMethod<P> || KnownComposition<P>, method_is_usable<method_of<P>, HasChainMethod<P>>,
                       takt::detail::check_composition<P>>;

}  // namespace detail
}  // namespace analysis

namespace detail {

/// Says whether tasks are chains that say no more than the flat table of chains holds.
template <class T>
inline constexpr bool flattens = TaskSet<T>;
template <TaskSet T>
  requires VisitSource<T>
inline constexpr bool flattens<T> = !visit_source<T>::needs_pools;

/// Holds where a board needs what its pools know: no method of chains, or of sets in this spelling, is known for it.
template <class P, class T>
concept AsksPools = !(analysis::HasChainMethod<P> && flattens<T>) && !analysis::SetMethod<analysis::method_of<P>, T> &&
                    ((ComposedBoard<P, T> && !is_accelerator_alone<P>) ||
                     !(std::same_as<analysis::method_of<P>, analysis::no_known_method> ||
                       analysis::JudgesSets<analysis::method_of<P>>));

}  // namespace detail

/// Tasks in a spelling of their own that the method of a board judges as a set.
template <class P, class T>
concept JudgedAsASet = analysis::SetMethod<analysis::method_of<P>, T>;
/// Tasks on a board that is proven from what its pools know, one by one.
template <class P, class T>
concept BoardOfPools = Platform<P> && detail::AsksPools<P, T>;
/// Sets that a method judges, and those of which a system says why none does.
template <class P, class T>
concept SetsAsAWhole = JudgedAsASet<P, T> || (detail::SaysWhyNoMethod<P, T> && !detail::AsksPools<P, T>);
/// Chains on a platform as a whole; whether a method is known for them is asked when they are analysed.
template <class P, class T>
concept ChainsAsAWhole = Platform<P> && TaskSet<T> && !SetsAsAWhole<P, T> && !detail::AsksPools<P, T>;

/// Proves, or fails to prove, that every task meets its deadline under a plan. `known_method` of the platform decides
/// how; a composition without a known bound does not compile. In files that include <takt/compose.hpp> bounds from the
/// pools stand beside it.
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

/// Analyzes tasks by one reading of the method, such as a variant of RTGPU, and by nothing else.
template <class P, class T, std::size_t N>
  requires(ChainsAsAWhole<P, T> && analysis::HasMethodOptions<P>)
[[nodiscard]] constexpr auto analyze(const P& platform, const T& tasks, const plan<N>& p,
                                     const analysis::method_options<P>& options,
                                     detail::refusal&& refused = detail::refusal{detail::check_chains<T>::passed}) {
  if constexpr (!AcceleratorTaskSet<T>) {
    return analysis::detail::judge_chains(platform, tasks, p, refused.error, options);
  }
}

namespace analysis::detail {

/// Returns what the method of a board says of a set in a spelling of its own.
template <class P, class T, std::size_t N, std::size_t V, class... Options>
[[nodiscard]] constexpr auto judge_set(const P& platform, const T& tasks, const plan<N, V>& p, model_error& error,
                                       const Options&... options) {
  auto out = method_for<P>.judge(platform, tasks, p, options...);
  error = out.error;
  out.plan.feasible = out.schedulable();
  return out;
}

/// Returns what the known method says, whether it is one of chains or of sets.
template <class P, class T, std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto judge_known(const P& platform, const T& tasks, const plan<N, V>& p, model_error& error) {
  if constexpr (SetMethod<method_of<P>, T>) {
    return judge_set(platform, tasks, p, error);
  } else {
    return judge_chains(platform, tasks, p, error);
  }
}

template <class P, class T>
using check_set = std::conditional_t<JudgedAsASet<P, T>, method_is_usable<method_of<P>, true>,
                                     typename takt::detail::why_no_method<P, T>::type>;

}  // namespace analysis::detail

namespace analysis {

/// Returns the facts from which a verdict of a board's known method follows, where the method tells.
template <class P, class T, std::size_t N, std::size_t V, class... Options>
  requires JudgedAsASet<P, T>
[[nodiscard]] constexpr auto evidence_of(const P& platform, const T& tasks, const plan<N, V>& p,
                                         const Options&... options) {
  return detail::method_for<P>.evidence(platform, tasks, p, options...);
}

}  // namespace analysis

/// Proves, or fails to prove, that all tasks meet their deadlines under a plan: graphs, whole kernels, applications,
/// whatever the method that is known for the board judges. Its file says what it proves and what it costs. Error:
/// `invalid_model` and `overflow`, with the field in `error`; in a constant expression these stop compilation with a
/// sentence.
template <class P, class T, std::size_t N, std::size_t V>
  requires SetsAsAWhole<P, T>
[[nodiscard]] constexpr auto analyze(const P& platform, const T& tasks, const plan<N, V>& p,
                                     detail::refusal&& refused = detail::refusal{
                                         analysis::detail::check_set<P, T>::passed}) {
  if constexpr (JudgedAsASet<P, T>) { return analysis::detail::judge_set(platform, tasks, p, refused.error); }
}
/// Analyzes tasks where they say themselves what a plan would.
template <class P, class T>
  requires SetsAsAWhole<P, T>
[[nodiscard]] constexpr auto analyze(const P& platform, const T& tasks,
                                     detail::refusal&& refused = detail::refusal{
                                         analysis::detail::check_set<P, T>::passed}) {
  if constexpr (JudgedAsASet<P, T>) { return analyze(platform, tasks, plan<1, 1>{}, std::move(refused)); }
}
/// Analyzes a set by one reading of the method, and by nothing else.
template <class P, class T, std::size_t N, std::size_t V>
  requires(JudgedAsASet<P, T> && analysis::HasMethodOptions<P>)
[[nodiscard]] constexpr auto analyze(const P& platform, const T& tasks, const plan<N, V>& p,
                                     const analysis::method_options<P>& options,
                                     detail::refusal&& refused = detail::refusal{}) {
  return analysis::detail::judge_set(platform, tasks, p, refused.error, options);
}
template <class P, class T>
  requires(JudgedAsASet<P, T> && analysis::HasMethodOptions<P>)
[[nodiscard]] constexpr auto analyze(const P& platform, const T& tasks, const analysis::method_options<P>& options,
                                     detail::refusal&& refused = detail::refusal{}) {
  return analysis::detail::judge_set(platform, tasks, plan<1, 1>{}, refused.error, options);
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

}  // namespace takt::inline TAKT_ABI
