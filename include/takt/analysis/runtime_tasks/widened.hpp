// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/verdict.hpp>
#include <takt/model/plan.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Copies as many entries as there is room for.
template <class From, class To>
constexpr void copy_entries(const From& from, To& to) {
  to.clear();
  for (std::size_t i = 0; i < from.size() && to.try_push_back(from[i]); ++i) {}
}

/// Returns the plan with room for other numbers of tasks and visits. Parts that do not fit lose their last entries.
template <std::size_t N, std::size_t V, std::size_t FromN, std::size_t FromV>
[[nodiscard]] constexpr auto resized(const plan<FromN, FromV>& from) -> plan<N, V> {
  plan<N, V> out;
  detail::copy_entries(from.shares, out.shares);
  detail::copy_entries(from.cores, out.cores);
  detail::copy_entries(from.priorities, out.priorities);
  detail::copy_entries(from.percents, out.percents);
  detail::copy_entries(from.tokens, out.tokens);
  detail::copy_entries(from.slots, out.slots);
  detail::copy_entries(from.offsets, out.offsets);
  detail::copy_entries(from.local_deadlines, out.local_deadlines);
  detail::copy_entries(from.instances, out.instances);
  out.feasible = from.feasible;
  out.effort = from.effort;
  return out;
}

}  // namespace detail

/// Returns the verdict with room for visits, of which it says nothing.
template <std::size_t V, class Number, std::size_t N, std::size_t FromV>
[[nodiscard]] constexpr auto widened(const verdict<Number, N, FromV>& from) -> verdict<Number, N, V> {
  verdict<Number, N, V> out;
  out.status = from.status;
  out.method = from.method;
  out.error = from.error;
  out.why = from.why;
  out.where = from.where;
  out.tasks = from.tasks;
  out.plan = detail::resized<N, V>(from.plan);
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
