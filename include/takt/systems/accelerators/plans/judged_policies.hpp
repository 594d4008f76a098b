// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/runtime_tasks/mismatch.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/policies/sharing_policy.hpp>
#include <takt/rules/policies/whole_gpu.hpp>
#include <takt/rules/tags.hpp>
#include <takt/systems/accelerators/plans/judge.hpp>

// Policies under which whole kernels have the GPU, judged by the published methods of accelerators. Plans hold what
// hosts of boards that are composed of pools take; the rest follows from the rules.

namespace takt::inline TAKT_ABI {

namespace detail {

/// Under a verdict without bounds every task that meets its deadline is done by it.
template <class RuntimeTasks, class Verdict>
constexpr void bound_by_deadlines(const RuntimeTasks& tasks, Verdict& out) {
  for (std::size_t i = 0; i < out.tasks.size(); ++i) {
    auto& t = out.tasks[i];
    if (!t.meets || t.bound.exists) { continue; }
    t.bound = {analysis::detail::deadline_to_prove(tasks.tasks[i]), true};
    t.parts.clear();
    t.parts.add(term_kind::local_deadline, static_cast<std::uint32_t>(i), t.bound.value);
  }
}

/// Knows whole kernels under a rule, where every kernel for one SM names it.
template <class RuntimeTasks, AcceleratorRule Rule>
[[nodiscard]] constexpr auto kernels_under(const RuntimeTasks& tasks, const hardware& board, const Rule& rule,
                                           std::int32_t nesting = 0) {
  auto answer = judge_whole_kernels(tasks, board, rule, nesting);
  auto& out = answer.verdict;
  if (answer.cores_were_chosen) { out.refuse({.fault = model_fault::core_not_chosen}); }
  bound_by_deadlines(tasks, out);
  out.plan.cores.clear();
  out.plan.priorities.clear();
  out.plan.slots.clear();
  return out;
}

}  // namespace detail

/// Asks the published methods of whole kernels where it is in a list of judges.
struct accelerator_judges {
  template <class Policy, class CpuRule>
  struct under {};
};

template <RuleTag CpuRule>
struct accelerator_judges::under<whole_gpu_policy, CpuRule> {
  using method = nonpreemptive_rule<kernel_order_beside<CpuRule>>;
  [[nodiscard]] static constexpr auto judge(const whole_gpu_policy& /*policy*/, const CpuRule& /*cpus*/,
                                            const auto& tasks, const hardware& board) {
    return detail::kernels_under(tasks, board, method{});
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const whole_gpu_policy& /*policy*/, const CpuRule& /*cpus*/,
                                                 const auto& tasks, const hardware& board, const F& f) -> model_error {
    return detail::with_whole_kernels(tasks, board, method{}, 0, f);
  }
};

template <RuleTag CpuRule>
struct accelerator_judges::under<levels_policy, CpuRule> {
  using method = levels_rule<kernel_order_beside<CpuRule>>;
  [[nodiscard]] static constexpr auto judge(const levels_policy& policy, const CpuRule& /*cpus*/, const auto& tasks,
                                            const hardware& board) {
    return detail::kernels_under(tasks, board, levels(kernel_order_beside<CpuRule>{}, policy.cost), policy.levels);
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const levels_policy& policy, const CpuRule& /*cpus*/,
                                                 const auto& tasks, const hardware& board, const F& f) -> model_error {
    return detail::with_whole_kernels(tasks, board, levels(kernel_order_beside<CpuRule>{}, policy.cost), policy.levels,
                                      f);
  }
};

template <RuleTag CpuRule>
struct accelerator_judges::under<slots_policy, CpuRule> {
  using method = slots_rule<kernel_order_beside<CpuRule>>;
  [[nodiscard]] static constexpr auto judge(const slots_policy& policy, const CpuRule& /*cpus*/, const auto& tasks,
                                            const hardware& board) {
    return detail::kernels_under(tasks, board, method{{}, policy.pinned, policy.gang});
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const slots_policy& policy, const CpuRule& /*cpus*/, const auto& tasks,
                                                 const hardware& board, const F& f) -> model_error {
    return detail::with_whole_kernels(tasks, board, (method{{}, policy.pinned, policy.gang}), 0, f);
  }
};

template <GangOrder Order, RuleTag CpuRule>
struct accelerator_judges::under<ordered_gang_policy<Order>, CpuRule> {
  using method = gang_rule<kernel_order_beside<CpuRule>, Order>;
  [[nodiscard]] static constexpr auto judge(const ordered_gang_policy<Order>& /*policy*/, const CpuRule& /*cpus*/,
                                            const auto& tasks, const hardware& board) {
    return detail::kernels_under(tasks, board, method{});
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const ordered_gang_policy<Order>& /*policy*/, const CpuRule& /*cpus*/,
                                                 const auto& tasks, const hardware& board, const F& f) -> model_error {
    return detail::with_whole_kernels(tasks, board, method{}, 0, f);
  }
};

}  // namespace takt::inline TAKT_ABI
