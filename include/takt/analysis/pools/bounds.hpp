// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/pools/block_queue_responses.hpp>
#include <takt/analysis/pools/deadlines.hpp>
#include <takt/analysis/pools/edf_responses.hpp>
#include <takt/analysis/pools/gel_responses.hpp>
#include <takt/analysis/pools/kernel_bounds.hpp>
#include <takt/analysis/pools/region_responses.hpp>
#include <takt/analysis/pools/responses.hpp>
#include <takt/analysis/pools/share_deadlines.hpp>
#include <takt/analysis/pools/time_slice_responses.hpp>
#include <takt/analysis/pools/window_responses.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/block_queue_rule.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/rules/lasting_shares.hpp>
#include <takt/rules/needed_shares.hpp>
#include <takt/rules/pool_rule.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/time_slices.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Holds what is known of a pool under a rule. A rule that brings its bounds as members needs nothing here.
template <class Rule>
struct pool_bounds {
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
template <class Resource>
struct pool_bounds<lasting_shares_rule<Resource>> {
  static constexpr void responds(auto /*rule*/, std::span<visit_demand> visits, std::int32_t /*units*/) {
    dedicated_responses(visits);
  }
};
template <std::size_t MaxTasks, class Resource>
struct pool_bounds<needed_shares_rule<MaxTasks, Resource>> {
  [[nodiscard]] static constexpr auto decides(const needed_shares_rule<MaxTasks, Resource>& rule,
                                              std::span<const visit_demand> visits, std::int32_t units) -> bool {
    return units == 1 && needed_shares_decide(visits, rule);
  }
};
/// Each token is a partition of its own.
template <class Order>
struct pool_bounds<locked_rule<Order>> {
  static constexpr void responds(auto /*rule*/, std::span<visit_demand> visits, std::int32_t /*units*/) {
    dedicated_responses(visits);
  }
};
template <>
struct pool_bounds<time_slice_rule> {
  static constexpr void responds(const time_slice_rule& rule, std::span<visit_demand> visits, std::int32_t units) {
    units == 1 ? time_slice_responses(visits, rule.slice.count(), rule.switching.count()) : no_responses(visits);
  }
};

template <std::size_t MaxSms, std::size_t MaxBlocks>
struct pool_bounds<block_queue_rule<MaxSms, MaxBlocks>> {
  static constexpr void responds(const block_queue_rule<MaxSms, MaxBlocks>& rule, std::span<visit_demand> visits,
                                 std::int32_t units) {
    units == 1 ? block_queue_responses(visits, rule.gpu) : no_responses(visits);
  }
};
template <StreamAssignment Streams, class Enqueues>
struct pool_bounds<fifo_blocks_rule<Streams, Enqueues>> : pool_bounds<block_queue_rule<>> {};

/// Applies what is known of the rule inside: stations have so many units.
template <class Rule>
struct pool_bounds<clustered_rule<Rule>> : pool_bounds<Rule> {};
template <class Policy>
struct pool_bounds<levels_rule<Policy>> {
  static constexpr void responds(const levels_rule<Policy>& rule, std::span<visit_demand> visits,
                                 std::int32_t /*units*/) {
    if constexpr (EarliestDeadlineFirst<Policy>) {
      level_edf_responses(visits, rule.nesting, rule.cost);
    } else {
      level_priority_responses(visits, rule.nesting, rule.cost);
    }
  }
  [[nodiscard]] static constexpr auto decides(const levels_rule<Policy>& rule, std::span<const visit_demand> visits,
                                              std::int32_t /*units*/) -> bool
    requires EarliestDeadlineFirst<Policy>
  {
    return level_edf_decides(visits, rule.nesting, rule.cost);
  }
};
template <class Policy>
struct pool_bounds<slots_rule<Policy>> {
  static constexpr void responds(const slots_rule<Policy>& rule, std::span<visit_demand> visits,
                                 std::int32_t /*units*/) {
    if constexpr (EarliestDeadlineFirst<Policy>) {
      slot_edf_responses(visits, rule.pinned, rule.gang);
    } else {
      slot_priority_responses(visits, rule.pinned, rule.gang);
    }
  }
  [[nodiscard]] static constexpr auto decides(const slots_rule<Policy>& rule, std::span<const visit_demand> visits,
                                              std::int32_t /*units*/) -> bool
    requires EarliestDeadlineFirst<Policy>
  {
    return slot_edf_decides(visits, rule.pinned, rule.gang);
  }
};
template <class Policy, GangOrder Order>
struct pool_bounds<gang_rule<Policy, Order>> {
  static constexpr void responds(auto /*rule*/, std::span<visit_demand> visits, std::int32_t /*units*/) {
    if constexpr (EarliestDeadlineFirst<Policy>) {
      gang_edf_responses(visits);
    } else {
      gang_priority_responses(visits);
    }
  }
  [[nodiscard]] static constexpr auto decides(auto /*rule*/, std::span<const visit_demand> visits,
                                              std::int32_t /*units*/) -> bool
    requires EarliestDeadlineFirst<Policy>
  {
    return gang_edf_decides(visits);
  }
};

template <class Rule>
concept KnowsResponses = requires(const Rule& rule, std::span<visit_demand> visits, std::int32_t units) {
  pool_bounds<Rule>::responds(rule, visits, units);
};
template <class Rule>
concept KnowsDeadlines = requires(const Rule& rule, std::span<const visit_demand> visits, std::int32_t units) {
  { pool_bounds<Rule>::decides(rule, visits, units) } -> std::same_as<bool>;
};

}  // namespace takt::inline TAKT_ABI::analysis
