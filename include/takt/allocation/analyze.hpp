// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <takt/allocation/allocate.hpp>
#include <takt/allocation/share_finder.hpp>
#include <takt/analysis/analyze.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/model/plan.hpp>

namespace takt::inline TAKT_ABI {

inline constexpr std::int32_t default_share_rounds = 16;

/// Looks for cores of tasks that name none, for their GPUs where there are several, and for SMs and priorities. Its
/// test is `analyze`. First it tries cores by worst fit, GPUs by load, an even split, and the tasks' own priorities or
/// deadline monotonic ones. Then it tries shares by need: the first task that fails gets a larger part, a higher
/// priority or a place with less beside it. Equal questions get equal answers. That it finds none proves nothing. Cost:
/// at most `rounds` + 1 verdicts, and the times of a job for each SM that is handed out.
struct share_search {
  std::int32_t rounds = default_share_rounds;

  /// Returns the first verdict that is a proof, else that on the first plan. `decided`: parts of the plan that are not
  /// chosen; null: all are. A share with a GPU below 0, or without SMs, leaves these open.
  template <class P, class T, class Test>
  [[nodiscard]] constexpr auto find(const P& board, const T& tasks, const Test& test,
                                    const typename Test::plan_type* decided = nullptr) const {
    return detail::share_finder<P, T, Test>{board, tasks, test, decided}.run(rounds);
  }
  template <class P, class T, class Test>
  [[nodiscard]] constexpr auto operator()(const P& board, const T& tasks, const Test& test) const {
    return find(board, tasks, test).plan;
  }
};

namespace detail {

/// Returns a verdict under a plan that `share_search` finds.
template <class Methods, class P, class T>
[[nodiscard]] constexpr auto analyze_found(const P& platform, const T& tasks, model_error& error) {
  std::uint64_t asked = 0;
  const auto out = share_search{}.find(platform, tasks, plan_test<P, T, Methods>{platform, tasks, asked});
  error = out.error;
  return out;
}

/// Looks for plans by a method of chains. <takt/allocation/allocate_chains.hpp> specializes it.
template <class Methods, class Unused = void>
struct chain_planner : header_is_included<needed_header::chain_plans, !std::is_void_v<Unused>> {};

/// Names what keeps a question without a plan from having an answer.
template <class P, class T, class Methods, class Fault = analysis::detail::check_question<P, T, Methods>>
struct search_fault {
  using type = Fault;
};
template <class P, class T, class Methods, class Fault>
  requires(analysis::detail::HasChainMethod<P, Methods> && !BoardOfPools<P, T, Methods> && Fault::passed &&
           !is_included_for<needed_header::chain_plans, P>)
struct search_fault<P, T, Methods, Fault> {
  using type = header_is_included<needed_header::chain_plans, false>;
};
template <class P, class T, class Methods>
using check_search = typename search_fault<P, T, Methods>::type;

}  // namespace detail

/// Proves, or fails to prove, that every task meets its deadline under a plan that is looked for first. The verdict's
/// plan says what was chosen; `plan.effort.complete` is false where a search ended before it was decided whether there
/// is a plan. Tasks that say themselves what a plan would are judged as they are. Error and cost: those of the search
/// and of `analyze` with a plan.
template <class P, class T, class... M>
[[nodiscard]] constexpr auto analyze(const P& platform, const T& tasks, methods<M...> asked = {},
                                     detail::refusal&& refused = detail::refusal{
                                         detail::check_search<P, T, methods<M...>>::passed}) {
  if constexpr (detail::BoardOfPools<P, T, methods<M...>>) {
    return detail::analyze_found<methods<M...>>(platform, tasks, refused.error);
  } else if constexpr (analysis::SetMethod<analysis::method_of<P, methods<M...>>, T>) {
    return analyze(platform, tasks, plan<1, 1>{}, asked, std::move(refused));
  } else if constexpr (detail::KnownAsAWhole<P, T, methods<M...>> && !AcceleratorTaskSet<T> &&
                       detail::check_search<P, T, methods<M...>>::passed) {
    return detail::chain_planner<methods<M...>>::analyze(platform, tasks, refused.error);
  }
}

/// Returns the plan on which the verdict of `analyze` rests; `feasible` says whether it is a proof. In a constant
/// expression a model that does not fit stops compilation; at run time it yields an infeasible plan. Error and cost: as
/// `analyze`.
template <class P, class T, class... M>
[[nodiscard]] constexpr auto allocate(const P& platform, const T& tasks, methods<M...> asked = {},
                                      detail::refusal&& refused = detail::refusal{
                                          detail::check_search<P, T, methods<M...>>::passed}) {
  using method = analysis::method_of<P, methods<M...>>;
  if constexpr (!detail::BoardOfPools<P, T, methods<M...>> && analysis::ChainMethod<method> && !AcceleratorTaskSet<T>) {
    return detail::chain_planner<methods<M...>>::allocate(platform, tasks, refused);
  } else if constexpr (analysis::detail::check_question<P, T, methods<M...>>::passed) {
    return analyze(platform, tasks, asked, std::move(refused)).plan;
  }
}

}  // namespace takt::inline TAKT_ABI
