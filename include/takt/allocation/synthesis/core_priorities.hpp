// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/pools/responses.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/largest_factor.hpp>
#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/tags.hpp>

namespace takt::inline TAKT_ABI {

/// Says how a core with tasks of one piece of time each is proven, as far as an assignment counts on it.
enum class core_service : std::uint8_t {
  unknown,
  preemptive,     ///< exactly where `preemptive_priority_responses` are within the deadlines
  nonpreemptive,  ///< exactly where `nonpreemptive_priority_responses` are
};
[[nodiscard]] constexpr auto is_known(core_service s) noexcept -> bool {
  switch (s) {
    case core_service::unknown: return false;
    case core_service::preemptive:
    case core_service::nonpreemptive: return true;
  }
  return false;
}

/// Returns what a rule of processors promises of cores in the priorities that tasks are given.
template <RuleTag Rule>
[[nodiscard]] constexpr auto core_service_of(const Rule& /*rule*/) noexcept -> core_service {
  if constexpr (FixedPriority<Rule> && detail::GivenPriority<order_of<Rule>>) { return core_service::preemptive; }
  if constexpr (detail::NonpreemptiveFixedPriority<Rule> && detail::GivenPriority<order_of<Rule>>) {
    return core_service::nonpreemptive;
  }
  return core_service::unknown;
}

/// A task whose job is one piece of time on a core. Pre: 0 < deadline <= period.
struct core_task {
  ticks wcet = 0;
  ticks period = 0;
  ticks deadline = 0;
  ticks jitter = 0;
};

/// Tasks by position, the most urgent first.
template <std::size_t N>
using core_order = inline_vector<std::uint32_t, N>;

namespace detail {

/// Returns whether a task on one level of priority meets its deadline with all times by a factor in thousandths,
/// whatever the order above and below it.
template <std::size_t N>
[[nodiscard]] constexpr auto meets_between(core_service how, const inline_vector<core_task, N>& tasks,
                                           const core_order<N>& above, std::uint32_t task, const core_order<N>& below,
                                           std::int64_t permille) -> bool {
  inline_vector<visit_demand, N> all;
  const auto add = [&](std::uint32_t i, bool asked) {
    const core_task& t = tasks[i];
    // Bound: above and below are different tasks, at most N.
    all.unchecked_push_back({.task = i,
                             .wcet = ceil_divide(t.wcet * permille, ticks{1000}),
                             .period = t.period,
                             .jitter = t.jitter,
                             .limit = asked ? t.deadline - t.jitter : 0});
  };
  for (const std::uint32_t i : above) {
    if (i != task) { add(i, false); }
  }
  const std::size_t own = all.size();
  add(task, true);
  for (const std::uint32_t i : below) { add(i, false); }
  if (all[own].limit < all[own].wcet) { return false; }
  const std::span<visit_demand> demands{all.begin(), all.size()};
  switch (how) {
    case core_service::unknown: return false;
    case core_service::preemptive: analysis::preemptive_priority_responses(demands); break;
    case core_service::nonpreemptive: analysis::nonpreemptive_priority_responses(demands); break;
  }
  return all[own].response <= all[own].limit;
}

}  // namespace detail

/// Returns an order under which all tasks of a core meet their deadlines with all times by a factor in thousandths;
/// empty where there is none. The last of `tasks` that can goes behind all others, and so on: where the given order
/// holds, it is the answer.
///
/// The bounds depend on which tasks go before a task and which behind it, not on the order among them. A task on a
/// higher level ends no later. So a task that fits on the lowest level may stay there in any case, and where none fits
/// no order holds. Source: Audsley 1991, 2001; without preemption George, Rivierre and Spuri 1996.
///
/// Pre: permille >= 1; times by the factor are at most `longest_visit_time`. Cost: n^2 responses.
template <std::size_t N>
[[nodiscard]] constexpr auto assign_priorities(core_service how, const inline_vector<core_task, N>& tasks,
                                               std::int64_t permille) -> core_order<N> {
  TAKT_EXPECTS(permille >= 1);
  core_order<N> left;
  core_order<N> below;  // the lowest last
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    TAKT_EXPECTS(tasks[i].deadline >= 1 && tasks[i].deadline <= tasks[i].period);
    TAKT_EXPECTS(tasks[i].wcet <= longest_visit_time / permille);
    left.unchecked_push_back(i);  // Bound: one per task, at most N; so below.
  }
  while (!left.empty()) {
    std::size_t k = left.size();
    while (k > 0 && !detail::meets_between(how, tasks, left, left[k - 1], below, permille)) { --k; }
    if (k == 0) { return {}; }
    core_order<N> next;
    next.unchecked_push_back(left[k - 1]);
    for (const std::uint32_t i : below) { next.unchecked_push_back(i); }
    below = next;
    for (std::size_t at = k; at < left.size(); ++at) { left[at - 1] = left[at]; }
    left.pop_back();
  }
  return below;
}

namespace detail {

/// The largest factor up to `most` with which some order holds, and such an order; 0 and the given order where there is
/// none. It holds with every smaller factor, too.
template <std::size_t N>
struct assigned_core {
  std::int64_t factor = 0;
  core_order<N> order;
};
template <std::size_t N>
[[nodiscard]] constexpr auto best_priorities(core_service how, const inline_vector<core_task, N>& tasks,
                                             std::int64_t most) -> assigned_core<N> {
  assigned_core<N> out;
  // Bound: one per task, at most N.
  for (std::uint32_t i = 0; i < tasks.size(); ++i) { out.order.unchecked_push_back(i); }
  out.factor = largest_factor(1000, most, [&](std::int64_t permille) {
    for (const core_task& t : tasks) {
      if (t.wcet > longest_visit_time / permille) { return false; }
    }
    const auto order = assign_priorities(how, tasks, permille);
    if (!order.empty()) { out.order = order; }
    return !order.empty();
  });
  return out;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
