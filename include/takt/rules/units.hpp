// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

namespace takt::inline v0::detail {

template <class Rule>
inline constexpr bool has_clusters = requires(const Rule& rule) {
  { rule.cluster(1) } -> std::convertible_to<std::int32_t>;
};
template <class Rule>
[[nodiscard]] constexpr auto is_partitioned() noexcept -> bool {
  if constexpr (requires { Rule::partitioned; }) { return Rule::partitioned; }
  return false;
}
/// Whether tasks name the processors of which they use one.
template <class Rule>
inline constexpr bool reads_cores = has_clusters<Rule> || is_partitioned<Rule>();

/// Processors that a rule schedules together.
template <class Rule>
[[nodiscard]] constexpr auto cluster_of(const Rule& rule, std::int32_t units) noexcept -> std::int32_t {
  if constexpr (has_clusters<Rule>) { return rule.cluster(units); }
  return is_partitioned<Rule>() ? 1 : units;
}

}  // namespace takt::inline v0::detail
