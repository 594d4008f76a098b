// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <takt/analysis/board_bounds.hpp>
#include <takt/analysis/board_misses.hpp>
#include <takt/analysis/judge_pools.hpp>
#include <takt/analysis/method_list.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/rules/board_check.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/why_no_method.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Says whether tasks are chains that say no more than the flat table of chains holds.
template <class T>
inline constexpr bool flattens = TaskSet<T>;
template <TaskSet T>
  requires VisitSource<T>
inline constexpr bool flattens<T> = !visit_source<T>::needs_pools;

/// A method of a list is about the board as a whole, and about tasks in this spelling.
template <class P, class T, class Methods>
concept KnownAsAWhole = (analysis::detail::HasChainMethod<P, Methods> && flattens<T>) ||
                        analysis::SetMethod<analysis::method_of<P, Methods>, T>;

/// Tasks on a board that is proven from what its pools know, one by one, where these methods are asked.
template <class P, class T, class Methods = methods<>>
concept BoardOfPools =
    Platform<P> && !detail::KnownAsAWhole<P, T, Methods> && (ComposedBoard<P, T> || detail::IsOfPools<P, T>);

}  // namespace detail

namespace analysis::detail {

/// A board whose method is about what the rules of its pools make of it, all of which have bounds.
template <class P, class T, class M>
concept ProvenEitherWay = follows_pools<M> && takt::detail::has_pool_rules<P> && has_bounds<P> && VisitSource<T>;

/// Stops compilation where a board is known as a whole only, and no method that is asked knows it.
template <bool Asked>
struct board_is_asked_about {
  static constexpr bool passed = Asked;
  static_assert(Asked,
                "takt: rules of pools do not say what this board does with these tasks, and no method that is asked "
                "knows it; ask with those of its system, such as takt::rtgpu_methods. See docs/errors.md#E85");
};

/// Says so of chains. Kernels of an accelerator have no place on a board for chains.
template <class T>
using unknown_to_methods =
    std::conditional_t<AcceleratorTaskSet<T>, takt::detail::check_chains<T>, board_is_asked_about<false>>;

/// Names what stops compilation with the sentence that keeps a question from having an answer, else `no_board_fault`.
/// Nothing that is long to print is instantiated on the way, which keeps what compilers print above the sentence short.
template <class P, class T, class Methods>
struct question_fault
    : std::conditional_t<takt::detail::SaysWhyNoMethod<P, T>, takt::detail::why_no_method<P, T>,
                         std::type_identity<std::conditional_t<KnownComposition<P>, unknown_to_methods<T>,
                                                               takt::detail::check_composition<P>>>> {};
template <class P, class T, class Methods>
  requires takt::detail::KnownAsAWhole<P, T, Methods>
struct question_fault<P, T, Methods> {
  using header = takt::detail::needed_header;
  using type = typename takt::detail::first_sentence<
      takt::detail::fault_unless<takt::detail::is_included_for<header::known_methods, P>,
                                 takt::detail::header_is_included<header::known_methods, false>>,
      takt::detail::fault_unless<SetMethod<method_of<P, Methods>, T>, takt::detail::check_chains<T>>>::type;
};
template <class P, class T, class Methods>
  requires takt::detail::BoardOfPools<P, T, Methods>
struct question_fault<P, T, Methods> {
  using method = method_of<P, Methods>;
  using bounds = typename std::conditional_t<BoardMethod<method>, std::type_identity<takt::detail::no_board_fault>,
                                             bounds_fault<P>>::type;
  static constexpr bool usable = std::same_as<method, no_known_method> || ChainMethod<method> || JudgesSets<method> ||
                                 (BoardMethod<method> && takt::detail::has_pool_rules<P>);
  using type =
      typename takt::detail::first_sentence<takt::detail::fault_unless<usable, method_is_usable<method, false>>,
                                            takt::detail::check_board<P, T>, bounds>::type;
};

/// Looks at a board only once its checks are there.
template <class P, class T, class Methods, class Missing = typename takt::detail::board_headers_fault<P>::type>
struct asked_fault {
  using type = Missing;
};
template <class P, class T, class Methods>
struct asked_fault<P, T, Methods, takt::detail::no_board_fault> : question_fault<P, T, Methods> {};

template <class P, class T, class Methods>
using check_question = typename asked_fault<P, T, Methods>::type;

}  // namespace analysis::detail

namespace analysis::detail {

/// Asks a method that knows boards as a whole. <takt/analysis/judge_known.hpp> specializes it, and a list of methods
/// needs that header: without it the question does not compile.
template <class M, class Unused = void>
struct known_judge
    : takt::detail::header_is_included<takt::detail::needed_header::known_methods, !std::is_void_v<Unused>> {};

}  // namespace analysis::detail

/// Proves, or fails to prove, that every task meets its deadline under a plan. The combiners always make bounds of the
/// rules of the pools, where these have bounds; `asked` adds methods that know boards as a whole: published ones, such
/// as `rtgpu_methods` of <takt/systems/rtgpu.hpp>, and those of one's own. The best counts: where a method and a
/// combiner both prove the set, each task has the lesser bound, and its row says whose it is.
///
/// `schedulable` is a proof; `unschedulable` is one that some legal run misses a deadline under every plan;
/// `not_proven` is neither. Guards are looked for only where the plan's `may_guard` says so. The verdict's plan holds
/// all that the proof rests on; simulate and run with it. Error: `invalid_model` and `overflow`, with the field in
/// `error`; in a constant expression these stop compilation with a sentence. Cost: see the combiners and the methods.
template <class P, class T, std::size_t N, std::size_t V, class... M>
[[nodiscard]] constexpr auto analyze(const P& platform, const T& tasks, const plan<N, V>& p,
                                     methods<M...> /*asked*/ = {},
                                     detail::refusal&& refused = detail::refusal{
                                         analysis::detail::check_question<P, T, methods<M...>>::passed}) {
  using method = analysis::method_of<P, methods<M...>>;
  if constexpr (detail::BoardOfPools<P, T, methods<M...>>) {
    return analysis::detail::with_proven_misses(
        platform, tasks, analysis::detail::judge_pools<method>(platform, tasks, p, refused.error));
  } else if constexpr (detail::KnownAsAWhole<P, T, methods<M...>> &&
                       analysis::detail::check_question<P, T, methods<M...>>::passed) {
    if constexpr (analysis::detail::ProvenEitherWay<P, T, method>) {
      return analysis::detail::with_proven_misses(
          platform, tasks, analysis::detail::known_judge<method>::either_way(platform, tasks, p, refused.error));
    } else {
      return analysis::detail::known_judge<method>::judge(platform, tasks, p, refused.error);
    }
  }
}

}  // namespace takt::inline TAKT_ABI
