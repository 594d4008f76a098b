// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include <takt/allocation/known/chains.hpp>
#include <takt/analysis/analyze.hpp>
#include <takt/report/summarize.hpp>
#include <takt/report/summarize_gpusync.hpp>
#include <takt/report/summarize_graphs.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/planned_table.hpp>
#include <takt/simulation/gpusync/simulate.hpp>
#include <takt/simulation/graph/simulate.hpp>
#include <takt/simulation/simulate.hpp>
#include <takt/simulation/simulate_shares.hpp>

#include "../sightings.hpp"
#include "judged.hpp"

// What published methods say of a verdict, their own or that of the rules of pools under the same plan.

namespace takt::program {

/// What it means that the search found no plan.
[[nodiscard]] inline auto search_note(const search_effort& effort, search_method method, const std::string& plan_words)
    -> std::string {
  const std::string found =
      effort.complete
          ? fmt::format("no plan passes ({} search)", name_of(method))
          : fmt::format(
                "search not complete, some plan may pass ({} search, {} task analyses, {} nodes, {} whole plans)",
                name_of(method), effort.evaluations, effort.nodes, effort.plans);
  return fmt::format("{}, so the bounds are those of an even split: {}", found, plan_words);
}

/// The part of a plan that hosts of chains take, with all that follows from it.
template <class P, class Table>
[[nodiscard]] auto chain_plan(const P& platform, const Table& table, const policy_judgement& v) -> plan<max_tasks> {
  plan<max_tasks> asked;
  asked.feasible = v.plan.feasible;
  asked.effort = v.plan.effort;
  asked.shares = v.plan.shares;
  asked.cores = v.plan.cores;
  const auto sorted = planned_table(platform, table, asked);
  plan<max_tasks> out = asked;
  complete_plan(platform, sorted, asked, out);
  return out;
}

/// Bounds of each reading of RTGPU under the plan, for comparison.
template <class Table>
void add_other_bounds(const Table& sorted, const platform_record& sizes, const plan<max_tasks>& p,
                      report::verdict_summary& out) {
  for (const auto& variant : {analysis::rtgpu_published, analysis::rtgpu_sharper, analysis::rtgpu_best}) {
    analysis::rtgpu<Table> a{sorted, sizes, variant};
    const std::size_t passed = analysis::evaluate_all(a, p);
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      auto& bounds = out.tasks[sorted.tasks[k].id].other_bounds;
      bounds.emplace_back(variant.name, k <= passed ? a.bound(k) : response_bound<ticks>{});
    }
  }
}

/// Of chains: terms, proofs of misses, and what the search did.
template <KnownComposition P, class Table>
[[nodiscard]] auto explained(const P& platform, const Table& table, judged_policy& found) -> report::verdict_summary {
  constexpr chain_composition composition = composition_of<P>;
  const plan<max_tasks> p = chain_plan(platform, table, found.verdict);
  const auto sorted = planned_table(platform, table, p);
  verdict<ticks, max_tasks> asked;
  asked.status = found.verdict.schedulable() ? verdict_status::schedulable : verdict_status::not_proven;
  asked.method = found.verdict.method;
  asked.tasks = found.verdict.tasks;
  asked.plan = p;
  auto out = report::summarize(platform, table, asked);
  out.status = found.verdict.status;
  report::add_misses(out, found.misses);
  const bool searched = runs_on_own_share(composition.kernels) && sorted.gpu_tasks() > 0;
  if (searched && out.status == verdict_status::not_proven) {
    out.notes.push_back(search_note(p.effort, found.search, out.plan_words));
  }
  if constexpr (DedicatedGpuPlatform<P>) { add_other_bounds(sorted, platform.record(), p, out); }
  return out;
}

/// Of anything else that a published method judges as a whole: its own evidence, and the bounds of the verdict. Of
/// graphs nothing where rules of pools prove more.
template <class P, class Table>
[[nodiscard]] auto explained(const P& platform, const Table& table, judged_policy& found)
    -> judged_policy::explanation {
  auto own = analyze(platform, table);
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
  return report::summarize(platform, table, own);
}

/// Graphs under the offsets of their bounds.
template <class Table>
[[nodiscard]] auto run_of(const graph_board& board, const Table& table, const policy_judgement& v,
                          const simulation_options& options, const optional_trace& recorder) -> sighting {
  const auto own = analyze(board, table);
  if (!own.bounded()) {
    throw nothing_to_run{
        "the graphs have no bounds, from which the offsets of their nodes would follow. See the reasons of analyze."};
  }
  std::vector<duration> deadlines;
  for (const auto& t : v.tasks) { deadlines.push_back(duration{t.limited ? t.deadline : 0}); }
  simulation_options how = options;
  how.deadlines = deadlines;
  return sighting_of(
      simulation::simulate_planned_graphs(table, board.sizes, board.policy, board.preemptive, own.plan, how, recorder));
}
/// Sections of locked GPUs.
template <class Table>
[[nodiscard]] auto run_of(const gpusync_board<>& board, const Table& table, const policy_judgement& /*v*/,
                          const simulation_options& options, const optional_trace& recorder) -> sighting {
  gpusync_simulation_options how;
  how.horizon = options.horizon;
  how.releases = options.releases;
  how.execution = options.execution;
  how.seed = options.seed;
  return sighting_of(takt::simulate(board, table, how, recorder));
}
/// Applications on shares.
template <class P, class Table>
[[nodiscard]] auto run_of(const P& platform, const Table& table, const policy_judgement& /*v*/,
                          const simulation_options& options, const optional_trace& recorder) -> sighting {
  const auto seen = takt::simulate(platform, table, options, recorder);
  sighting out = sighting_of(seen);
  if constexpr (requires { seen.effort.share_changes; }) {
    out.notes.push_back(fmt::format("decisions: {} of the whole set, {} refused a job, {} shares changed",
                                    seen.effort.operations, seen.effort.refusals, seen.effort.share_changes));
  }
  return out;
}

/// In virtual time where a published method has rules that boards of pools do not have. Chains: with the priorities of
/// the plan.
template <class Policy, class Rule>
[[nodiscard]] auto simulated_alone(const Policy& policy, const Rule& rule, const policy_judgement& v,
                                   const file_tasks& tasks, const hardware& board, const simulation_options& options,
                                   trace* kept) -> sighting {
  sighting out;
  optional_trace recorder{kept};
  (void)known_under<Policy, Rule>::with_board(policy, rule, tasks, board, [&](const auto& platform, const auto& table) {
    if constexpr (!KnownComposition<std::remove_cvref_t<decltype(platform)>>) {
      out = run_of(platform, table, v, options, recorder);
    } else {
      const plan<max_tasks> p = chain_plan(platform, table, v);
      using ranked = known_under<Policy, std::remove_const_t<decltype(fixed_priority)>>;
      (void)ranked::with_board(policy, fixed_priority, tasks, board, [&](const auto& by_rank, const auto& chains) {
        out = sighting_of(takt::simulate(by_rank, chains, p, options, recorder));
      });
    }
  });
  return out;
}

}  // namespace takt::program
