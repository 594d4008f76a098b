// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <takt/analysis/analyze.hpp>
#include <takt/analysis/judge_known.hpp>
#include <takt/analysis/runtime_tasks/mismatch.hpp>
#include <takt/analysis/runtime_tasks/whole_kernels.hpp>
#include <takt/analysis/runtime_tasks/widened.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/accelerator_fault.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/worst_fit.hpp>
#include <takt/systems/accelerators/analysis/methods.hpp>
#include <takt/systems/accelerators/plans/slot_design.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what a published method says of run-time tasks. `verdict.error` says why it cannot judge them.
template <class RuntimeTasks>
struct kernels_result {
  takt::verdict<ticks, RuntimeTasks::max_tasks, RuntimeTasks::max_visits> verdict{};
  bool cores_were_chosen = false;  ///< some kernel for one SM named none
};

namespace detail {

/// Gives kernels for one core that name none, greatest load first, the core that is used least so far.
template <std::size_t N>
constexpr auto place_kernels(task_rows<accelerator_task<ticks>, N>& table, std::int32_t cores) -> bool {
  return place_worst_fit<N>(
      table.size(), cores,
      [&](std::size_t i) {
        const auto& t = table.tasks[i];
        return needs_all_cores(t.width) ? 0 : demand_of_place(t.wcet, t.period);
      },
      [&](std::size_t i) {
        const auto& t = table.tasks[i];
        return needs_all_cores(t.width) ? cores : t.core;
      },
      [&](std::size_t i, std::int32_t core) { table.tasks[i].core = core; });
}

/// Returns the cores of a GPU, which need not be known where no kernel asks for one.
[[nodiscard]] constexpr auto cores_of(const gpu_hardware& gpu) noexcept -> std::int32_t {
  return gpu.sms < 1 ? 1 : gpu.sms;
}

/// Calls f with a board of nothing but an accelerator.
template <AcceleratorRule Rule, class F>
constexpr void on_accelerator(const accelerator_record& record, const Rule& rule, const F& f) {
  const auto one_pool = pool(accelerator_resource{record}, rule);
  refusal unused;
  const platform<std::remove_const_t<decltype(one_pool)>> board{one_pool, std::move(unused)};
  unused.error = {};
  f(board);
}

template <class RuntimeTasks, AcceleratorRule Rule>
constexpr void judge_kernel_table(const RuntimeTasks& tasks, const accelerator_record& record,
                                  const task_rows<accelerator_task<ticks>, RuntimeTasks::max_tasks>& table,
                                  const Rule& rule, const plan<RuntimeTasks::max_tasks>& p, bool times_are_given,
                                  kernels_result<RuntimeTasks>& out) {
  on_accelerator(record, rule, [&](const auto& board) {
    using method =
        analysis::method_of<std::remove_cvref_t<decltype(board)>, std::remove_const_t<decltype(accelerator_methods)>>;
    refusal unused;
    out.verdict =
        analysis::widened<RuntimeTasks::max_visits>(analysis::detail::judge_set<method>(board, table, p, unused.error));
    unused.error = {};
  });
  if (!times_are_given && out.verdict.status == verdict_status::unschedulable) {
    out.verdict.status = verdict_status::not_proven;
  }
  analysis::detail::give_back_deadlines(tasks, out.verdict);
}

/// Reads the kernels of run-time tasks, placed. Returns false where it cannot; then the verdict says why.
template <class RuntimeTasks>
constexpr auto kernels_on_board(const RuntimeTasks& tasks, const hardware& board, bool is_placed,
                                preemption_cost_model model,
                                task_rows<accelerator_task<ticks>, RuntimeTasks::max_tasks>& table,
                                bool& times_are_given, kernels_result<RuntimeTasks>& out) -> bool {
  const auto reading = analysis::read_whole_kernels(tasks, board, table, model);
  times_are_given = reading.times_are_given;
  model_error error = reading.why;
  if (!error) { error = validate(table, accelerator_record{.cores = cores_of(board.gpus[0]), .preemption_levels = 1}); }
  if (error) {
    out.verdict.refuse(located(located(error, table.tasks), tasks.tasks));
    return false;
  }
  if (!is_placed) { out.cores_were_chosen = place_kernels(table, cores_of(board.gpus[0])); }
  return true;
}

/// Returns the accelerator that a GPU is under a rule. `nesting`: stream levels; 0: those of the GPU.
template <AcceleratorRule Rule>
[[nodiscard]] constexpr auto accelerator_of(const gpu_hardware& gpu, std::int32_t nesting) noexcept
    -> accelerator_record {
  accelerator_record out{.cores = cores_of(gpu), .preemption_levels = nesting > 0 ? nesting : gpu.preemption_levels};
  constexpr bool nests = requires(const Rule& rule) { rule.nesting; };
  if (!nests && out.preemption_levels == 0) { out.preemption_levels = 1; }
  return out;
}

/// Returns what a preemption costs. A rule that does not choose the cost has that of a wave.
template <AcceleratorRule Rule>
[[nodiscard]] constexpr auto costs_of(const Rule& rule) noexcept -> preemption_cost_model {
  if constexpr (ChoosesCosts<Rule>) { return rule.cost; }
  return preemption_cost_model::ideal;
}

/// Calls f(board, table) with what published methods of whole kernels read, those for one SM placed. Error: what is no
/// kernel, or misses a fact, with its task and visit; then f is not called.
template <class RuntimeTasks, AcceleratorRule Rule, class F>
[[nodiscard]] constexpr auto with_whole_kernels(const RuntimeTasks& tasks, const hardware& board, const Rule& rule,
                                                std::int32_t nesting, const F& f) -> model_error {
  kernels_result<RuntimeTasks> out;
  task_rows<accelerator_task<ticks>, RuntimeTasks::max_tasks> table;
  bool times_are_given = true;
  if (!detail::kernels_on_board(tasks, board, false, detail::costs_of(rule), table, times_are_given, out)) {
    return out.verdict.error;
  }
  detail::on_accelerator(detail::accelerator_of<Rule>(board.gpus[0], nesting), rule,
                         [&](const auto& accelerator) { f(accelerator, table); });
  return {};
}

}  // namespace detail

/// Returns what the published method says of tasks that are one kernel each, under a rule of the one GPU: `levels`,
/// `slots`, `gang`, or one kernel at a time, `nonpreemptive`. Kernels for one SM that name none are placed, greatest
/// load first. `nesting`: stream levels, where the rule has some; 0: those of the GPU. Error: what is no kernel, or
/// misses a fact, with its task and visit.
template <class RuntimeTasks, AcceleratorRule Rule, std::size_t N = 1, std::size_t V = 0>
[[nodiscard]] constexpr auto judge_whole_kernels(const RuntimeTasks& tasks, const hardware& board, const Rule& rule,
                                                 std::int32_t nesting = 0, const plan<N, V>& p = {})
    -> kernels_result<RuntimeTasks> {
  kernels_result<RuntimeTasks> out;
  task_rows<accelerator_task<ticks>, RuntimeTasks::max_tasks> table;
  bool times_are_given = true;
  const preemption_cost_model model = detail::costs_of(rule);
  if (!detail::kernels_on_board(tasks, board, !p.cores.empty(), model, table, times_are_given, out)) { return out; }
  if (const auto error = parts_fault(p, {.cores = true, .priorities = true, .slots = true}, tasks.size())) {
    out.verdict.refuse(error);
    return out;
  }
  detail::judge_kernel_table(tasks, detail::accelerator_of<Rule>(board.gpus[0], nesting), table, rule,
                             analysis::detail::resized<RuntimeTasks::max_tasks, 0>(p), times_are_given, out);
  return out;
}

namespace detail {

/// Lists the periods of slots that are tried: parts of the shortest deadline.
inline constexpr std::size_t slot_period_choices = 10;
inline constexpr std::int64_t slot_parts[slot_period_choices]{1, 2, 3, 4, 5, 6, 8, 10, 12, 16};

}  // namespace detail

/// Judges tasks in slots that are looked for. It takes those that leave most of their period to spare, of a few
/// periods, else those of the first period that the slots could have. The plan of the verdict holds them. Cost: 30
/// tests for each period and SM with kernels of its own.
template <class RuntimeTasks, KernelOrder Order>
[[nodiscard]] constexpr auto judge_in_slots(const RuntimeTasks& tasks, const hardware& board, const Order& /*order*/)
    -> kernels_result<RuntimeTasks> {
  kernels_result<RuntimeTasks> out;
  task_rows<accelerator_task<ticks>, RuntimeTasks::max_tasks> table;
  bool times_are_given = true;
  constexpr auto model = preemption_cost_model::ideal;
  if (!detail::kernels_on_board(tasks, board, false, model, table, times_are_given, out)) { return out; }
  accelerator_record record{.cores = detail::cores_of(board.gpus[0]), .preemption_levels = 1};
  ticks shortest = table.tasks[0].deadline;
  for (const auto& t : table.tasks) { shortest = t.deadline < shortest ? t.deadline : shortest; }
  auto ranked = table;
  detail::rank_kernels<Order>(ranked);
  std::int64_t periods[detail::slot_period_choices]{};
  for (std::size_t k = 0; k < detail::slot_period_choices; ++k) { periods[k] = shortest / detail::slot_parts[k]; }
  const auto test = [](const auto& part, const slot_reservation<ticks>& slot) {
    return analysis::detail::judge_slot<Order>(part, slot).test.schedulable();
  };
  // A longer slot supplies no less in any window, and the guard band before its end stays.
  const auto design =
      detail::search_slots(ranked, record, std::span<const std::int64_t>{periods}, test, budget_growth::monotone);
  slots_rule<Order> rule;
  rule.pinned = {0, 0, shortest};
  rule.gang = {0, shortest, shortest};
  if (design.feasible) {
    rule.pinned = design.slots.pinned;
    rule.gang = design.slots.gang;
  }
  detail::judge_kernel_table(tasks, record, table, rule, plan<RuntimeTasks::max_tasks>{}, times_are_given, out);
  // Other slots may do better than those that were looked at.
  if (out.verdict.status == verdict_status::unschedulable) { out.verdict.status = verdict_status::not_proven; }
  return out;
}

}  // namespace takt::inline TAKT_ABI
