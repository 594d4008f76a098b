// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <takt/analysis/analyze.hpp>
#include <takt/analysis/judge_known.hpp>
#include <takt/analysis/runtime_tasks/mismatch.hpp>
#include <takt/analysis/runtime_tasks/widened.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/contention.hpp>
#include <takt/model/shares/gpu_shares.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/rules/share_tags.hpp>
#include <takt/systems/shares/analysis/methods.hpp>
#include <takt/systems/shares/analysis/runtime_tasks.hpp>
#include <takt/systems/shares/analysis/share_method.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Calls f(board, table) with what published methods of shares read: see `judge_shares`. Error: what is no kernel, or
/// has no times by share, with its task and visit; then f is not called.
template <class RuntimeTasks, class F>
[[nodiscard]] constexpr auto with_shares(const RuntimeTasks& tasks, const hardware& board, const shares_rule& rule,
                                         const contention_matrix<RuntimeTasks::max_tasks>& contention, const F& f)
    -> model_error {
  application_set<RuntimeTasks::max_tasks> table;
  table.contention = contention;
  model_error error = analysis::read_shares(tasks, board, table);
  if (!error) { error = located(validate(table), tasks.tasks); }
  if (!error && board.gpus[0].memory < 0) { error.fault = model_fault::platform_size_out_of_range; }
  if (error) { return error; }
  // Whole units; as many as their type can say are as good as more.
  const std::int64_t units = board.gpus[0].memory / memory_units::bytes_per_unit;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const gpu_shares_resource gpu = board.gpus[0].memory > 0
                                      ? gpu_shares(memory_units{static_cast<std::int32_t>(units < most ? units : most)})
                                      : gpu_shares();
  detail::refusal unused;
  const auto one_pool = pool(gpu, rule);
  const platform<std::remove_const_t<decltype(one_pool)>> sharing{one_pool, std::move(unused)};
  unused.error = {};
  f(sharing, table);
  return {};
}

}  // namespace detail

/// Returns what tasks that are one kernel each get of a GPU that is granted by shares. The plan of the verdict says the
/// least lasting share of each with which all deadlines are kept. So it holds for shares that follow jobs as for those
/// that never change. `contention`: how tasks slow one another down, by their positions. Memory counts where the GPU
/// says how much it has. Error: what is no kernel, or has no times by share, with its task and visit.
template <class RuntimeTasks, std::size_t N = 1, std::size_t V = 0>
[[nodiscard]] constexpr auto judge_shares(const RuntimeTasks& tasks, const hardware& board,
                                          const shares_rule& rule = shares(),
                                          const contention_matrix<RuntimeTasks::max_tasks>& contention = {},
                                          const plan<N, V>& p = {})
    -> verdict<ticks, RuntimeTasks::max_tasks, RuntimeTasks::max_visits> {
  verdict<ticks, RuntimeTasks::max_tasks, RuntimeTasks::max_visits> out;
  out.method = analysis::detail::share_method::name;
  model_error error = parts_fault(p, {.percents = true}, tasks.size());
  const auto judge = [&](const auto& sharing, const auto& table) {
    if (error) { return; }
    using method =
        analysis::method_of<std::remove_cvref_t<decltype(sharing)>, std::remove_const_t<decltype(share_methods)>>;
    model_error ignored;
    out = analysis::widened<RuntimeTasks::max_visits>(analysis::detail::judge_set<method>(
        sharing, table, analysis::detail::resized<RuntimeTasks::max_tasks, 0>(p), ignored));
    analysis::detail::give_back_deadlines(tasks, out);
  };
  if (const auto unread = detail::with_shares(tasks, board, rule, contention, judge)) { error = unread; }
  if (error) { out.refuse(error); }
  return out;
}

}  // namespace takt::inline TAKT_ABI
