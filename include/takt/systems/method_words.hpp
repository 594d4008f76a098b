// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include <takt/allocation/allocate_chains.hpp>
#include <takt/allocation/analyze.hpp>
#include <takt/analysis/judge.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/report/miss_words.hpp>
#include <takt/report/policies/judged_policy.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/rules/planned_table.hpp>
#include <takt/systems/graphs/report/summarize.hpp>
#include <takt/systems/locked_gpus/report/summarize.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu_variant.hpp>
#include <takt/systems/rtgpu/plans/judge.hpp>
#include <takt/systems/summarize.hpp>

// What published methods say of a verdict, their own or that of the rules of pools under the same plan.

namespace takt::inline TAKT_ABI::report::detail {

/// Says what it means that the search found no plan.
[[nodiscard]] inline auto search_note(const search_effort& effort, search_method method, const std::string& plan_words)
    -> std::string {
  const std::string by{name_of(method)};
  const std::string found = effort.complete ? "no plan passes (" + by + " search)"
                                            : "search not complete, some plan may pass (" + by + " search, " +
                                                  std::to_string(effort.evaluations) + " task analyses, " +
                                                  std::to_string(effort.nodes) + " nodes, " +
                                                  std::to_string(effort.plans) + " whole plans)";
  return found + ", so the bounds are those of an even split: " + plan_words;
}

/// Returns the part of a plan that hosts of chains take, with all that follows from it.
template <class P, class Table, std::size_t N, std::size_t V>
[[nodiscard]] auto chain_plan(const P& platform, const Table& table, const verdict<ticks, N, V>& v) -> plan<N> {
  plan<N> asked;
  asked.feasible = v.plan.feasible;
  asked.effort = v.plan.effort;
  asked.shares = v.plan.shares;
  asked.cores = v.plan.cores;
  asked.priorities = v.plan.priorities;
  const auto sorted = planned_table(platform, table, asked);
  plan<N> out = asked;
  complete_plan(platform, sorted, asked, out);
  return out;
}

/// Returns bounds of each reading of RTGPU under the plan, for comparison.
template <class Table, std::size_t N>
void add_other_bounds(const Table& sorted, const platform_record& sizes, const plan<N>& p, verdict_summary& out) {
  for (const auto& variant : {analysis::rtgpu_published, analysis::rtgpu_sharper, analysis::rtgpu_best}) {
    analysis::rtgpu<Table> a{sorted, sizes, variant};
    const std::size_t passed = analysis::evaluate_all(a, p);
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      auto& bounds = out.tasks[sorted.tasks[k].id].other_bounds;
      bounds.emplace_back(variant.name, k <= passed ? a.bound(k) : response_bound<ticks>{});
    }
  }
}

/// Returns what is known of chains: terms, proofs of misses, and what the search did.
template <KnownComposition P, class Table, class Tasks>
[[nodiscard]] auto method_words(const P& platform, const Table& table, const judged_policy<Tasks>& found)
    -> verdict_summary {
  constexpr chain_composition composition = composition_of<P>;
  const auto p = chain_plan(platform, table, found.verdict);
  const auto sorted = planned_table(platform, table, p);
  verdict<ticks, Tasks::max_tasks> asked;
  asked.status = found.verdict.schedulable() ? verdict_status::schedulable : verdict_status::not_proven;
  asked.method = found.verdict.method;
  asked.tasks = found.verdict.tasks;
  asked.plan = p;
  auto out = summarize(platform, table, asked);
  out.status = found.verdict.status;
  add_misses(out, found.misses);
  const bool searched = found.searched && runs_on_own_share(composition.kernels) && sorted.gpu_tasks() > 0;
  if (searched && out.status == verdict_status::not_proven) {
    out.notes.push_back(search_note(p.effort, found.search, out.plan_words));
  }
  if constexpr (DedicatedGpuPlatform<P>) { add_other_bounds(sorted, platform.record(), p, out); }
  return out;
}

/// Of anything else that a published method judges as a whole: its own evidence, and the bounds of the verdict. Of
/// graphs nothing where rules of pools prove more.
template <class P, class Table, class Tasks>
[[nodiscard]] auto method_words(const P& platform, const Table& table, const judged_policy<Tasks>& found) ->
    typename judged_policy<Tasks>::explanation {
  auto own = [&] {
    if constexpr (std::same_as<P, graph_board>) {
      return analyze(platform, table);
    } else {
      return analyze(platform, table, published_methods);
    }
  }();
  if constexpr (std::same_as<P, graph_board>) {
    if (own.method != found.verdict.method) { return {}; }
  }
  own.status = found.verdict.status;
  const bool is_own = own.method == found.verdict.method;
  for (std::size_t i = 0; i < own.tasks.size() && i < found.verdict.tasks.size(); ++i) {
    const auto& said = found.verdict.tasks[i];
    auto& row = own.tasks[i];
    if (!is_own) { row = said; }
    row.limited = said.limited;
    row.deadline = said.deadline;
    row.meets = said.meets;
  }
  own.method = found.verdict.method;
  return summarize(platform, table, own);
}

}  // namespace takt::inline TAKT_ABI::report::detail
