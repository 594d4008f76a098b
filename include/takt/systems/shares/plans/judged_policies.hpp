// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/rules/policies/granted_shares.hpp>
#include <takt/rules/policies/own_sms.hpp>
#include <takt/rules/share_tags.hpp>
#include <takt/rules/tags.hpp>
#include <takt/systems/shares/analysis/runtime_tasks.hpp>
#include <takt/systems/shares/plans/judge.hpp>

// Shares of a GPU, lasting ones and those that follow jobs, judged by the published method of shares.

namespace takt::inline TAKT_ABI {

/// Asks the published method of shares where it is in a list of judges.
struct share_judges {
  template <class Policy, class CpuRule>
  struct under {};
};

/// Knows shares that never change: a kernel takes as long as with its share.
template <RuleTag CpuRule>
struct share_judges::under<shares_policy, CpuRule> {
  using method = shares_rule;
  [[nodiscard]] static constexpr auto judge(const shares_policy& policy, const CpuRule& cpus, const auto& tasks,
                                            const hardware& board) {
    return judge_under(policy, cpus, tasks, board, plan<1>{});
  }
  [[nodiscard]] static constexpr auto judge_under(const shares_policy& /*policy*/, const CpuRule& /*cpus*/,
                                                  const auto& tasks, const hardware& board, const auto& given) {
    auto p = given;
    p.shares.clear();  // of the one GPU
    p.cores.clear();   // nobody visits a processor
    auto out = judge_shares(tasks, board, shares(), {}, p);
    for (std::size_t i = 0; out.schedulable() && i < p.percents.size(); ++i) { out.plan.percents[i] = p.percents[i]; }
    for (std::size_t i = 0; out.schedulable() && i < out.tasks.size(); ++i) {
      auto& t = out.tasks[i];
      t.bound = {analysis::detail::time_with_share(tasks, board, i, out.plan.percents[i]), true};
      t.parts.clear();
      t.parts.add(term_kind::gpu, static_cast<std::uint32_t>(i), t.bound.value);
    }
    return out;
  }
};

/// Judges without regard to processors: no task visits one.
template <std::size_t N, FixedPriority CpuRule>
struct share_judges::under<granted_shares_policy<N>, CpuRule> {
  using method = shares_rule;
  [[nodiscard]] static constexpr auto judge(const granted_shares_policy<N>& policy, const CpuRule& /*cpus*/,
                                            const auto& tasks, const hardware& board) {
    return judge_shares(tasks, board, policy.rule, policy.contention);
  }
  /// Checks that given shares hold at least what the method asks for.
  [[nodiscard]] static constexpr auto judge_under(const granted_shares_policy<N>& policy, const CpuRule& /*cpus*/,
                                                  const auto& tasks, const hardware& board, const auto& given) {
    auto p = given;
    p.shares.clear();  // of the one GPU
    return judge_shares(tasks, board, policy.rule, policy.contention, p);
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const granted_shares_policy<N>& policy, const CpuRule& /*cpus*/,
                                                 const auto& tasks, const hardware& board, const F& f) -> model_error {
    return detail::with_shares(tasks, board, policy.rule, policy.contention, [&](const auto& platform, auto table) {
      for (std::size_t i = 0; i < table.size(); ++i) {
        table.tasks[i].priority = i < policy.weights.size() ? policy.weights[i] : 0;
      }
      f(platform, table);
    });
  }
};

}  // namespace takt::inline TAKT_ABI
