// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include <takt/model/service_order.hpp>
#include <takt/report/policies/sharing_rule.hpp>
#include <takt/rules/policies/tokens.hpp>
#include <takt/systems/locked_gpus/rules/locked_engines.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>

// Choices of locked GPUs in the words of the file format.

namespace takt::inline TAKT_ABI::report::detail {

template <class Value>
struct word_for {
  std::string_view word{};
  Value value{};
};
inline constexpr std::array service_words{word_for<service_order>{"fifo", service_order::first_come},
                                          word_for<service_order>{"priority", service_order::priority}};

/// Returns the word of the file format for a value, if there is one.
[[nodiscard]] constexpr auto word_in(const auto& words, const auto& value) noexcept -> std::string_view {
  for (const auto& known : words) {
    if (known.value == value) { return known.word; }
  }
  return "an order of its own";
}

[[nodiscard]] constexpr auto word_of(uncontended_gpus u) noexcept -> std::string_view {
  switch (u) {
    case uncontended_gpus::shared: return "shared";
    case uncontended_gpus::dedicated: return "dedicated";
  }
  return "";
}

[[nodiscard]] constexpr auto word_of(migration_path m) noexcept -> std::string_view {
  switch (m) {
    case migration_path::none: return "none";
    case migration_path::peer_to_peer: return "peer-to-peer";
    case migration_path::system_memory: return "system-memory";
  }
  return "";
}

}  // namespace takt::inline TAKT_ABI::report::detail

namespace takt::inline TAKT_ABI::report {

/// Tokens of GPUs with locked engines as a file says them.
template <class Order>
[[nodiscard]] auto rule_of_policy(const locked_engines_policy<Order>& policy) -> sharing_rule {
  sharing_rule out = rule_of_policy(static_cast<const tokens_policy<Order>&>(policy));
  const gpusync_configuration& shape = policy.engines.shape;
  out.engine_order = detail::word_in(detail::service_words, shape.engines);
  out.migration = detail::word_of(shape.migration);
  out.uncontended = detail::word_of(shape.uncontended);
  if (shape.gpus > shape.gpu_cluster_size) { out.clusters = shape.gpus / shape.gpu_cluster_size; }
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
