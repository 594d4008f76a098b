// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/choice.hpp>
#include <takt/rules/gel.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/pool_rule.hpp>
#include <takt/rules/servers/unit_server.hpp>
#include <takt/rules/tags.hpp>

namespace takt {

namespace detail {

/// The order of jobs of a policy on so many processors; points that are given have none of their own.
template <gel_policy Policy>
struct order_of_policy {
  static constexpr bool of_whole_jobs = false;
};
template <>
struct order_of_policy<gel_policy::earliest_deadline> {
  static constexpr bool of_whole_jobs = true;
  static constexpr std::string_view name = "global EDF";
  static constexpr std::string_view patient_name = "non-preemptive global EDF";
  [[nodiscard]] static constexpr auto on(std::int32_t /*units*/) noexcept -> by_absolute_deadline { return {}; }
};
template <>
struct order_of_policy<gel_policy::fair_lateness> {
  static constexpr bool of_whole_jobs = false;  // but of visits: their lengths
  static constexpr std::string_view name = "global fair lateness";
  static constexpr std::string_view patient_name = "non-preemptive global fair lateness";
  [[nodiscard]] static constexpr auto on(std::int32_t units) noexcept -> by_fair_lateness { return {units}; }
};
template <>
struct order_of_policy<gel_policy::first_in_first_out> {
  static constexpr bool of_whole_jobs = true;
  static constexpr std::string_view name = "earliest release";
  static constexpr std::string_view patient_name = "non-preemptive earliest release";
  [[nodiscard]] static constexpr auto on(std::int32_t /*units*/) noexcept -> by_release { return {}; }
};

template <gel_policy Policy>
inline constexpr bool has_order_of_jobs = requires { order_of_policy<Policy>::on(1); };

}  // namespace detail

/// The least nominal release + relative priority point first, on any processor of the pool. Where jobs are made of
/// visits, fair lateness looks at the length of the visit, so that a job has one point for each.
template <gel_policy Policy>
struct global_rule {
  static_assert(is_known(Policy),
                "takt: a choice is none of those that its type names; use one of the enumerators. "
                "See docs/errors.md#E79");
  using is_takt_rule = void;
  static constexpr gel_policy policy = Policy;
  static constexpr bool preemptive = true;
  static constexpr bool takes_suspensions = detail::order_of_policy<Policy>::of_whole_jobs;

  static constexpr std::string_view name = [] {
    if constexpr (detail::has_order_of_jobs<Policy>) { return detail::order_of_policy<Policy>::name; }
    return std::string_view{"points as given"};
  }();
  [[nodiscard]] static constexpr auto job_order(std::int32_t units) noexcept
    requires detail::has_order_of_jobs<Policy>
  {
    return detail::order_of_policy<Policy>::on(units);
  }
  template <std::size_t Capacity>
  [[nodiscard]] static constexpr auto make_server(std::int32_t units) noexcept -> unit_server<true, Capacity> {
    return unit_server<true, Capacity>{units};
  }
};

/// The same, and a job that runs keeps its processor to its end. Points of graphs are whole ticks: `set_whole_points`.
template <gel_policy Policy>
struct nonpreemptive_rule<global_rule<Policy>> {
  using is_takt_rule = void;
  static constexpr gel_policy policy = Policy;
  static constexpr bool preemptive = false;
  global_rule<Policy> inner{};

  static constexpr std::string_view name = [] {
    if constexpr (detail::has_order_of_jobs<Policy>) { return detail::order_of_policy<Policy>::patient_name; }
    return std::string_view{"non-preemptive, points as given"};
  }();
  [[nodiscard]] static constexpr auto job_order(std::int32_t units) noexcept
    requires detail::has_order_of_jobs<Policy>
  {
    return detail::order_of_policy<Policy>::on(units);
  }
  template <std::size_t Capacity>
  [[nodiscard]] static constexpr auto make_server(std::int32_t units) noexcept -> unit_server<false, Capacity> {
    return unit_server<false, Capacity>{units};
  }
};

/// Clusters of so many processors, each under the rule inside by itself. A task's core is in its cluster; a graph names
/// its cluster by `on_cluster`.
template <class Rule>
struct clustered_rule : Rule {
  using inner = Rule;
  std::int32_t processors = 1;

  constexpr clustered_rule() = default;
  constexpr clustered_rule(const Rule& rule, std::int32_t together) noexcept : Rule{rule}, processors{together} {}

  /// Units that are scheduled together.
  [[nodiscard]] constexpr auto cluster(std::int32_t /*units*/) const noexcept -> std::int32_t { return processors; }
};

inline constexpr global_rule<gel_policy::earliest_deadline> g_edf{};
inline constexpr global_rule<gel_policy::fair_lateness> g_fl{};
inline constexpr global_rule<gel_policy::first_in_first_out> g_fifo{};
/// The points are those of the nodes of graphs: `relative_point`.
inline constexpr global_rule<gel_policy::given_points> gel{};

/// Any rule of processors, on clusters of so many: `clustered(deadline_monotonic, 2)`.
template <RuleTag Rule>
  requires(!detail::has_clusters<Rule>)
[[nodiscard]] constexpr auto clustered(const Rule& rule, std::int32_t processors) noexcept -> clustered_rule<Rule> {
  return {rule, processors};
}
[[nodiscard]] constexpr auto clustered(edf_rule /*rule*/, std::int32_t processors) noexcept {
  return clustered(g_edf, processors);
}
[[nodiscard]] constexpr auto clustered(nonpreemptive_rule<edf_rule> /*rule*/, std::int32_t processors) noexcept {
  return clustered(nonpreemptive(g_edf), processors);
}
/// The same rule as `clustered(nonpreemptive(...), ...)`.
template <class Rule>
[[nodiscard]] constexpr auto nonpreemptive(const clustered_rule<Rule>& rule) noexcept {
  return clustered(nonpreemptive(static_cast<const Rule&>(rule)), rule.processors);
}

namespace detail {
template <class Rule>
inline constexpr bool is_federated<clustered_rule<Rule>> = is_federated<Rule>;
}  // namespace detail

}  // namespace takt
