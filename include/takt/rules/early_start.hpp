// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/servers/forward.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Returns whether the points of a few jobs are their absolute deadlines, up to a constant.
template <class Order>
[[nodiscard]] consteval auto goes_by_deadline() -> bool {
  const job_timing base{.wcet = 2, .period = 30, .deadline = 20, .task = 1, .priority = 2};
  priority_point first{};
  if (!Order{}.point(base, 0, first)) { return false; }
  const auto is_later_by = [first](const job_timing& t, ticks release, ticks by) {
    priority_point p{};
    return Order{}.point(t, release, p) && p.point - first.point == by;
  };
  job_timing longer = base;
  longer.wcet = 9;
  job_timing rarer = base;
  rarer.period = 70;
  job_timing raised = base;
  raised.priority = 0;
  job_timing urgent = base;
  urgent.deadline = 11;
  return is_later_by(base, 7, 7) && is_later_by(longer, 0, 0) && is_later_by(rarer, 1, 1) &&
         is_later_by(raised, 2, 2) && is_later_by(urgent, 0, -9) && is_later_by(urgent, 9, 0);
}

/// Stops compilation where a rule, which the template argument shows, lets visits start early in another order.
template <class Rule, bool ByDeadline>
struct early_start_check {
  static constexpr bool passed = ByDeadline;
  static_assert(
      ByDeadline,
      "takt: starts_early is for rules whose order is by absolute deadlines and whose server starts_least_points; this "
      "one, the template argument, is another: leave it out. See docs/errors.md#E104");
};

/// An order without state whose points are absolute deadlines, ties aside. A few probes must not refute it.
template <class Order>
concept DeadlineOrder = JobPriority<Order> && std::is_empty_v<Order> && std::default_initializable<Order> &&
                        detail::goes_by_deadline<Order>();

/// Says that visits with guards may start as soon as visits before them are done, on one unit. It is for EDF,
/// preemptive or not: the order is a `DeadlineOrder`, and the server declares `starts_least_points`. Deadlines stay
/// those of the guards.
/// `starts_early` names the rule itself, so that no rule inherits it and changes the order or the server.
template <class Rule>
concept StartsEarly = requires { requires std::same_as<typename Rule::starts_early, Rule>; };

template <class Rule>
inline constexpr bool claims_in_vain = false;
template <StartsEarly Rule>
inline constexpr bool claims_in_vain<Rule> =
    !DeadlineOrder<std::remove_cvref_t<decltype(std::declval<const Rule&>().job_order(1))>> ||
    !starts_least_points<decltype(std::declval<const Rule&>().template make_server<8>(1))>;

/// Returns whether guards of a plan hold no visit back on station s. Visits of sections are held back by their requests
/// alone, which makes them come at any time of a window: where there are some, all others keep their guards.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto drops_guards(const visit_table<N, V>& table, const Stations& stations, std::size_t s)
    -> bool {
  if (!stations.starts_early(s)) { return false; }
  for (std::size_t v = 0; v < table.visits.size(); ++v) {
    const visit_record& x = table.visits[v];
    if (x.station == s && x.upper > 0 && section_of(table, v) < table.sections.size()) { return false; }
  }
  return true;
}

}  // namespace takt::inline TAKT_ABI::detail
