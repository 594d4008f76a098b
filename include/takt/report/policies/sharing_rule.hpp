// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/policies/own_sms.hpp>
#include <takt/rules/policies/sharing_policy.hpp>
#include <takt/rules/policies/tokens.hpp>
#include <takt/rules/policies/whole_gpu.hpp>
#include <takt/rules/share_tags.hpp>
#include <takt/rules/shares/share_rules.hpp>

// Policies as words and numbers, which may be written down and read again.

namespace takt::inline TAKT_ABI::report {

struct slot_time {
  ticks offset = 0;
  ticks budget = 0;

  [[nodiscard]] friend auto operator==(const slot_time&, const slot_time&) -> bool = default;
};
struct slot_times {
  ticks period = 0;
  std::optional<slot_time> pinned;
  std::optional<slot_time> gang;

  [[nodiscard]] friend auto operator==(const slot_times&, const slot_times&) -> bool = default;
};

/// Says how GPUs are shared, in the words of the file format. A word that is empty, and a number that is not there,
/// were not given.
struct sharing_rule {
  std::string_view sharing = "isolated";
  std::string_view policy{};
  std::string_view cost_model{};
  std::string_view order{};
  std::string_view protocol{};
  std::string_view engine_order{};
  std::string_view migration{};
  std::string_view uncontended{};
  std::string_view rules{};
  std::string_view triggers{};
  std::optional<std::int32_t> tokens_per_gpu;  ///< 0: no limit
  std::optional<std::int32_t> clusters;        ///< of GPUs
  std::optional<std::int32_t> levels;          ///< of those that the hardware has
  std::optional<ticks> slice;
  std::optional<slot_times> slots;

  [[nodiscard]] friend auto operator==(const sharing_rule&, const sharing_rule&) -> bool = default;
};

namespace detail {

/// Lists what the file format writes for a policy that has another name there.
inline constexpr std::pair<std::string_view, std::string_view> sharing_names[] = {
    {federated_policy::name, "isolated"}, {federated_shared_policy::name, "shared"}, {whole_gpu_policy::name, "whole"}};
inline constexpr std::string_view tokens_prefix = "tokens-";

}  // namespace detail

/// Returns "time-sliced:1024000ns".
template <SharingPolicy P>
[[nodiscard]] auto keyword_of_policy(const P& policy) -> std::string {
  const std::int64_t parameter = parameter_of(policy);
  if (parameter == 0) { return std::string{P::name}; }
  constexpr bool is_time = requires { policy.slice; };
  return std::string{P::name} + ":" + std::to_string(parameter) + (is_time ? "ns" : "");
}

/// Returns the word of the policy by which a rule shares GPUs. Slots, orders and the like have no part in it.
[[nodiscard]] inline auto keyword_of_rule(const sharing_rule& rule) -> std::string {
  for (const auto& [name, sharing] : detail::sharing_names) {
    if (sharing == rule.sharing) { return std::string{name}; }
  }
  const std::string sharing{rule.sharing};
  const std::int32_t tokens = rule.tokens_per_gpu.value_or(0);
  if (sharing == "tokens") {
    return std::string{detail::tokens_prefix}.append(rule.protocol) + (tokens > 0 ? ":" + std::to_string(tokens) : "");
  }
  if (sharing == time_sliced_policy::name && rule.slice) { return sharing + ":" + std::to_string(*rule.slice) + "ns"; }
  if (sharing == levels_policy::name && rule.levels) { return sharing + ":" + std::to_string(*rule.levels); }
  return sharing == "single-stream" ? std::string{whole_gpu_policy::name} : sharing;
}

/// Returns a policy as such a rule.
template <SharingPolicy P>
[[nodiscard]] auto rule_of_policy(const P& policy) -> sharing_rule {
  sharing_rule out;
  out.sharing = P::name;
  for (const auto& [name, sharing] : detail::sharing_names) {
    if (name == out.sharing) { out.sharing = sharing; }
  }
  if constexpr (requires { policy.tokens; }) {
    out.sharing = "tokens";
    out.protocol = P::name.substr(detail::tokens_prefix.size());
    out.tokens_per_gpu = policy.tokens < 0 ? 0 : policy.tokens;
  }
  if constexpr (requires { policy.slice; }) { out.slice = policy.slice; }
  if constexpr (requires { policy.levels; }) {
    if (policy.levels > 0) { out.levels = policy.levels; }
  }
  if constexpr (requires { policy.pinned.period; }) {
    out.slots = slot_times{policy.pinned.period, slot_time{policy.pinned.offset, policy.pinned.budget},
                           slot_time{policy.gang.offset, policy.gang.budget}};
  }
  return out;
}

namespace detail {

template <class P>
void take_slots(P& policy, const sharing_rule& rule) {
  if constexpr (requires { policy.pinned.period; }) {
    if (!rule.slots) { return; }
    const slot_time pinned = rule.slots->pinned.value_or(slot_time{});
    const slot_time gang = rule.slots->gang.value_or(slot_time{});
    policy.pinned = {.offset = pinned.offset, .budget = pinned.budget, .period = rule.slots->period};
    policy.gang = {.offset = gang.offset, .budget = gang.budget, .period = rule.slots->period};
  }
}

}  // namespace detail

/// Gives a policy the numbers of a rule that searches choose where they are not given.
template <SharingPolicy P>
void take_parameters(P& policy, const sharing_rule& rule) {
  detail::take_slots(policy, rule);
  if constexpr (requires { policy.tokens; }) {
    if (rule.tokens_per_gpu) {
      policy.tokens = *rule.tokens_per_gpu == 0 ? any_number_of_tokens : *rule.tokens_per_gpu;
    }
  }
  if constexpr (requires { policy.slice; }) {
    if (rule.slice) { policy.slice = *rule.slice; }
  }
  if constexpr (requires { policy.levels; }) {
    if (rule.levels) { policy.levels = *rule.levels; }
  }
}

/// Gives a policy what a rule says beyond its name.
template <SharingPolicy P>
void take_values(P& policy, const sharing_rule& rule) {
  detail::take_slots(policy, rule);
  if constexpr (requires { policy.cost; }) {
    if (rule.cost_model == "race") { policy.cost = preemption_cost_model::race; }
    if (rule.cost_model == "overhead") { policy.cost = preemption_cost_model::overhead; }
    if (rule.cost_model == "ideal") { policy.cost = preemption_cost_model::ideal; }
  }
}

/// Returns what a rule says of shares that follow the needs of jobs.
[[nodiscard]] inline auto shares_of_rule(const sharing_rule& rule) -> shares_rule {
  const share_rules& rules = rule.rules == "text"      ? wamp2s_text
                             : rule.rules == "literal" ? wamp2s_literal
                                                       : wamp2s_robust;
  return shares(rules, rule.triggers == "workload-decrease" ? workload_decrease : every_change);
}

}  // namespace takt::inline TAKT_ABI::report
