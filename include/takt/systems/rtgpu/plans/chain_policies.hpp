// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/analysis/judge_known.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/rules/policies/own_sms.hpp>
#include <takt/rules/policies/sharing_policy.hpp>
#include <takt/rules/policies/tokens.hpp>
#include <takt/rules/tags.hpp>
#include <takt/systems/rtgpu/plans/judge.hpp>

// Policies that give tasks SMs of their own, or tokens of them, judged by the published methods of chains.

namespace takt::inline TAKT_ABI {

namespace detail {

/// Chains under rules of the processors and of the GPUs. `Named`: the plan names the SMs of each task.
template <bool Named, class RuntimeTasks, RuleTag CpuRule, RuleTag GpuRule>
[[nodiscard]] constexpr auto chains_under(const RuntimeTasks& tasks, const hardware& board, const CpuRule& cpus,
                                          const GpuRule& gpus) {
  auto out = judge_chains(tasks, board, cpus, gpus).verdict;
  out.plan.priorities.clear();
  out.plan.tokens.clear();
  if (!Named || board.gpus.empty()) { out.plan.shares.clear(); }
  return out;
}
/// Judges chains under a plan that was found by another method, with its priorities if it has some. It has no offsets.
template <class RuntimeTasks, RuleTag CpuRule, RuleTag GpuRule, class Plan>
[[nodiscard]] constexpr auto planned_chains_under(const RuntimeTasks& tasks, const hardware& board, const CpuRule& cpus,
                                                  const GpuRule& gpus, const Plan& p) {
  auto out = judge_planned_chains(tasks, board, cpus, gpus, p).verdict;
  if (p.priorities.empty()) { out.plan.priorities.clear(); }
  out.plan.tokens.clear();
  if (board.gpus.empty()) { out.plan.shares.clear(); }
  return out;
}

}  // namespace detail

/// Asks the published methods of chains where it is in a list of judges.
struct rtgpu_judges {
  template <class Policy, class CpuRule>
  struct under {};
};

template <RuleTag CpuRule>
  requires judges_chains<CpuRule, federated_rule<false>>
struct rtgpu_judges::under<federated_policy, CpuRule> {
  using method = chain_board<CpuRule, copies_beside<CpuRule, federated_rule<false>>, federated_rule<false>>;
  [[nodiscard]] static constexpr auto judge(const federated_policy& /*policy*/, const CpuRule& cpus, const auto& tasks,
                                            const hardware& board) {
    return detail::chains_under<true>(tasks, board, cpus, federated);
  }
  [[nodiscard]] static constexpr auto judge_under(const federated_policy& /*policy*/, const CpuRule& cpus,
                                                  const auto& tasks, const hardware& board, const auto& plan) {
    return detail::planned_chains_under(tasks, board, cpus, federated, plan);
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const federated_policy& /*policy*/, const CpuRule& cpus,
                                                 const auto& tasks, const hardware& board, const F& f) -> model_error {
    return detail::with_chains(tasks, board, cpus, federated, f);
  }
};

template <RuleTag CpuRule>
  requires judges_chains<CpuRule, federated_rule<true>>
struct rtgpu_judges::under<federated_shared_policy, CpuRule> {
  using method = chain_board<CpuRule, copies_beside<CpuRule, federated_rule<true>>, federated_rule<true>>;
  [[nodiscard]] static constexpr auto judge(const federated_shared_policy& /*policy*/, const CpuRule& cpus,
                                            const auto& tasks, const hardware& board) {
    return detail::chains_under<true>(tasks, board, cpus, federated_virtual);
  }
  [[nodiscard]] static constexpr auto judge_under(const federated_shared_policy& /*policy*/, const CpuRule& cpus,
                                                  const auto& tasks, const hardware& board, const auto& plan) {
    return detail::planned_chains_under(tasks, board, cpus, federated_virtual, plan);
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const federated_shared_policy& /*policy*/, const CpuRule& cpus,
                                                 const auto& tasks, const hardware& board, const F& f) -> model_error {
    return detail::with_chains(tasks, board, cpus, federated_virtual, f);
  }
};

template <RuleTag CpuRule>
  requires judges_chains<busy_waiting_rule<CpuRule>, federated_rule<false>>
struct rtgpu_judges::under<busy_waiting_policy, CpuRule> {
  using spinning = busy_waiting_rule<CpuRule>;
  using method = chain_board<spinning, copies_beside<spinning, federated_rule<false>>, federated_rule<false>>;
  [[nodiscard]] static constexpr auto judge(const busy_waiting_policy& /*policy*/, const CpuRule& cpus,
                                            const auto& tasks, const hardware& board) {
    return detail::with_processors(tasks, detail::chains_under<true>(tasks, board, busy_waiting(cpus), federated));
  }
  [[nodiscard]] static constexpr auto judge_under(const busy_waiting_policy& /*policy*/, const CpuRule& cpus,
                                                  const auto& tasks, const hardware& board, const auto& plan) {
    const auto out = detail::planned_chains_under(tasks, board, busy_waiting(cpus), federated, plan);
    return detail::with_processors(tasks, out);
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const busy_waiting_policy& /*policy*/, const CpuRule& cpus,
                                                 const auto& tasks, const hardware& board, const F& f) -> model_error {
    return detail::with_chains(tasks, board, busy_waiting(cpus), federated, f);
  }
};

/// Knows one GPU only: published methods see several as one pool of tokens.
template <class Order, RuleTag CpuRule>
  requires judges_chains<CpuRule, locked_rule<Order>>
struct rtgpu_judges::under<tokens_policy<Order>, CpuRule> {
  using method = chain_board<CpuRule, copies_beside<CpuRule, locked_rule<Order>>, locked_rule<Order>>;
  [[nodiscard]] static constexpr auto judge(const tokens_policy<Order>& policy, const CpuRule& cpus, const auto& tasks,
                                            const hardware& board) {
    auto out = detail::chains_under<false>(tasks, board, cpus, locked(Order{}, policy.tokens));
    if (board.gpus.size() > 1) { out.refuse({.fault = model_fault::one_core_and_gpu_only}); }
    return out;
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const tokens_policy<Order>& policy, const CpuRule& cpus,
                                                 const auto& tasks, const hardware& board, const F& f) -> model_error {
    return detail::with_chains(tasks, board, cpus, locked(Order{}, policy.tokens), f);
  }
};

}  // namespace takt::inline TAKT_ABI
