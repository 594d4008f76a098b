// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/pools/deadlines.hpp>
#include <takt/analysis/pools/edf_responses.hpp>
#include <takt/analysis/pools/gel_responses.hpp>
#include <takt/analysis/pools/region_responses.hpp>
#include <takt/analysis/pools/responses.hpp>
#include <takt/analysis/pools/window_responses.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/pool_rule.hpp>
#include <takt/rules/tags.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// A rule that says by `bounds_header` where its bounds are, and that header is missing.
template <class Rule>
concept LacksBoundsHeader = requires { Rule::bounds_header; } && !BoundsResponses<Rule> && !DecidesDeadlines<Rule> &&
                            !takt::detail::is_included<Rule::bounds_header>;

template <class Rule>
struct bounds_are_included : takt::detail::no_header_needed {};
template <LacksBoundsHeader Rule>
struct bounds_are_included<Rule> : takt::detail::header_is_included<Rule::bounds_header, false> {};

/// Holds what is known of a pool under a rule. A rule that brings its bounds as members needs nothing here. Bounds of
/// some of takt's rules are in headers of their own, which specialize this.
template <class Rule>
struct pool_bounds {
  static_assert(detail::bounds_are_included<Rule>::passed);
  static constexpr void responds(const Rule& rule, std::span<visit_demand> visits, std::int32_t units)
    requires BoundsResponses<Rule>
  {
    rule.responds(visits, units);
  }
  [[nodiscard]] static constexpr auto decides(const Rule& rule, std::span<const visit_demand> visits,
                                              std::int32_t units) -> bool
    requires DecidesDeadlines<Rule>
  {
    return rule.decides(visits, units);
  }
};

template <class Order>
struct pool_bounds<fixed_priority_rule<Order>> {
  static constexpr void responds(auto /*rule*/, std::span<visit_demand> visits, std::int32_t units) {
    if (units > 1) { return global_priority_responses(visits, units); }
    detail::any_region(visits) ? region_priority_responses(visits) : preemptive_priority_responses(visits);
  }
};
template <class Rule>
  requires TaskLevelPriority<order_of<Rule>>
struct pool_bounds<nonpreemptive_rule<Rule>> {
  static constexpr void responds(auto /*rule*/, std::span<visit_demand> visits, std::int32_t units) {
    units == 1 ? nonpreemptive_priority_responses(visits) : nonpreemptive_global_priority_responses(visits, units);
  }
};
template <>
struct pool_bounds<edf_rule> {
  static constexpr void responds(auto /*rule*/, std::span<visit_demand> visits, std::int32_t units) {
    if (units > 1) { return gel_responses(visits, units, gel_policy::earliest_deadline); }
    detail::any_region(visits) ? region_edf_responses(visits) : edf_responses(visits);
  }
  [[nodiscard]] static constexpr auto decides(auto /*rule*/, std::span<const visit_demand> visits, std::int32_t units)
      -> bool {
    return units == 1 ? edf_decides(visits) : global_edf_decides(visits, units);
  }
};
template <class Rule>
  requires std::same_as<order_of<Rule>, by_absolute_deadline>
struct pool_bounds<nonpreemptive_rule<Rule>> {
  static constexpr void responds(auto /*rule*/, std::span<visit_demand> visits, std::int32_t units) {
    units == 1 ? nonpreemptive_edf_responses(visits) : nonpreemptive_global_point_responses(visits, units);
  }
  [[nodiscard]] static constexpr auto decides(auto /*rule*/, std::span<const visit_demand> visits, std::int32_t units)
      -> bool {
    return units == 1 ? nonpreemptive_edf_decides(visits) : nonpreemptive_global_edf_decides(visits, units);
  }
};
template <>
struct pool_bounds<takt::detail::global_rule<gel_policy::earliest_deadline>> : pool_bounds<edf_rule> {};
template <>
struct pool_bounds<nonpreemptive_rule<takt::detail::global_rule<gel_policy::earliest_deadline>>>
    : pool_bounds<nonpreemptive_rule<edf_rule>> {};
template <gel_policy Policy>
  requires PoolRule<takt::detail::global_rule<Policy>>
struct pool_bounds<takt::detail::global_rule<Policy>> {
  static constexpr void responds(auto /*rule*/, std::span<visit_demand> visits, std::int32_t units) {
    gel_responses(visits, units, Policy);
  }
};
template <gel_policy Policy>
  requires PoolRule<takt::detail::global_rule<Policy>>
struct pool_bounds<nonpreemptive_rule<takt::detail::global_rule<Policy>>> {
  static constexpr void responds(auto /*rule*/, std::span<visit_demand> visits, std::int32_t units) {
    nonpreemptive_global_point_responses(visits, units, takt::detail::by_policy{Policy, units}.slope());
  }
};
template <>
struct pool_bounds<fifo_rule> {
  static constexpr void responds(fifo_rule /*rule*/, std::span<visit_demand> visits, std::int32_t units) {
    arrival_order_responses(visits, units);
  }
};
template <bool Shared>
struct pool_bounds<federated_rule<Shared>> {
  static constexpr void responds(auto /*rule*/, std::span<visit_demand> visits, std::int32_t /*units*/) {
    dedicated_responses(visits);
  }
};
/// Each token is a partition of its own.
template <class Order>
struct pool_bounds<locked_rule<Order>> {
  static constexpr void responds(auto /*rule*/, std::span<visit_demand> visits, std::int32_t /*units*/) {
    dedicated_responses(visits);
  }
};
/// Applies what is known of the rule inside: stations have so many units.
template <class Rule>
struct pool_bounds<clustered_rule<Rule>> : pool_bounds<Rule> {};
template <class Rule>
concept KnowsResponses = requires(const Rule& rule, std::span<visit_demand> visits, std::int32_t units) {
  pool_bounds<Rule>::responds(rule, visits, units);
};
template <class Rule>
concept KnowsDeadlines = requires(const Rule& rule, std::span<const visit_demand> visits, std::int32_t units) {
  { pool_bounds<Rule>::decides(rule, visits, units) } -> std::same_as<bool>;
};

}  // namespace takt::inline TAKT_ABI::analysis::detail
