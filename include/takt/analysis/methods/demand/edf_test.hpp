// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include <takt/analysis/methods/demand/concepts.hpp>
#include <takt/analysis/methods/demand/edf_verdict.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Finds a window from which on supply exceeds demand by at least `slack` and nothing blocks. False when none is known.
template <class D, class S, class B>
[[nodiscard]] constexpr auto settled_from(const D& demand, const S& supply, const B& blocking,
                                          const typename D::number& slack, typename D::number& out) -> bool {
  using number = typename D::number;
  number lead{};
  if (!demand.load().surely_below(supply.rate_of_supply()) ||
      !add_exactly(number(demand.offset()), number(supply.lag()), lead) || !add_exactly(lead, slack, lead) ||
      !demand.load().catch_up(supply.rate_of_supply(), lead, out)) {
    return false;
  }
  if (out < blocking.ends()) { out = blocking.ends(); }
  return true;
}

/// Computes the length after which demand and supply both repeat. False when it does not fit.
template <class D, class S>
[[nodiscard]] constexpr auto common_period(const D& demand, const S& supply, typename D::number& out) -> bool {
  out = typename D::number(0);
  return demand.repeats(out) && supply.repeats(out);
}

}  // namespace detail

/// Limits how many windows a test looks at before it gives up.
inline constexpr std::int64_t default_window_limit = 10'000'000;

/// Tests whether, in every window, what must be done and what may stand before it fit into what is supplied. All EDF
/// tests of takt use it. With the blocking of a longest section it is sufficient, without blocking on a dedicated
/// processor or a static slot exact for sporadic tasks (Baruah, Mok and Rosier 1990).
///
/// Steps of the demand are visited upwards, up to the hyper-period or to where the slack surely grows, whichever comes
/// first. Each new least slack moves the end closer. Error: `not_proven` after so many `windows`. Cost: one pass over
/// the demand per step.
template <DemandBound D, SupplyBound S, BlockingTerm B>
  requires std::same_as<typename D::number, typename S::number> && std::same_as<typename D::number, typename B::number>
[[nodiscard]] constexpr auto edf_test(const D& demand, const S& supply, const B& blocking,
                                      std::int64_t windows = default_window_limit) -> edf_verdict<typename D::number> {
  using number = typename D::number;
  using verdict = edf_verdict<number>;
  if (demand.empty()) { return {.status = verdict_status::schedulable}; }
  switch (detail::compare_load(demand, supply)) {
    case detail::load_comparison::above: return verdict::refused(edf_reason::load_exceeds_supply);
    case detail::load_comparison::unknown: return verdict::failed(verdict_status::overflow);
    case detail::load_comparison::below:
    case detail::load_comparison::equal: break;
  }
  number last{};
  const bool periodic = detail::common_period(demand, supply, last);
  const number period = last;
  if (!demand.fits(number(0))) { return verdict::failed(verdict_status::overflow); }
  verdict out{.status = verdict_status::schedulable};
  for (number t = demand.at(number(0)).next; !out.has_point || !(last < t);) {
    if (windows-- <= 0) { return verdict::refused(edf_reason::too_many_windows); }
    const demand_at<number> now = demand.at(t);
    const number slack = supply.supply(t) - now.work - blocking.blocking(t);
    if (!is_number(slack)) { return verdict::failed(verdict_status::overflow); }
    if (slack < number(0)) {
      return {.reason = edf_reason::demand_exceeds_supply, .has_point = true, .at = t, .slack = slack};
    }
    if (!out.has_point || slack < out.slack) {
      out.has_point = true;
      out.at = t;
      out.slack = slack;
      number settled{};
      const bool settles = detail::settled_from(demand, supply, blocking, slack, settled);
      last = settles && (!periodic || settled < period) ? settled : period;
      if (!(settles || periodic) || !demand.fits(last)) { return verdict::failed(verdict_status::overflow); }
    }
    t = now.next;
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
