// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/gel_task.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/rules/gel.hpp>
#include <takt/rules/graph/tags.hpp>

namespace takt::inline TAKT_ABI {

/// Gives the nodes of a refined table the points of a policy, rounded up to whole ticks. False if one does not fit.
/// Pre: `fits` found nothing.
template <std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto set_whole_points(graph_table<ticks, N, E, G>& refined, const graph_platform& platform,
                                              gel_policy policy) -> bool {
  for (auto& n : refined.nodes) {
    const auto& g = refined.graphs[n.graph];
    TAKT_EXPECTS(0 <= g.cluster && static_cast<std::size_t>(g.cluster) < platform.clusters.size());
    const gel_task<ticks> t{.name = n.name, .wcet = n.wcet, .period = g.period, .deadline = g.period, .point = n.point};
    const auto point = relative_point(policy, t, platform.clusters[static_cast<std::size_t>(g.cluster)]);
    if (point.overflowed()) { return false; }
    n.point = point.ceil();
  }
  return true;
}

/// Graphs with their copies where the platform makes them. Without preemption their nodes have whole points, so that a
/// run by the clock of a machine, a simulation and bounds all have the same ones. False if a point does not fit. Pre:
/// `validate` and `fits` found nothing.
template <GraphPlatform P, std::size_t N, std::size_t E, std::size_t G>
  requires GlobalRule<detail::global_rule_of<P>>
[[nodiscard]] constexpr auto refine_for(const P& platform, const graph_table<ticks, N, E, G>& table,
                                        refined_table<graph_table<ticks, N, E, G>>& out) -> bool {
  using rule = detail::global_rule_of<P>;
  const graph_platform record = graph_platform_of(platform);
  TAKT_EXPECTS_IN_TESTS(!fits(table, record));
  out = refine(table, record.placement());
  return is_preemptive<rule> || set_whole_points(out, record, rule::policy);
}

namespace detail {

/// The policy of the points of a table that `refine_for` made.
template <GraphPlatform P>
  requires GlobalRule<detail::global_rule_of<P>>
inline constexpr gel_policy refined_policy =
    is_preemptive<detail::global_rule_of<P>> ? detail::global_rule_of<P>::policy : gel_policy::given_points;

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
