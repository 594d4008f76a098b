// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

#include <takt/analysis/share_choice.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/plan.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Lower bounds of an analysis: `assign(k, choice)` leaves task k several shares, and `bound(k)` is then not above the
/// one that the analysis gives task k under any plan with one of them each; `evaluate(k)` is false only where no such
/// plan passes task k. Same order of calls as for the analysis, but every task that the bounds of k need has a choice.
template <class R>
concept Relaxation = requires(R r, const R& c, std::size_t k, const share_choice& choice) {
  r.assign(k, choice);
  { r.evaluate(k) } -> std::same_as<bool>;
  c.bound(k).value;
};

}  // namespace detail

/// A response-time analysis that judges one task after the other in priority order.
///
/// `assign(k, share)` gives task k its SMs; `evaluate(k)` bounds it, presuming that every higher task has been
/// evaluated and meets its deadline. `priority_ordered` says that `evaluate(k)` needs no share below k, so that a
/// search can cut at the first failing task; `uses_shares`, that it needs any at all. `monotone()` says that the least
/// passing share of each task, from the highest down, finds a plan whenever there is one. An analysis that needs shares
/// has a `relaxation()`.
template <class A>
concept PriorityAnalysis = (!A::uses_shares || requires(const A& c) {
                             { c.relaxation() } -> detail::Relaxation;
                           }) && requires(A a, const A& c, std::size_t k, const sm_share& share) {
  { A::max_tasks } -> std::convertible_to<std::size_t>;
  { A::priority_ordered } -> std::convertible_to<bool>;
  { A::uses_shares } -> std::convertible_to<bool>;
  { c.name() } -> std::convertible_to<std::string_view>;
  { c.monotone() } -> std::convertible_to<bool>;
  c.table();
  c.platform();
  a.assign(k, share);
  { a.evaluate(k) } -> std::same_as<bool>;
  { c.bound(k).exists } -> std::convertible_to<bool>;
  { c.meets(k) } -> std::same_as<bool>;
};

}  // namespace takt::inline TAKT_ABI::analysis
