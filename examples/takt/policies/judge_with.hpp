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

#include "asked_policy.hpp"
#include "explained.hpp"
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

/// Whether a policy is judged by its published method alone.
template <class P>
inline constexpr bool is_judged_alone =
    requires(const P& policy) { policy.analysis; } || requires(const P& policy) { policy.file; };

template <class Known>
inline constexpr bool judges_kernels = requires { requires AcceleratorRule<typename Known::method>; };

/// Judges under one rule of processors and the policy that is asked for.
template <class Rule>
void judge_with(const Rule& rule, const policy_question& q, const file_tasks& tasks, const hardware& board,
                judged_policy& out) {
  with_asked_policy(q, [&](const auto& policy) {
    using policy_type = std::remove_cvref_t<decltype(policy)>;
    using known = known_under<policy_type, Rule>;
    policy_type found = policy;
    if constexpr (is_judged_alone<policy_type>) {
      if constexpr (requires { known::judge(policy, rule, tasks, board); }) {
        out.verdict = known::judge(policy, rule, tasks, board);
        out.judged = !out.verdict.error;
        if (out.verdict.status == verdict_status::unschedulable) {
          if constexpr (requires { requires policy_type::decides_shares; }) {
            out.misses = takt::detail::misses_under<takt::detail::any_boards>(policy, rule, tasks, board);
          } else {
            out.misses = takt::detail::misses_beside(rule, tasks, board);
          }
          if (out.misses.empty()) {
            (void)out.misses.push_back({.reason = miss_reason::known_method, .method = out.verdict.method});
          }
        }
        out.verdict.plan.priorities.clear();
        out.verdict.plan.tokens.clear();
        if (board.gpus.empty()) { out.verdict.plan.shares.clear(); }
        if constexpr (requires { requires policy_type::has_board; }) {
          out.board = any_board_of<max_file_visits>(found, board, rule);
        } else {
          out.simulate = [&out, policy, rule](const file_tasks& asked, const hardware& on, const simulation_options& o,
                                              trace* kept) {
            return simulated_alone(policy, rule, out.verdict, asked, on, o, kept);
          };
        }
      } else {
        out.verdict.refuse({.fault = model_fault::option_unused});
      }
    } else {
      const auto best = judge_at_run_time(policy, rule, tasks, board);
      found = best.policy;
      out.judged = best.judged;
      out.verdict = best.verdict;
      out.missing.assign(best.missing.begin(), best.missing.end());
      out.misses = best.misses;
      if (out.judged && out.missing.empty()) { out.board = any_board_of<max_file_visits>(found, board, rule); }
    }
    out.policy = out.verdict.schedulable() ? word_of(found) : q.policy;
    out.search = q.search.value_or(default_search);
    out.copies = cpu_word<std::remove_cvref_t<decltype(copy_rule_of(policy, rule))>>;
    out.devices = cpu_word<std::remove_cvref_t<decltype(device_rule(rule))>>;
    out.rule = rule_of_file(found);
    // Without processors the order of kernels has a word of its own.
    constexpr bool has_own_word = takt::detail::has_clusters<Rule> && judges_kernels<known>;
    if constexpr (!has_own_word && requires { known::with_board(found, rule, tasks, board, [](const auto&...) {}); }) {
      out.explain = [&out, found, rule](const workload_file& file, const file_tasks& asked) {
        judged_policy::explanation said;
        out.unread = known::with_board(found, rule, asked, file.board, [&](const auto& platform, const auto& table) {
          said = explained(platform, table, out);
        });
        return said;
      };
    }
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
