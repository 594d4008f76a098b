// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/allocation/allocate.hpp>
#include <takt/allocation/allocate_chains.hpp>
#include <takt/allocation/search.hpp>
#include <takt/analysis/analyze.hpp>
#include <takt/analysis/judge.hpp>
#include <takt/analysis/judge_known.hpp>
#include <takt/analysis/must_miss.hpp>
#include <takt/analysis/proven_miss.hpp>
#include <takt/analysis/runtime_tasks/mismatch.hpp>
#include <takt/analysis/runtime_tasks/widened.hpp>
#include <takt/analysis/task_ranks.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/expects.hpp>
#include <takt/core/number.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/rules/chain_board.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/planned_table.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/task_places.hpp>
#include <takt/systems/rtgpu/analysis/runtime_tasks.hpp>
#include <takt/systems/rtgpu/plans/methods.hpp>

namespace takt::inline TAKT_ABI {

/// Says whether a published method judges chains under rules of the processors and of the GPUs.
template <RuleTag CpuRule, RuleTag GpuRule>
inline constexpr bool judges_chains =
    analysis::detail::HasChainMethod<chain_board<CpuRule, copies_beside<CpuRule, GpuRule>, GpuRule>, chain_methods>;

/// Looks for shares by a search of takt's own, which ends after `limit` task analyses. Programs bring their own to show
/// progress and to give up: `found = search(analysis)`.
struct search_by {
  search_method method = default_search;
  std::uint64_t limit = default_evaluations;

  template <analysis::PriorityAnalysis A>
  [[nodiscard]] constexpr auto operator()(A& a) const -> allocation<A::max_tasks> {
    return search_plan(a, method, limit);
  }
};

/// Is the method's own reading, where it has several.
struct default_reading {};

/// Holds what a published method says of run-time tasks. `verdict.error` says why it cannot judge them.
template <class RuntimeTasks>
struct chains_result {
  takt::verdict<ticks, RuntimeTasks::max_tasks, RuntimeTasks::max_visits> verdict{};
  proven_misses<ticks, RuntimeTasks::max_tasks> misses{};  ///< why it is `unschedulable`
  bool cores_were_chosen = false;                          ///< some task named none of several cores
};

namespace detail {

/// Returns the proofs of misses that hold for every plan of the composition.
template <class RuntimeTasks, RuleTag CpuRule>
[[nodiscard]] constexpr auto chain_misses(const RuntimeTasks& tasks, const hardware& board, const CpuRule& /*cpus*/,
                                          const platform_record& sizes, const chain_composition& composition)
    -> proven_misses<ticks, RuntimeTasks::max_tasks> {
  analysis::board_limits limits{.processors = board.processors, .named_cores = true, .spins = BusyWaiting<CpuRule>};
  for (const gpu_record& gpu : sizes.gpus) {
    if (!runs_on_own_share(composition.kernels)) { break; }
    limits.parts += gpu.budget() / gpu.granularity;
    limits.sms_of_part = gpu.virtual_sms(gpu.granularity);
  }
  const auto ranks = analysis::detail::ranks_under<CpuRule>(tasks);
  return analysis::find_proven_misses(tasks, board, limits, {ranks.data(), ranks.size()});
}

/// Calls f(board, table) with what published methods of chains read under rules of the processors and of the GPUs.
/// Error: what they cannot read, with its task and visit; then f is not called.
template <class RuntimeTasks, RuleTag CpuRule, RuleTag GpuRule, class F>
[[nodiscard]] constexpr auto with_chains(const RuntimeTasks& tasks, const hardware& given, const CpuRule& cpus,
                                         const GpuRule& gpus, const F& f) -> model_error {
  const auto board = chain_board_of(given, cpus, gpus);
  analysis::chain_table<RuntimeTasks> table;
  model_error error = board.validate();
  if (!error) {
    constexpr chain_composition composition = composition_of<decltype(chain_board_of(given, cpus, gpus))>;
    error = analysis::read_chains(tasks, board.record(), composition, table);
  }
  if (!error) { error = validate(table); }
  if (!error) { f(board, table); }
  return located(error, tasks.tasks);
}

/// Says what claims time before the deadline of a task whose bound is above its period. Such a bound is taken back,
/// since it counts no jobs that overlap. Pre: task k was evaluated and is late.
template <class A, class Row>
constexpr void say_late_demand(const A& a, std::size_t k, Row& row) {
  TAKT_EXPECTS(!a.meets(k));
  if (!row.bound.exists || row.bound.value <= a.table().tasks[k].period) { return; }
  const auto add = [&row](const auto& part) { row.parts.add(part.what, part.by, part.time); };
  if constexpr (requires { a.for_each_demand(k, add); }) {
    row.parts.clear();
    a.for_each_demand(k, add);
  }
}

/// Judges a table, in the given order, under a plan or under the one that a search finds.
template <class RuntimeTasks, class P, class Table, class Search, class... Options>
constexpr void judge_chain_table(const RuntimeTasks& tasks, const P& board, const Table& table,
                                 const plan<RuntimeTasks::max_tasks>* given, const Search& search,
                                 chains_result<RuntimeTasks>& out, const Options&... options) {
  constexpr chain_composition composition = composition_of<P>;
  const Table sorted = given == nullptr ? planned_table(board, table, plan<RuntimeTasks::max_tasks>{})
                                        : planned_table(board, table, *given);
  const platform_record sizes = board.record();
  auto a = analysis::detail::make_analysis<analysis::method_of<std::remove_cvref_t<decltype(board)>, chain_methods>>(
      board, sorted, options...);
  out.verdict.method = a.name();
  const auto refuse = [&](const model_error& error) { out.verdict.refuse(located(error, tasks.tasks)); };
  if (const auto error = a.fits(sorted, sizes)) { return refuse(error); }
  plan<RuntimeTasks::max_tasks> judged{};
  if (given != nullptr) {
    if (const auto error = plan_fault(board, sorted, *given)) { return refuse(error); }
    judged = *given;
  } else if (runs_on_own_share(composition.kernels)) {
    judged = search(a);
  }
  const std::size_t passed = analysis::evaluate_all(a, judged);
  judged.feasible = passed == sorted.size();
  out.verdict = analysis::widened<RuntimeTasks::max_visits>(analysis::detail::verdict_of(a, passed));
  if (passed < sorted.size()) { say_late_demand(a, passed, out.verdict.tasks[sorted.tasks[passed].id]); }
  plan<RuntimeTasks::max_tasks> whole = judged;
  complete_plan(board, sorted, judged, whole);
  out.verdict.plan = analysis::detail::resized<RuntimeTasks::max_tasks, RuntimeTasks::max_visits>(whole);
  analysis::detail::give_back_deadlines(tasks, out.verdict);
}

template <class RuntimeTasks, class CpuRule, class GpuRule, class Search, class... Options>
[[nodiscard]] constexpr auto judge_runtime_chains(const RuntimeTasks& tasks, const hardware& given, const CpuRule& cpus,
                                                  const GpuRule& gpus, const plan<RuntimeTasks::max_tasks>* planned,
                                                  const Search& search, const Options&... options)
    -> chains_result<RuntimeTasks> {
  chains_result<RuntimeTasks> out;
  out.verdict.method = analysis::method_of<decltype(chain_board_of(given, cpus, gpus)), chain_methods>::name;
  const auto judge = [&](const auto& board, auto& table) {
    if (planned == nullptr || planned->cores.empty()) { out.cores_were_chosen = place_chains(table, given.processors); }
    judge_chain_table(tasks, board, table, planned, search, out, options...);
    if (out.verdict.error || out.verdict.schedulable()) { return; }
    constexpr chain_composition composition = composition_of<std::remove_cvref_t<decltype(board)>>;
    out.misses = chain_misses(tasks, given, cpus, board.record(), composition);
    if (!out.misses.empty()) { out.verdict.status = verdict_status::unschedulable; }
  };
  if (const auto error = with_chains(tasks, given, cpus, gpus, judge)) { out.verdict.refuse(error); }
  return out;
}

/// Returns the verdict, if every task visits a processor, on which a job can wait.
template <class RuntimeTasks, class Verdict>
[[nodiscard]] constexpr auto with_processors(const RuntimeTasks& tasks, Verdict out) -> Verdict {
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    bool visits_one = false;
    for (std::uint32_t p = 0; p < tasks.tasks[i].visit_count; ++p) {
      visits_one = visits_one || tasks.visit(i, p).where == resource_kind::processor;
    }
    if (visits_one) { continue; }
    out.refuse({.fault = model_fault::thread_without_processor, .task = i});
    break;
  }
  return out;
}

}  // namespace detail

/// Returns what the published method of chains says under rules of the processors and of the GPUs: SMs are dedicated by
/// a search with the method as its test, tasks that name no core are placed, greatest demand first. Deadlines after the
/// period are proven as the period, and CPU segments of no time stand where a chain lacks them. `unschedulable` only
/// with a proof for every plan. Error: what `read_chains` and the method say. Cost: the search.
template <class RuntimeTasks, RuleTag CpuRule, RuleTag GpuRule, class Search = search_by,
          class Reading = default_reading>
  requires judges_chains<CpuRule, GpuRule>
[[nodiscard]] constexpr auto judge_chains(const RuntimeTasks& tasks, const hardware& board, const CpuRule& cpus,
                                          const GpuRule& gpus, const Search& search = {}, const Reading& reading = {})
    -> chains_result<RuntimeTasks> {
  if constexpr (std::same_as<Reading, default_reading>) {
    return detail::judge_runtime_chains(tasks, board, cpus, gpus, nullptr, search);
  } else {
    return detail::judge_runtime_chains(tasks, board, cpus, gpus, nullptr, search, reading);
  }
}

namespace detail {

/// Judges chains under a plan, which decides shares and may decide cores and priorities.
template <class RuntimeTasks, RuleTag CpuRule, RuleTag GpuRule, std::size_t N, std::size_t V,
          class Reading = default_reading>
  requires judges_chains<CpuRule, GpuRule>
[[nodiscard]] constexpr auto judge_planned_chains(const RuntimeTasks& tasks, const hardware& board, const CpuRule& cpus,
                                                  const GpuRule& gpus, const plan<N, V>& p, const Reading& reading = {})
    -> chains_result<RuntimeTasks> {
  if (const auto error =
          parts_fault(p, {.shares = true, .cores = true, .priorities = true, .tokens = true}, tasks.size())) {
    chains_result<RuntimeTasks> out;
    out.verdict.refuse(error);
    return out;
  }
  const auto narrow = analysis::detail::resized<RuntimeTasks::max_tasks, 0>(p);
  if constexpr (std::same_as<Reading, default_reading>) {
    return detail::judge_runtime_chains(tasks, board, cpus, gpus, &narrow, search_by{});
  } else {
    return detail::judge_runtime_chains(tasks, board, cpus, gpus, &narrow, search_by{}, reading);
  }
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
