// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/task_set.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/kernel_board.hpp>
#include <takt/rules/accelerator/planned_kernels.hpp>
#include <takt/rules/accelerator/strategy_of.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/board_stations.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/runtime/enforced.hpp>
#include <takt/runtime/executor/run.hpp>
#include <takt/runtime/executor/visit_codes.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_result.hpp>

namespace takt::runtime {

namespace detail {

/// Cores that a strategy has room for.
inline constexpr std::size_t most_cores = 512;

/// The strategy of a rule, with its costs and slots, as the rule of a board.
template <std::size_t MaxTasks, AcceleratorRule Rule>
[[nodiscard]] auto kernel_board(const Rule& rule, const accelerator_record& a) {
  using edf = by_absolute_deadline_alone;
  using order = std::conditional_t<EarliestDeadlineFirst<kernel_order<Rule>>, edf, by_given_priority>;
  const auto strategy = strategy_of<MaxTasks, most_cores>(rule, a);
  using strategy_type = std::remove_const_t<decltype(strategy)>;
  given_strategy<strategy_type, order> out{strategy, preemption_cost_model::ideal, {}, {}, order{}, strategy.levels(),
                                           true};
  if constexpr (ChoosesCosts<Rule>) { out.costs = rule.cost; }
  if constexpr (ReservesSlots<Rule>) {
    out.pinned = rule.pinned;
    out.gang = rule.gang;
  }
  return takt::platform(takt::pool(accelerator_resource{a}, out));
}

/// Kernels on the one station of an accelerator.
template <class Board, std::size_t MaxTasks>
struct flat_kernels {
  visit_table<MaxTasks, MaxTasks> table{};
  board_stations<Board, 1> stations;
};

}  // namespace detail

/// Runs kernels on an accelerator under the rule of its pool, which is pool 0, and a plan. Each is the one visit of its
/// task. Kernels stop at the ends of their waves only; of a kernel's shortest time nothing is known: it counts as one
/// tick. No task has a thread that could be pinned to a core. A platform whose rule is not enforced here does not
/// compile. For all else see `run` of a board of pools.
template <HasAccelerator P, TaskSet T, std::size_t N, std::size_t W, TraceRecorder Recorder>
  requires(!ComposedBoard<P, T>)
[[nodiscard]] auto run(const P& platform, const T& tasks, const plan<N, W>& p, const board_devices& devices,
                       const run_options& options, Recorder& recorder, const visit_codes& codes = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{
                           detail::check_accelerator_run<P, T>::passed}) -> run_result {
  run_result result;
  if constexpr (AcceleratorPlatform<P> && AcceleratorTaskSet<T>) {
    using rule = typename P::accelerator_rule;
    auto table = tasks.template table<ticks>();
    constexpr std::size_t max_tasks = decltype(table)::max_tasks;
    const accelerator_record& accelerator = platform.accelerator();
    result.error = platform.validate();
    if (!result.error) { result.error = options_fault(options, table.size()); }
    if (!result.error) { result.error = plan_fault(platform.strategy(), table, p); }
    if (!result.error) { table = planned_kernels(table, p); }
    if (!result.error) { result.error = located(fits_accelerator<rule>(table, accelerator), table.tasks); }
    if (!result.error && accelerator.cores > static_cast<std::int32_t>(detail::most_cores)) {
      result.error = {.fault = model_fault::platform_size_out_of_range};
    }
    if (result.error) { return result; }
    rank_kernels<kernel_order<rule>>(table);
    const auto board = detail::kernel_board<max_tasks>(platform.strategy(), accelerator);
    using board_type = std::remove_const_t<decltype(board)>;
    const auto flat = std::make_unique<detail::flat_kernels<board_type, max_tasks>>(
        kernel_visits{.shortest = 1, .guard_band = ReservesSlots<rule>}.of(table),
        board_stations<board_type, 1>{board});
    static_cast<void>(flat->stations.number_of({}));
    std::vector<ticks> deadlines;
    for (const auto& t : table.tasks) { deadlines.push_back(t.deadline); }
    detail::run_flat(board, *flat, std::move(deadlines), p, devices, options, recorder, codes, result);
  }
  return result;
}

template <HasAccelerator P, TaskSet T, std::size_t N, std::size_t W>
  requires(!ComposedBoard<P, T>)
[[nodiscard]] auto run(const P& platform, const T& tasks, const plan<N, W>& p, const board_devices& devices,
                       const run_options& options = {}, const visit_codes& codes = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{
                           detail::check_accelerator_run<P, T>::passed}) -> run_result {
  no_trace nothing;
  return run(platform, tasks, p, devices, options, nothing, codes);
}

}  // namespace takt::runtime
