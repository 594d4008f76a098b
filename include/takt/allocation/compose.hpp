// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include <takt/allocation/allocate.hpp>
#include <takt/allocation/analyze.hpp>
#include <takt/allocation/share_finder.hpp>
#include <takt/analysis/compose.hpp>
#include <takt/core/number.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/rules/board_check.hpp>

namespace takt::inline TAKT_ABI {

inline constexpr std::int32_t default_share_rounds = 16;

/// Looks for cores of tasks that name none, for their GPUs where there are several, and for SMs and priorities, with
/// `analyze` as its test: cores by worst fit, GPUs by load, an even split and the tasks' own priorities or deadline
/// monotonic ones first; then shares by need, where the first task that fails gets a larger part, a higher priority or
/// a place with less beside it. Equal questions get equal answers; that it finds none proves nothing. Cost: at most
/// `rounds` + 1 verdicts, and the times of a job for each SM that is handed out.
struct share_search {
  std::int32_t rounds = default_share_rounds;

  /// The first verdict that is a proof, else that on the first plan. `decided`: parts of the plan that are not chosen;
  /// null: all are. A share with a GPU below 0, or without SMs, leaves these open.
  template <class P, class T, class Test>
  [[nodiscard]] constexpr auto find(const P& board, const T& tasks, const Test& test,
                                    const typename detail::plan_type_of<P, T>::type* decided = nullptr) const {
    return detail::share_finder<P, T, Test>{board, tasks, test, decided}.run(rounds);
  }
  template <class P, class T, class Test>
  [[nodiscard]] constexpr auto operator()(const P& board, const T& tasks, const Test& test) const {
    return find(board, tasks, test).plan;
  }
};

/// Analyzes tasks under a plan that is looked for first, by `share_search`.
template <class P, class T>
  requires ProvenFromPools<P, T>
[[nodiscard]] [[gnu::abi_tag("compose")]] constexpr auto analyze(
    const P& board, const T& tasks,
    detail::refusal&& refused = detail::refusal{analysis::detail::check_board_method<P>::passed &&
                                                detail::check_board<P, T>::passed &&
                                                analysis::detail::check_bounds<P>::passed})
    -> verdict<ticks, tasks_of<T>, visits_of<T>> {
  std::uint64_t asked = 0;
  const auto out = share_search{}.find(board, tasks, detail::plan_test<P, T>{board, tasks, asked});
  refused.error = out.error;
  return out;
}

/// The plan on which that verdict rests; `feasible` says whether it is a proof. Error and cost: as `analyze`.
template <class P, class T>
  requires ProvenFromPools<P, T>
[[nodiscard]] [[gnu::abi_tag("compose")]] constexpr auto allocate(
    const P& board, const T& tasks,
    detail::refusal&& refused = detail::refusal{analysis::detail::check_board_method<P>::passed &&
                                                detail::check_board<P, T>::passed &&
                                                analysis::detail::check_bounds<P>::passed})
    -> plan<tasks_of<T>, visits_of<T>> {
  return analyze(board, tasks, std::move(refused)).plan;
}

/// Under the plan of the search that the known method serves as a test, else under one that `share_search` finds.
template <class P, class T>
  requires ProvenEitherWay<P, T>
[[nodiscard]] [[gnu::abi_tag("compose")]] constexpr auto analyze(const P& platform, const T& tasks,
                                                                 detail::refusal&& refused = detail::refusal{
                                                                     detail::check_chains<T>::passed}) {
  model_error found;
  const auto first = detail::allocate_chains(platform, tasks, default_search, default_evaluations, found);
  auto out = analysis::detail::judge_either_way(platform, tasks, first, refused.error);
  if (refused.error || out.schedulable() || out.status == verdict_status::unschedulable) { return out; }
  std::uint64_t asked = 0;
  const auto other = share_search{}.find(platform, tasks, detail::plan_test<P, T>{platform, tasks, asked});
  return other.schedulable() ? other : out;
}

/// The plan on which that verdict rests; `feasible` says whether it is a proof. Error and cost: as `analyze`.
template <class P, class T>
  requires ProvenEitherWay<P, T>
[[nodiscard]] [[gnu::abi_tag("compose")]] constexpr auto allocate(const P& platform, const T& tasks,
                                                                  detail::refusal&& refused = detail::refusal{
                                                                      detail::check_chains<T>::passed}) {
  model_error found;
  const auto first = detail::allocate_chains(platform, tasks, default_search, default_evaluations, found);
  if (found) {
    refused.error = found;
    return first;
  }
  return analyze(platform, tasks, std::move(refused)).plan;
}

}  // namespace takt::inline TAKT_ABI
