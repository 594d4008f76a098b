// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/pools/bounds.hpp>
#include <takt/analysis/pools/responses.hpp>
#include <takt/analysis/pools/share_deadlines.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/lasting_shares.hpp>
#include <takt/rules/needed_shares.hpp>

namespace takt::inline TAKT_ABI::detail {

template <>
inline constexpr bool is_included<needed_header::shares> = true;

}  // namespace takt::inline TAKT_ABI::detail

namespace takt::inline TAKT_ABI::analysis {

template <class Resource>
struct detail::pool_bounds<lasting_shares_rule<Resource>> {
  static constexpr void responds(auto /*rule*/, std::span<visit_demand> visits, std::int32_t /*units*/) {
    dedicated_responses(visits);
  }
};
template <std::size_t MaxTasks, class Resource>
struct detail::pool_bounds<needed_shares_rule<MaxTasks, Resource>> {
  [[nodiscard]] static constexpr auto decides(const needed_shares_rule<MaxTasks, Resource>& rule,
                                              std::span<const visit_demand> visits, std::int32_t units) -> bool {
    return units == 1 && detail::needed_shares_decide(visits, rule);
  }
};

}  // namespace takt::inline TAKT_ABI::analysis
