// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/allocation/policies/known_under.hpp>
#include <takt/analysis/described/misfit.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/described_tasks.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/rules/locking/token_orders.hpp>
#include <takt/rules/policies/own_sms.hpp>
#include <takt/rules/policies/sharing_policy.hpp>
#include <takt/rules/policies/tokens.hpp>
#include <takt/rules/policies/whole_gpu.hpp>
#include <takt/rules/share_tags.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/units.hpp>
#include <takt/rules/worst_fit.hpp>
#include <takt/systems/accelerators/plans/judge.hpp>
#include <takt/systems/graphs/plans/judge.hpp>
#include <takt/systems/locked_gpus/analysis/described.hpp>
#include <takt/systems/locked_gpus/plans/judge.hpp>
#include <takt/systems/locked_gpus/rules/locked_engines.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>
#include <takt/systems/rtgpu/plans/chain_policies.hpp>
#include <takt/systems/rtgpu/plans/judge.hpp>
#include <takt/systems/shares/plans/judge.hpp>

// Which published method judges which policy, under which rules of the processors. Plans hold what hosts of boards that
// are composed of pools take; the rest follows from the rules.

namespace takt::inline TAKT_ABI {

namespace detail {

/// Under a verdict without bounds every task that meets its deadline is done by it.
template <class Described, class Verdict>
constexpr void bound_by_deadlines(const Described& tasks, Verdict& out) {
  for (std::size_t i = 0; i < out.tasks.size(); ++i) {
    auto& t = out.tasks[i];
    if (t.meets && !t.bound.exists) { t.bound = {analysis::deadline_to_prove(tasks.tasks[i]), true}; }
  }
}

/// Whole kernels under a rule, where every kernel for one SM names it.
template <class Described, AcceleratorRule Rule>
[[nodiscard]] constexpr auto kernels_under(const Described& tasks, const hardware& board, const Rule& rule,
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

/// Returns the tasks with numbers of clusters for cores: those that name none go where the least CPU time is.
template <class Described>
[[nodiscard]] constexpr auto on_clusters(const Described& given, const hardware& board, std::int32_t together)
    -> Described {
  Described out = given;
  const std::int32_t clusters = together < 1 ? 1 : board.processors / together;
  const auto demand = [&](std::size_t i) {
    std::int64_t sum = 0;
    for (std::uint32_t p = 0; p < given.tasks[i].visit_count; ++p) {
      const described_visit& v = given.visit(i, p);
      if (v.where == visit_place::processor) { sum += demand_of_place(v.time.upper, given.tasks[i].period); }
    }
    return sum;
  };
  for (described_task& t : out.tasks) {
    if (t.core != any_core) { t.core /= together < 1 ? 1 : together; }
  }
  static_cast<void>(place_worst_fit<Described::max_tasks>(
      out.size(), clusters < 1 ? 1 : clusters, demand,
      [&](std::size_t i) { return out.tasks[i].core == any_core ? -1 : out.tasks[i].core; },
      [&](std::size_t i, std::int32_t p) { out.tasks[i].core = p; }));
  return out;
}
/// Where plans name cores, that of the task if it names one, else the first one of its cluster.
template <class CpuRule, class Described, class Verdict>
constexpr void name_cores(const Described& given, const Described& clustered, std::int32_t together, Verdict& out) {
  out.plan.cores.clear();
  if (!reads_cores<CpuRule> || out.error) { return; }
  for (std::size_t i = 0; i < clustered.size(); ++i) {
    const std::int32_t named = given.tasks[i].core;
    // Bound: one per task, as in the set.
    out.plan.cores.unchecked_push_back(named != any_core ? named : clustered.tasks[i].core * together);
  }
}

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

}  // namespace detail

/// The board of locked GPUs that a policy with engines means, under a rule of the processors.
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

/// On one GPU: published methods see several as one pool of tokens.
template <class Order, RuleTag CpuRule>
  requires judges_chains<CpuRule, locked_rule<Order>>
struct known_under<tokens_policy<Order>, CpuRule> {
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
    return with_chains(tasks, board, cpus, locked(Order{}, policy.tokens), f);
  }
};

/// Jobs may be late, and overlap no others of their task. The plan says the cluster of GPUs of each task.
template <class Order, RuleTag CpuRule>
  requires detail::schedules_sections<CpuRule> && detail::locks_sections<Order>
struct known_under<locked_engines_policy<Order>, CpuRule> {
  using policy_type = locked_engines_policy<Order>;
  using method = analysis::gpusync_method;
  [[nodiscard]] static constexpr auto judge(const policy_type& policy, const CpuRule& cpus, const auto& tasks,
                                            const hardware& board) {
    const auto locked = locked_board_of(policy, cpus, board);
    const std::int32_t together = locked.shape.cpu_cluster_size;
    const auto placed = detail::on_clusters(tasks, board, together);
    auto out = judge_locked_gpus(placed, board, locked);
    detail::name_cores<CpuRule>(tasks, placed, together, out);
    return out;
  }
  /// With the clusters of GPUs that a plan says.
  [[nodiscard]] static constexpr auto judge_under(const policy_type& policy, const CpuRule& cpus, const auto& tasks,
                                                  const hardware& board, const auto& given) {
    auto placed = tasks;
    for (std::size_t i = 0; i < placed.size() && i < given.shares.size(); ++i) {
      if (given.shares[i].gpu >= 0) { placed.tasks[i].gpu = given.shares[i].gpu; }
    }
    auto out = judge(policy, cpus, placed, board);
    if (const auto error = parts_fault(given, gpusync_plan_parts, tasks.size())) { out.refuse(error); }
    return out;
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const policy_type& policy, const CpuRule& cpus, const auto& tasks,
                                                 const hardware& board, const F& f) -> model_error {
    const auto locked = locked_board_of(policy, cpus, board);
    const auto placed = detail::on_clusters(tasks, board, locked.shape.cpu_cluster_size);
    analysis::locked_gpu_table<std::remove_cvref_t<decltype(tasks)>> table;
    model_error error{.fault = fault_of(locked.shape)};
    if (!error) { error = analysis::read_sections(placed, board, locked.shape, table); }
    if (!error) { f(locked, table); }
    return located(error, tasks.tasks);
  }
};

/// Without locks of engines the method of locked GPUs cannot read the tasks, and says so where it is asked to explain.
template <class Order, RuleTag CpuRule>
  requires(!judges_chains<CpuRule, locked_rule<Order>>) && detail::schedules_sections<CpuRule> &&
          detail::locks_sections<Order>
struct known_under<tokens_policy<Order>, CpuRule> {
  using method = analysis::gpusync_method;
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const tokens_policy<Order>& /*policy*/, const CpuRule& /*cpus*/,
                                                 const auto& tasks, const hardware& /*board*/, const F& /*f*/)
      -> model_error {
    return located(model_error{.fault = model_fault::choice_out_of_range}, tasks.tasks);
  }
};

namespace detail {

/// A board with one queue for all copies: where two engines serve a direction each, every copy waits for some of those
/// that it waits for there, and for no others.
[[nodiscard]] constexpr auto with_one_engine(const hardware& board) -> hardware {
  hardware out = board;
  if (out.copy_engines > 1) { out.copy_engines = 1; }
  return out;
}

}  // namespace detail

namespace detail {

/// Jobs of a visit may overlap. The plan says how long after its job's release a visit is released, and how many jobs
/// of it can be under way at a time: `graphs_on_board` is what runs under it.
struct known_pipelines {
  using method = analysis::overlapping_nodes_method<true>;
  template <GlobalRule CpuRule>
  [[nodiscard]] static constexpr auto judge(const fifo_blocks_policy& /*policy*/, const CpuRule& cpus,
                                            const auto& tasks, const hardware& board) {
    const std::int32_t together = detail::cluster_of(cpus, board.processors);
    const auto placed = detail::on_clusters(tasks, board, together);
    auto out = judge_graphs(placed, detail::with_one_engine(board), cpus, together);
    detail::name_cores<CpuRule>(tasks, placed, together, out);
    return out;
  }
  /// Under offsets and numbers of jobs at a time.
  template <GlobalRule CpuRule>
  [[nodiscard]] static constexpr auto judge_under(const fifo_blocks_policy& /*policy*/, const CpuRule& cpus,
                                                  const auto& tasks, const hardware& board, const auto& given) {
    const std::int32_t together = detail::cluster_of(cpus, board.processors);
    const auto placed = detail::on_clusters(tasks, board, together);
    auto p = given;
    p.cores.clear();  // those of the tasks
    auto out = judge_graphs(placed, detail::with_one_engine(board), cpus, together, p);
    detail::name_cores<CpuRule>(tasks, placed, together, out);
    return out;
  }
  template <GlobalRule CpuRule, class F>
  [[nodiscard]] static constexpr auto with_board(const fifo_blocks_policy& /*policy*/, const CpuRule& cpus,
                                                 const auto& tasks, const hardware& board, const F& f) -> model_error {
    const std::int32_t together = detail::cluster_of(cpus, board.processors);
    const auto graphs =
        graphs_of(detail::on_clusters(tasks, board, together), detail::with_one_engine(board), cpus, together);
    if (!graphs.error) { f(graphs.board, graphs.table); }
    return graphs.error;
  }
};

}  // namespace detail

/// Points that are given one by one are those of nodes whose jobs overlap. Under other global rules the policy is asked
/// as `overlapping_graphs_policy` where jobs overlap.
template <GlobalRule CpuRule>
  requires is_preemptive<CpuRule> && (!detail::orders_jobs<CpuRule>)
struct known_under<fifo_blocks_policy, CpuRule> : detail::known_pipelines {};

template <RuleTag CpuRule>
struct known_under<whole_gpu_policy, CpuRule> {
  using method = nonpreemptive_rule<kernel_order_beside<CpuRule>>;
  [[nodiscard]] static constexpr auto judge(const whole_gpu_policy& /*policy*/, const CpuRule& /*cpus*/,
                                            const auto& tasks, const hardware& board) {
    return detail::kernels_under(tasks, board, method{});
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const whole_gpu_policy& /*policy*/, const CpuRule& /*cpus*/,
                                                 const auto& tasks, const hardware& board, const F& f) -> model_error {
    return with_whole_kernels(tasks, board, method{}, 0, f);
  }
};

template <RuleTag CpuRule>
struct known_under<levels_policy, CpuRule> {
  using method = levels_rule<kernel_order_beside<CpuRule>>;
  [[nodiscard]] static constexpr auto judge(const levels_policy& policy, const CpuRule& /*cpus*/, const auto& tasks,
                                            const hardware& board) {
    return detail::kernels_under(tasks, board, levels(kernel_order_beside<CpuRule>{}, policy.cost), policy.levels);
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const levels_policy& policy, const CpuRule& /*cpus*/,
                                                 const auto& tasks, const hardware& board, const F& f) -> model_error {
    return with_whole_kernels(tasks, board, levels(kernel_order_beside<CpuRule>{}, policy.cost), policy.levels, f);
  }
};

template <RuleTag CpuRule>
struct known_under<slots_policy, CpuRule> {
  using method = slots_rule<kernel_order_beside<CpuRule>>;
  [[nodiscard]] static constexpr auto judge(const slots_policy& policy, const CpuRule& /*cpus*/, const auto& tasks,
                                            const hardware& board) {
    return detail::kernels_under(tasks, board, method{{}, policy.pinned, policy.gang});
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const slots_policy& policy, const CpuRule& /*cpus*/, const auto& tasks,
                                                 const hardware& board, const F& f) -> model_error {
    return with_whole_kernels(tasks, board, (method{{}, policy.pinned, policy.gang}), 0, f);
  }
};

template <GangOrder Order, RuleTag CpuRule>
struct known_under<ordered_gang_policy<Order>, CpuRule> {
  using method = gang_rule<kernel_order_beside<CpuRule>, Order>;
  [[nodiscard]] static constexpr auto judge(const ordered_gang_policy<Order>& /*policy*/, const CpuRule& /*cpus*/,
                                            const auto& tasks, const hardware& board) {
    return detail::kernels_under(tasks, board, method{});
  }
  template <class F>
  [[nodiscard]] static constexpr auto with_board(const ordered_gang_policy<Order>& /*policy*/, const CpuRule& /*cpus*/,
                                                 const auto& tasks, const hardware& board, const F& f) -> model_error {
    return with_whole_kernels(tasks, board, method{}, 0, f);
  }
};

/// Shares that never change: a kernel takes as long as with its share.
template <RuleTag CpuRule>
struct known_under<shares_policy, CpuRule> {
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
      out.tasks[i].bound = {analysis::time_with_share(tasks, board, i, out.plan.percents[i]), true};
    }
    return out;
  }
};

}  // namespace takt::inline TAKT_ABI
