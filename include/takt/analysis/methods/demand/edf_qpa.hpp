// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include <takt/analysis/methods/demand/edf_test.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Returns a window that holds all work released in it when all tasks start together, or `limit` if none is found below
/// it. The search overshoots: a window that is a little too long costs one jump later on, another round of it a pass
/// over the tasks.
template <class D, class S>
[[nodiscard]] constexpr auto busy_window(const D& demand, const S& supply, const typename D::number& limit) ->
    typename D::number {
  using number = typename D::number;
  if constexpr (requires { demand.released(limit); }) {
    constexpr int rounds = 6;
    constexpr std::int64_t overshoot = 7;
    number work = demand.total_wcet();
    for (int round = 0; round < rounds; ++round) {
      number window{};
      if (!(number(0) < work) || !supply.time_for(work, window) || !(window < limit)) { return limit; }
      const number more = demand.released(window);
      if (!(work < more)) { return window; }
      number ahead{};
      if (!number_traits<number>::multiply(number(more - work), overshoot, ahead) || !add_exactly(more, ahead, work)) {
        return limit;
      }
    }
  }
  return limit;
}

/// Finds a window longer than any that can be the only one to fail. False when none fits.
template <class D, class S, class B>
[[nodiscard]] constexpr auto longest_window(const D& demand, const S& supply, const B& blocking,
                                            typename D::number& out) -> bool {
  if (!settled_from(demand, supply, blocking, typename D::number(0), out)) {
    if (!common_period(demand, supply, out) || !demand.fits(out)) { return false; }
    out = demand.at(out).next;
  }
  if (!demand.fits(out)) { return false; }
  const auto busy = busy_window(demand, supply, out);
  if (busy < out) { out = busy < blocking.ends() ? blocking.ends() : busy; }
  return true;
}

/// Returns the verdict of `edf_test` alone, by quick processor-demand analysis. From the longest window down, a window
/// with demand h that fits shows that all windows down to the time that supplies h fit. Source: Zhang and Burns 2009; a
/// step ends where blocking changes, as only between such windows demand never falls.
template <DemandBound D, SupplyBound S, BlockingTerm B>
  requires std::same_as<typename D::number, typename S::number> && std::same_as<typename D::number, typename B::number>
[[nodiscard]] constexpr auto edf_schedulable(const D& demand, const S& supply, const B& blocking,
                                             std::int64_t windows = default_window_limit) -> verdict_status {
  using number = typename D::number;
  if (demand.empty()) { return verdict_status::schedulable; }
  if (!demand.load().surely_below(supply.rate_of_supply())) {
    switch (compare_load(demand, supply)) {
      case load_comparison::above: return verdict_status::not_proven;
      case load_comparison::unknown: return verdict_status::overflow;
      case load_comparison::below:
      case load_comparison::equal: break;
    }
  }
  number t{};
  if (!demand.fits(number(0)) || !detail::longest_window(demand, supply, blocking, t)) {
    return verdict_status::overflow;
  }
  const number first = demand.first_step();
  t = demand.step_before(t);
  while (!(t < first)) {
    if (windows-- <= 0) { return verdict_status::not_proven; }
    const number need = demand.work(t) + blocking.blocking(t);
    const number have = supply.supply(t);
    if (!is_number(need) || !is_number(have)) { return verdict_status::overflow; }
    if (have < need) { return verdict_status::not_proven; }
    const number since = blocking.constant_since(t);
    number reached(0);
    if (number(0) < need && !supply.time_for(need, reached)) { return verdict_status::overflow; }
    if (reached < since) {
      t = demand.step_before(since);
    } else {
      t = reached < t ? reached : demand.step_before(t);
    }
  }
  return verdict_status::schedulable;
}

}  // namespace detail

/// Says how much a demand test reports.
enum class edf_report : std::uint8_t {
  least_slack,   ///< the first failing window, or the first with the least slack
  verdict_only,  ///< the status alone, by quick processor-demand analysis
};

namespace detail {

/// Runs the EDF test with as much of a report as wanted; the status does not depend on it, unless a test gives up.
template <edf_report Report, class D, class S, class B>
[[nodiscard]] constexpr auto judge_demand(const D& demand, const S& supply, const B& blocking)
    -> edf_verdict<typename D::number> {
  if constexpr (Report == edf_report::least_slack) {
    return edf_test(demand, supply, blocking);
  } else if constexpr (Report == edf_report::verdict_only) {
    return {.status = edf_schedulable(demand, supply, blocking)};
  }
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
