// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include <takt/rules/clusters.hpp>
#include <takt/rules/policies/cpu_words.hpp>
#include <takt/rules/policies/policy_words.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/rules/tags.hpp>

#include "judged.hpp"

namespace takt::program {

/// What files write for a policy that has another name there.
inline constexpr std::pair<std::string_view, std::string_view> sharing_names[] = {
    {"federated", "isolated"}, {"federated-shared", "shared"}, {"whole-gpu", "whole"}};
inline constexpr std::string_view tokens_prefix = "tokens-";

template <class P>
[[nodiscard]] auto rule_of_file(const P& policy) -> sharing_rule {
  sharing_rule out;
  out.sharing = P::name;
  for (const auto& [name, sharing] : sharing_names) {
    if (name == out.sharing) { out.sharing = sharing; }
  }
  if constexpr (requires { policy.tokens; }) {
    out.sharing = "tokens";
    out.protocol = P::name.substr(tokens_prefix.size());
    out.tokens_per_gpu = policy.tokens;
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

/// "time-sliced:1024000ns".
template <class P>
[[nodiscard]] auto word_of(const P& policy) -> std::string {
  const std::int64_t parameter = parameter_of(policy);
  if (parameter == 0) { return std::string{P::name}; }
  constexpr bool is_time = requires { policy.slice; };
  return fmt::format("{}:{}{}", P::name, parameter, is_time ? "ns" : "");
}

/// Judges under one rule of processors and the policy that is asked for.
template <class Rule>
void judge_with(const Rule& rule, const policy_question& q, const file_tasks& tasks, const hardware& board,
                judged_policy& out) {
  (void)with_policy(published_policies, q.policy, [&](auto policy) {
    if constexpr (requires { policy.pinned.period; }) {
      if (q.slots) {
        const slot_time pinned = q.slots->pinned.value_or(slot_time{});
        const slot_time gang = q.slots->gang.value_or(slot_time{});
        policy.pinned = {.offset = pinned.offset, .budget = pinned.budget, .period = q.slots->period};
        policy.gang = {.offset = gang.offset, .budget = gang.budget, .period = q.slots->period};
      }
    }
    const auto found = judge_at_run_time(policy, rule, tasks, board);
    out.policy = found.schedulable() ? word_of(found.policy) : q.policy;
    out.judged = found.judged;
    out.verdict = found.verdict;
    out.missing.assign(found.missing.begin(), found.missing.end());
    out.misses = found.misses;
    out.spins = keeps_processor<decltype(policy)>();
    out.copies = cpu_word<std::remove_cvref_t<decltype(copy_rule_of(policy, rule))>>;
    out.devices = cpu_word<std::remove_cvref_t<decltype(device_rule(rule))>>;
    out.rule = rule_of_file(found.policy);
    if (found.judged && found.missing.empty()) { out.board = any_board_of<max_file_visits>(found.policy, board, rule); }
  });
}

/// The entry of a rule that keeps tasks on their cores.
template <const auto& Rule>
void judge_on_cores(const policy_question& q, const file_tasks& tasks, const hardware& board, judged_policy& out) {
  judge_with(Rule, q, tasks, board, out);
}
/// The entry of a rule of clusters.
template <const auto& Rule>
void judge_on_clusters(const policy_question& q, const file_tasks& tasks, const hardware& board, judged_policy& out) {
  judge_with(clustered(Rule, q.together), q, tasks, board, out);
}

}  // namespace takt::program
