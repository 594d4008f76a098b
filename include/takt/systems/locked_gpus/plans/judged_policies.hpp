// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/allocation/policies/on_clusters.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/gel_policy.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/locking/token_orders.hpp>
#include <takt/rules/policies/tokens.hpp>
#include <takt/rules/tags.hpp>
#include <takt/systems/locked_gpus/analysis/runtime_tasks.hpp>
#include <takt/systems/locked_gpus/plans/judge.hpp>
#include <takt/systems/locked_gpus/rules/locked_engines.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>

// Tokens of GPUs on clusters, judged by the published method of locked GPUs.

namespace takt::inline TAKT_ABI {

namespace detail {

/// Says whether locked GPUs know a rule of clusters of processors; `section_scheduler` is their name for it.
template <class Rule>
inline constexpr bool schedules_sections = false;
template <class Rule>
inline constexpr cpu_scheduler section_scheduler{};
template <gel_policy Policy>
inline constexpr bool schedules_sections<global_rule<Policy>> = Policy.point == 0;
template <gel_policy Policy>
inline constexpr cpu_scheduler section_scheduler<global_rule<Policy>>{.points = Policy};
template <FixedPriority Rule>
inline constexpr bool schedules_sections<clustered_rule<Rule>> = true;
template <>
inline constexpr cpu_scheduler section_scheduler<fixed_priority_rule<by_given_priority>> =
    cpu_scheduler::given_priority;
template <>
inline constexpr cpu_scheduler section_scheduler<fixed_priority_rule<by_period>> = cpu_scheduler::shortest_period;
template <>
inline constexpr cpu_scheduler section_scheduler<fixed_priority_rule<by_relative_deadline>>{.points = {.deadline = 1},
                                                                                            .task_level = true};
template <gel_policy Policy>
inline constexpr bool schedules_sections<clustered_rule<global_rule<Policy>>> = Policy.point == 0;
template <class Rule>
inline constexpr cpu_scheduler section_scheduler<clustered_rule<Rule>> = section_scheduler<Rule>;

template <class Order>
inline constexpr bool locks_sections = false;
template <>
inline constexpr bool locks_sections<r2dglp_order_rule> = true;
template <>
inline constexpr bool locks_sections<ck_omlp_order_rule> = true;

/// Returns the board of locked GPUs that a policy with engines means, under a rule of the processors.
template <class Order, RuleTag CpuRule>
  requires detail::schedules_sections<CpuRule> && detail::locks_sections<Order>
[[nodiscard]] constexpr auto locked_board_of(const locked_engines_policy<Order>& policy, const CpuRule& rule,
                                             const hardware& board) -> gpusync_board<> {
  gpusync_board<> out = policy.engines;
  auto& shape = out.shape;
  shape.scheduler = detail::section_scheduler<CpuRule>;
  shape.cpus = board.processors;
  shape.cpu_cluster_size = detail::cluster_of(rule, board.processors);
  const std::int32_t clusters = shape.gpu_cluster_size < 1 ? 1 : shape.gpus / shape.gpu_cluster_size;
  shape.gpus = static_cast<std::int32_t>(board.gpus.size());
  shape.gpu_cluster_size = clusters < 1 ? shape.gpus : shape.gpus / clusters;
  shape.tokens_per_gpu = policy.tokens < 0 ? unlimited_tokens : policy.tokens;
  shape.tokens = std::same_as<Order, ck_omlp_order_rule> ? token_protocol::ck_omlp : token_protocol::r2dglp;
  return out;
}

}  // namespace detail

/// Asks the published method of locked GPUs where it is in a list of judges.
struct locked_gpu_judges {
  template <class Policy, class CpuRule>
  struct under {};
};

/// Jobs may be late, and overlap no others of their task. The plan says the cluster of GPUs of each task.
template <class Order, RuleTag CpuRule>
  requires detail::schedules_sections<CpuRule> && detail::locks_sections<Order>
struct locked_gpu_judges::under<locked_engines_policy<Order>, CpuRule> {
  using policy_type = locked_engines_policy<Order>;
  using method = analysis::gpusync_method;
  static constexpr bool counts_late_jobs = true;
  [[nodiscard]] static constexpr auto judge(const policy_type& policy, const CpuRule& cpus, const auto& tasks,
                                            const hardware& board) {
    const auto locked = detail::locked_board_of(policy, cpus, board);
    const std::int32_t cluster_size = locked.shape.cpu_cluster_size;
    const auto placed = detail::on_clusters(tasks, board, cluster_size);
    auto out = judge_locked_gpus(placed, board, locked);
    detail::name_cores<CpuRule>(tasks, placed, cluster_size, out);
    return out;
  }
  /// Judges with the clusters of GPUs that a plan says.
  [[nodiscard]] static constexpr auto judge_under(const policy_type& policy, const CpuRule& cpus, const auto& tasks,
                                                  const hardware& board, const auto& given) {
    auto placed = tasks;
    for (std::size_t i = 0; i < placed.size() && i < given.shares.size(); ++i) {
      if (given.shares[i].gpu >= 0) { placed.tasks[i].gpu = given.shares[i].gpu; }
    }
    auto out = judge(policy, cpus, placed, board);
    if (const auto error = parts_fault(given, detail::gpusync_plan_parts, tasks.size())) { out.refuse(error); }
    return out;
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const policy_type& policy, const CpuRule& cpus, const auto& tasks,
                                                 const hardware& board, const F& f) -> model_error {
    const auto locked = detail::locked_board_of(policy, cpus, board);
    const auto placed = detail::on_clusters(tasks, board, locked.shape.cpu_cluster_size);
    analysis::detail::locked_gpu_table<std::remove_cvref_t<decltype(tasks)>> table;
    model_error error{.fault = fault_of(locked.shape)};
    if (!error) { error = analysis::read_sections(placed, board, locked.shape, table); }
    if (!error) { f(locked, table); }
    return located(error, tasks.tasks);
  }
};

/// Without locks of engines the method of locked GPUs cannot read the tasks.
template <class Order, RuleTag CpuRule>
  requires detail::schedules_sections<CpuRule> && detail::locks_sections<Order>
struct locked_gpu_judges::under<tokens_policy<Order>, CpuRule> {
  using method = analysis::gpusync_method;
  template <class RuntimeTasks>
  [[nodiscard]] static constexpr auto judge(const tokens_policy<Order>& /*policy*/, const CpuRule& /*cpus*/,
                                            const RuntimeTasks& /*tasks*/, const hardware& /*board*/)
      -> verdict<ticks, RuntimeTasks::max_tasks, RuntimeTasks::max_visits> {
    verdict<ticks, RuntimeTasks::max_tasks, RuntimeTasks::max_visits> out;
    out.refuse({.fault = model_fault::choice_out_of_range});
    return out;
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const tokens_policy<Order>& /*policy*/, const CpuRule& /*cpus*/,
                                                 const auto& tasks, const hardware& /*board*/, const F& /*f*/)
      -> model_error {
    return located(model_error{.fault = model_fault::choice_out_of_range}, tasks.tasks);
  }
};

}  // namespace takt::inline TAKT_ABI
