// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/pool.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/composed_plan.hpp>
#include <takt/rules/priority_order.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Parts of a plan that kernels on an accelerator under this rule use.
template <AcceleratorRule Rule>
[[nodiscard]] constexpr auto kernel_plan_parts() noexcept -> plan_parts {
  return {.cores = true, .priorities = FixedPriority<kernel_order<Rule>>, .slots = ReservesSlots<Rule>};
}

template <AcceleratorPlatform P>
struct board_plan_parts<P> {
  [[nodiscard]] static constexpr auto of(const P& /*board*/) noexcept -> plan_parts {
    return kernel_plan_parts<typename P::accelerator_rule>();
  }
};

/// Returns whether the priorities of kernels are their ranks.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto are_ranked(const task_rows<accelerator_task<ticks>, MaxTasks>& table) -> bool {
  for (std::size_t rank = 0; rank < table.size(); ++rank) {
    std::size_t there = 0;
    for (const auto& t : table.tasks) { there += t.priority == static_cast<std::int32_t>(rank) ? 1U : 0U; }
    if (there != 1) { return false; }
  }
  return true;
}

/// Returns whether the priorities of a plan fit the kernels: any where the kernels' own count, else those of the order.
template <FixedPriority Order, std::size_t MaxTasks, std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto priorities_fit(task_rows<accelerator_task<ticks>, MaxTasks> table, const plan<N, V>& p)
    -> bool {
  for (const std::int32_t priority : p.priorities) {
    if (priority < 0) { return false; }
  }
  if (p.priorities.empty() || GivenPriority<order_of<Order>>) { return true; }
  prioritize(table, order_of<Order>{});
  for (std::size_t k = 1; k < table.size(); ++k) {
    if (p.priorities[table.tasks[k].id] <= p.priorities[table.tasks[k - 1].id]) { return false; }
  }
  return true;
}

}  // namespace detail

/// Returns what keeps a plan from fitting kernels under a rule. That is an unused part, a core for a kernel that needs
/// all of them, priorities against the order of the rule, or other slots than the rule's.
template <AcceleratorRule Rule, std::size_t MaxTasks, std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto plan_fault(const Rule& rule, const task_rows<accelerator_task<ticks>, MaxTasks>& table,
                                        const plan<N, V>& p) -> model_error {
  if (const auto error = parts_fault(p, detail::kernel_plan_parts<Rule>(), table.size())) { return error; }
  constexpr model_error mismatch{.fault = model_fault::plan_does_not_fit};
  for (std::size_t i = 0; i < p.cores.size(); ++i) {
    if (needs_all_cores(table.tasks[i].width) && p.cores[i] != unassigned_core) { return mismatch; }
  }
  if constexpr (FixedPriority<kernel_order<Rule>>) {
    if (!detail::priorities_fit<kernel_order<Rule>>(table, p)) { return mismatch; }
  }
  if constexpr (ReservesSlots<Rule>) {
    const auto same = [](const auto& a, const auto& b) {
      return a.offset == b.offset && a.budget == b.budget && a.period == b.period;
    };
    if (!p.slots.empty() && !(same(p.slots[0], rule.pinned) && same(p.slots[1], rule.gang))) { return mismatch; }
  }
  return {};
}

namespace detail {

/// Returns the kernels with the cores and priorities of a plan, in the given order. Pre: `plan_fault` found nothing.
template <std::size_t MaxTasks, std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto planned_kernels(task_rows<accelerator_task<ticks>, MaxTasks> table, const plan<N, V>& p)
    -> task_rows<accelerator_task<ticks>, MaxTasks> {
  TAKT_EXPECTS(p.cores.size() <= table.size() && p.priorities.size() <= table.size());
  for (std::size_t i = 0; i < p.cores.size(); ++i) { table.tasks[i].core = p.cores[i]; }
  for (std::size_t i = 0; i < p.priorities.size(); ++i) { table.tasks[i].priority = p.priorities[i]; }
  return table;
}

/// Returns the kernels of a board that is an accelerator alone, on the cores of a plan and with the ranks that its
/// priorities and the order of the rule give them. Error: in the board, the plan or the kernels, written to `error`;
/// the kernels are as far as they came.
template <AcceleratorPlatform P, AcceleratorTaskSet T, std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto ranked_kernels(const P& board, const T& tasks, const plan<N, V>& p, model_error& error) {
  using rule = typename P::accelerator_rule;
  auto table = tasks.template table<ticks>();
  error = board.validate();
  if (!error) { error = plan_fault(board.strategy(), table, p); }
  if (error) { return table; }
  table = planned_kernels(table, p);
  error = located(fits_accelerator<rule>(table, board.accelerator()), table.tasks);
  if (!error) { rank_kernels<kernel_order<rule>>(table); }
  return table;
}

}  // namespace detail

/// Writes out the parts of a plan with all that the rule decides. Pre: the kernels are ranked, and
/// `out` has none of these parts.
template <AcceleratorRule Rule, std::size_t MaxTasks>
constexpr void complete_plan(const Rule& rule, const task_rows<accelerator_task<ticks>, MaxTasks>& table,
                             plan<MaxTasks>& out) {
  constexpr bool has_priorities = FixedPriority<kernel_order<Rule>>;
  TAKT_EXPECTS(out.cores.empty() && out.priorities.empty() && out.slots.empty());
  TAKT_EXPECTS_IN_TESTS(!has_priorities || detail::are_ranked(table));
  // Bound: one per kernel, at most MaxTasks; two slots.
  for (const auto& t : table.tasks) {
    out.cores.unchecked_push_back(needs_all_cores(t.width) ? unassigned_core : t.core);
    if constexpr (has_priorities) { out.priorities.unchecked_push_back(t.priority); }
  }
  if constexpr (ReservesSlots<Rule>) {
    out.slots.unchecked_push_back(rule.pinned);
    out.slots.unchecked_push_back(rule.gang);
  }
}

}  // namespace takt::inline TAKT_ABI
