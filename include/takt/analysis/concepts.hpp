// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

#include <takt/analysis/verdict.hpp>
#include <takt/model/plan.hpp>

namespace takt::analysis {

/// A response-time analysis that judges one task after the other in priority order.
///
/// `assign(k, share)` gives task k its SMs; `evaluate(k)` bounds it, presuming that every higher task has been
/// evaluated and meets its deadline. `priority_ordered` says that `evaluate(k)` needs no share below k, so that a
/// search can cut at the first failing task; `uses_shares`, that it needs any at all. `monotone()` says that the least
/// passing share of each task, from the highest down, finds a plan whenever there is one.
template <class A>
concept PriorityAnalysis = requires(A a, const A& c, std::size_t k, const sm_share& share) {
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

}  // namespace takt::analysis
