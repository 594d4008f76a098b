// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::detail {

template <class Rule>
inline constexpr bool has_clusters = requires(const Rule& rule) {
  { rule.cluster(1) } -> std::convertible_to<std::int32_t>;
};
/// Returns whether a rule takes a unit from a visit that has it.
template <class Rule>
[[nodiscard]] constexpr auto takes_units_back() noexcept -> bool {
  bool takes = requires(const Rule& rule) { rule.turns(); };
  if constexpr (requires { Rule::preemptive; }) { takes = takes || Rule::preemptive; }
  return takes;
}
/// Returns whether CPU segments may say regions in which they keep their processor. A rule that preempts names itself
/// by `honours_regions`, so that no rule inherits it and changes the server or the bound.
template <class Rule>
[[nodiscard]] constexpr auto honours_regions() noexcept -> bool {
  if constexpr (requires { requires std::same_as<typename Rule::honours_regions, Rule>; }) { return true; }
  return !takes_units_back<Rule>();
}

template <class Rule>
[[nodiscard]] constexpr auto is_partitioned() noexcept -> bool {
  if constexpr (requires { Rule::partitioned; }) { return Rule::partitioned; }
  return false;
}
/// Tells whether tasks name the processors of which they use one.
template <class Rule>
inline constexpr bool reads_cores = has_clusters<Rule> || is_partitioned<Rule>();

/// Returns whether the plan of a rule gives tasks percents of a GPU.
template <class Rule>
[[nodiscard]] constexpr auto hands_out_percents() noexcept -> bool {
  if constexpr (requires { Rule::hands_out_percents; }) { return Rule::hands_out_percents; }
  return false;
}

/// Returns how many processors a rule schedules together.
template <class Rule>
[[nodiscard]] constexpr auto cluster_of(const Rule& rule, std::int32_t units) noexcept -> std::int32_t {
  if constexpr (has_clusters<Rule>) { return rule.cluster(units); }
  return is_partitioned<Rule>() ? 1 : units;
}

}  // namespace takt::inline TAKT_ABI::detail
