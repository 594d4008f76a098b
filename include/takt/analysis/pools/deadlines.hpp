// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <takt/analysis/methods/demand/blocking.hpp>
#include <takt/analysis/methods/demand/edf_qpa.hpp>
#include <takt/analysis/methods/demand/sporadic_demand.hpp>
#include <takt/analysis/methods/demand/supply.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/demand.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Most visits of a station whose deadlines are decided; of more nothing is known.
inline constexpr std::size_t most_decided_visits = 128;

namespace detail {

template <class Demand>
[[nodiscard]] constexpr auto demand_of_visits(std::span<const visit_demand> visits, Demand& out) -> bool {
  for (const visit_demand& v : visits) {
    if (v.deadline < v.wcet || !out.add(v.wcet, v.deadline, v.period)) { return false; }
  }
  return true;
}

}  // namespace detail

/// Returns whether every visit meets its local deadline on one unit under preemptive EDF: behind one non-preemptive
/// region of a visit with a later deadline. Pre: no jitter.
/// Source: Baruah, Mok and Rosier 1990; Zhang and Burns 2009; regions: Baruah 2005.
template <std::size_t MaxVisits = most_decided_visits>
[[nodiscard]] constexpr auto edf_decides(std::span<const visit_demand> visits) -> bool {
  sporadic_demand<ticks, MaxVisits> demand;
  if (!detail::demand_of_visits(visits, demand)) { return false; }
  bool has_regions = false;
  detail::deadline_blocking<ticks, MaxVisits> blocking;
  for (const visit_demand& v : visits) {
    TAKT_EXPECTS(v.jitter == 0);
    has_regions = has_regions || v.region > 0;
    if (v.region > 0) { blocking.add(v.deadline, v.region); }
  }
  const detail::dedicated_processor<ticks> processor{};
  return (has_regions ? detail::edf_schedulable(demand, processor, blocking)
                      : detail::edf_schedulable(demand, processor, detail::no_blocking<ticks>{})) ==
         verdict_status::schedulable;
}

/// Tests EDF without preemption: behind one visit with a later deadline. Source: Jeffay, Stanat and Martel 1991.
template <std::size_t MaxVisits = most_decided_visits>
[[nodiscard]] constexpr auto nonpreemptive_edf_decides(std::span<const visit_demand> visits) -> bool {
  sporadic_demand<ticks, MaxVisits> demand;
  if (!detail::demand_of_visits(visits, demand)) { return false; }
  detail::deadline_blocking<ticks, MaxVisits> blocking;
  for (const visit_demand& v : visits) { blocking.add(v.deadline, v.wcet); }
  return detail::edf_schedulable(demand, detail::dedicated_processor<ticks>{}, blocking) == verdict_status::schedulable;
}

}  // namespace takt::inline TAKT_ABI::analysis
