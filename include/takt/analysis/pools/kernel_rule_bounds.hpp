// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <takt/analysis/pools/bounds.hpp>
#include <takt/analysis/pools/kernel_bounds.hpp>
#include <takt/analysis/pools/responses.hpp>
#include <takt/analysis/pools/time_slice_responses.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/rules/accelerator/gang_order.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/time_slices.hpp>

namespace takt::inline TAKT_ABI::detail {

template <>
inline constexpr bool is_included<needed_header::kernels> = true;

}  // namespace takt::inline TAKT_ABI::detail

namespace takt::inline TAKT_ABI::analysis {

template <>
struct detail::pool_bounds<time_slice_rule> {
  static constexpr void responds(const time_slice_rule& rule, std::span<visit_demand> visits, std::int32_t units) {
    units == 1 ? time_slice_responses(visits, rule.slice.count(), rule.switching.count())
               : detail::no_responses(visits);
  }
};

template <class Policy>
struct detail::pool_bounds<levels_rule<Policy>> {
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
struct detail::pool_bounds<slots_rule<Policy>> {
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
struct detail::pool_bounds<gang_rule<Policy, Order>> {
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

}  // namespace takt::inline TAKT_ABI::analysis
