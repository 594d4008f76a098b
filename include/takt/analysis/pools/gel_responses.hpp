// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/methods/gel/compliant_vector.hpp>
#include <takt/analysis/methods/gel/upward.hpp>
#include <takt/analysis/pools/window_responses.hpp>
#include <takt/core/number.hpp>
#include <takt/core/wide_natural.hpp>
#include <takt/model/gel_task.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/gel.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// The most visits of a station for which a compliant vector is computed.
inline constexpr std::size_t most_gel_visits = 64;

/// Computes bounds by a compliant vector, of visits that become ready a fixed time after their release. False where
/// none is known.
[[nodiscard]] constexpr auto compliant_responses(std::span<const visit_demand> visits, std::int32_t units,
                                                 gel_policy policy, ticks* out) -> bool {
  task_rows<gel_task<ticks>, most_gel_visits> table;
  for (const visit_demand& v : visits) {
    const ticks point = v.point.point + v.deadline - v.job_deadline;  // read where points are given, which grow by 1
    if (v.jitter != 0 || !table.add({.wcet = v.wcet, .period = v.period, .deadline = v.deadline, .point = point})) {
      return false;
    }
  }
  if (policy.other_processors == 0) { policy = gel_policy::given_points; }
  if (policy.other_processors != 0 && policy.deadline != 1) { return false; }
  const auto found = compliant_vector(table, units, policy, point_shift::to_zero);
  for (std::size_t k = 0; found.bounded() && k < visits.size(); ++k) { out[k] = found.tasks[k].response; }
  return found.bounded();
}

/// Returns whether densities show that visits without jitter meet their deadlines under preemptive global EDF.
[[nodiscard]] constexpr auto density_decides(std::span<const visit_demand> visits, std::int32_t units) -> bool {
  const visit_demand* densest = nullptr;
  load_sum<upward> density;
  for (const visit_demand& v : visits) {
    if (v.jitter != 0 || v.deadline < v.wcet || v.deadline > v.period) { return false; }
    density.add(upward{v.wcet}, upward{v.deadline});
    if (densest == nullptr || takt::detail::wide_natural{densest->wcet} * v.deadline <
                                  takt::detail::wide_natural{v.wcet} * densest->deadline) {
      densest = &v;
    }
  }
  if (visits.size() <= static_cast<std::size_t>(units)) { return true; }
  for (std::int32_t k = 1; k < units; ++k) { density.add(upward{densest->wcet}, upward{densest->deadline}); }
  return density.compare(units) == load_side::at_most;
}

/// Returns whether responses by some bound are within local deadlines.
template <class Bound>
[[nodiscard]] constexpr auto responses_decide(std::span<const visit_demand> given, const Bound& bound) -> bool {
  if (given.size() > most_decided_visits) { return false; }
  visit_demand visits[most_decided_visits]{};
  for (std::size_t k = 0; k < given.size(); ++k) { visits[k] = given[k]; }
  bound(std::span<visit_demand>{visits, given.size()});
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (visits[k].response > visits[k].deadline) { return false; }
  }
  return true;
}

}  // namespace detail

/// Computes responses on equal units under a preemptive GEL policy, by what a window can hold. Where that proves
/// nothing and visits have no jitter, they are bounded by a compliant vector, and under EDF by density.
/// Source: Bertogna and Cirinei 2007; Erickson 2014; Goossens, Funk and Baruah 2003, with densities Bertogna, Cirinei
/// and Lipari 2005. Those two know no non-preemptive regions. Cost: see `window_responses` and `compliant_vector`.
constexpr void gel_responses(std::span<visit_demand> visits, std::int32_t units, gel_policy policy) {
  const ticks slope = takt::detail::by_policy{policy, units}.slope();
  if (visits.size() > detail::most_gel_visits || detail::any_region(visits)) {
    return detail::point_responses<true>(visits, units, slope, nullptr);
  }
  ticks least[detail::most_gel_visits]{};
  ticks known[detail::most_gel_visits]{};
  bool proven = true;
  for (std::size_t k = 0; k < visits.size(); ++k) { least[k] = visits[k].response; }
  detail::point_responses<true>(visits, units, slope, nullptr);
  for (const visit_demand& v : visits) { proven = proven && v.response < unbounded_response; }
  if (proven) { return; }
  const bool compliant = detail::compliant_responses(visits, units, policy, known);
  const bool dense = policy == gel_policy::earliest_deadline && detail::density_decides(visits, units);
  if (!compliant && !dense) { return; }
  for (std::size_t k = 0; k < visits.size(); ++k) {
    if (!compliant) { known[k] = unbounded_response; }
    if (dense && visits[k].deadline < known[k]) { known[k] = visits[k].deadline; }
    visits[k].response = least[k];
  }
  detail::point_responses<true>(visits, units, slope, known);
}

namespace detail {

[[nodiscard]] constexpr auto any_jitter(std::span<const visit_demand> visits) noexcept -> bool {
  for (const visit_demand& v : visits) {
    if (v.jitter != 0) { return true; }
  }
  return false;
}

}  // namespace detail

/// Returns whether every visit meets its local deadline on equal units under preemptive global EDF. Pre: no jitter.
/// Source: see `gel_responses`.
[[nodiscard]] constexpr auto global_edf_decides(std::span<const visit_demand> visits, std::int32_t units) -> bool {
  TAKT_EXPECTS_IN_TESTS(!detail::any_jitter(visits));
  return (!detail::any_region(visits) && detail::density_decides(visits, units)) ||
         detail::responses_decide(visits, [units](std::span<visit_demand> own) {
           gel_responses(own, units, gel_policy::earliest_deadline);
         });
}

/// Returns whether every visit meets its local deadline where no visit is preempted.
[[nodiscard]] constexpr auto nonpreemptive_global_edf_decides(std::span<const visit_demand> visits, std::int32_t units)
    -> bool {
  return detail::responses_decide(
      visits, [units](std::span<visit_demand> own) { nonpreemptive_global_point_responses(own, units); });
}

}  // namespace takt::inline TAKT_ABI::analysis
