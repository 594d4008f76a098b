// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/rules/gel.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/servers/forward.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/units.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Points that are given one by one are none of a job's own.
template <gel_policy Policy>
inline constexpr bool has_order_of_jobs = Policy.point == 0;

template <gel_policy Policy>
inline constexpr std::string_view policy_name = "GEL";
template <>
inline constexpr std::string_view policy_name<gel_policy::earliest_deadline> = "global EDF";
template <>
inline constexpr std::string_view policy_name<gel_policy::fair_lateness> = "global fair lateness";
template <>
inline constexpr std::string_view policy_name<gel_policy::first_in_first_out> = "earliest release";

/// The least nominal release + relative priority point first, on any processor of the pool. Where jobs are made of
/// visits, a policy may look at the length of the visit, so that a job has one point for each.
template <gel_policy Policy>
struct global_rule {
  using is_takt_rule = void;
  using honours_regions = global_rule;
  static constexpr gel_policy policy = Policy;
  static constexpr bool preemptive = true;
  static constexpr bool takes_suspensions = Policy.wcet == 0 && Policy.other_processors == 0;

  static constexpr std::string_view name = detail::policy_name<Policy>;
  [[nodiscard]] static constexpr auto job_order(std::int32_t units) noexcept -> by_policy
    requires detail::has_order_of_jobs<Policy>
  {
    return {Policy, units};
  }
  template <std::size_t Capacity>
  [[nodiscard]] static constexpr auto make_server(std::int32_t units) noexcept -> unit_server<true, Capacity> {
    return unit_server<true, Capacity>{units};
  }
};

}  // namespace detail

/// Clusters of so many processors, each under the rule inside by itself. A task's core is in its cluster; a graph names
/// its cluster by `on_cluster`.
template <class Rule>
struct clustered_rule : Rule {
  using inner = Rule;
  using honours_regions = std::conditional_t<detail::honours_regions<Rule>(), clustered_rule, void>;
  std::int32_t processors = 1;

  constexpr clustered_rule() = default;
  constexpr clustered_rule(const Rule& rule, std::int32_t cluster_size) noexcept
      : Rule{rule}, processors{cluster_size} {}

  /// Returns how many units are scheduled together.
  [[nodiscard]] constexpr auto cluster(std::int32_t /*units*/) const noexcept -> std::int32_t { return processors; }
};

inline constexpr detail::global_rule<gel_policy::earliest_deadline> g_edf{};
inline constexpr detail::global_rule<gel_policy::fair_lateness> g_fl{};
inline constexpr detail::global_rule<gel_policy::first_in_first_out> g_fifo{};
/// The points are those of the nodes of graphs: `relative_point`.
inline constexpr detail::global_rule<gel_policy::given_points> gel{};

namespace detail {

/// A rule as it serves several processors together.
template <class Rule>
struct rule_of_cluster {
  using type = Rule;
};
template <>
struct rule_of_cluster<edf_rule> {
  using type = global_rule<gel_policy::earliest_deadline>;
};
template <class Rule>
struct rule_of_cluster<nonpreemptive_rule<Rule>> {
  using type = nonpreemptive_rule<typename rule_of_cluster<Rule>::type>;
};

}  // namespace detail

/// Any rule of processors, on clusters of so many: `clustered(deadline_monotonic, 2)`.
template <RuleTag Rule>
  requires(!detail::has_clusters<Rule>)
[[nodiscard]] constexpr auto clustered(const Rule& rule, std::int32_t processors) noexcept
    -> clustered_rule<typename detail::rule_of_cluster<Rule>::type> {
  if constexpr (std::same_as<Rule, typename detail::rule_of_cluster<Rule>::type>) {
    return {rule, processors};
  } else {
    return {{}, processors};
  }
}
/// Makes the same rule as `clustered(nonpreemptive(...), ...)`.
template <class Rule>
[[nodiscard]] constexpr auto nonpreemptive(const clustered_rule<Rule>& rule) noexcept {
  return clustered(nonpreemptive(static_cast<const Rule&>(rule)), rule.processors);
}

}  // namespace takt::inline TAKT_ABI
