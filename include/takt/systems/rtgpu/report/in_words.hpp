// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include <takt/allocation/analyze.hpp>
#include <takt/allocation/policies/known_under.hpp>
#include <takt/allocation/stoppable_search.hpp>
#include <takt/analysis/judge.hpp>
#include <takt/analysis/method_list.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/report/miss_words.hpp>
#include <takt/report/observation_summary.hpp>
#include <takt/report/policies/judged_policy.hpp>
#include <takt/report/policies/policy_query.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/planned_table.hpp>
#include <takt/rules/policies/own_sms.hpp>
#include <takt/rules/tags.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/simulate.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu_variant.hpp>
#include <takt/systems/rtgpu/plans/analysis_policies.hpp>
#include <takt/systems/rtgpu/plans/chain_policies.hpp>
#include <takt/systems/rtgpu/plans/judge.hpp>
#include <takt/systems/rtgpu/report/summarize.hpp>

namespace takt::inline TAKT_ABI::report::detail {

/// Describes a search that a question may end.
template <class Tasks>
struct asked_search {
  const policy_query<Tasks>* of = nullptr;

  [[nodiscard]] auto operator()() const -> std::function<bool(std::uint64_t)> {
    if (of->begin_search) { return of->begin_search(); }
    return [](std::uint64_t) { return false; };
  }
};

/// Gives the published analyses of chains to questions in words.
struct rtgpu_in_words {
  static constexpr std::string_view name = "rtgpu";

  /// Calls f with the one analysis that is asked alone. Returns whether the question asks one.
  template <class Tasks, class F>
  static auto with_policy(const policy_query<Tasks>& q, const F& f) -> bool {
    if (!q.asks_one()) { return false; }
    const search_method method = q.search.value_or(default_search);
    const stoppable_search<asked_search<Tasks>> search{method, q.most_evaluations, {&q}};
    const auto ask = [&](const auto& policy) {
      if (policy.analysis == (q.analysis.empty() ? "rtgpu-best" : q.analysis)) { f(policy); }
    };
    if (q.policy == federated_policy::name) {
      analysis_policies<false>(search).each(ask);
    } else {
      analysis_policies<true>(search).each(ask);
    }
    return true;
  }

  /// Calls f with the word of each.
  template <class F>
  static void each_analysis(const F& f) {
    analysis_policies<false>().each([&](const auto& policy) { f(policy.analysis); });
  }
};

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

/// Simulates chains on a board that takes the priorities of a plan.
template <class Policy, class Tasks, class Run>
void with_ranks(const Policy& policy, const Tasks& tasks, const hardware& board, const Run& run) {
  using ranked = known_under<Policy, std::remove_const_t<decltype(fixed_priority)>, methods<rtgpu_judges>>;
  static_cast<void>(ranked::with_board(policy, fixed_priority, tasks, board, run));
}

/// Simulates chains with the priorities of the plan.
template <class Policy, class Tasks, KnownComposition P, class Table, class Verdict>
[[nodiscard]] auto run_of(const Policy& policy, const Tasks& tasks, const hardware& on, const P& platform,
                          const Table& table, const Verdict& v, const simulation_options& options,
                          const optional_trace& recorder) -> observation_summary {
  observation_summary out;
  const auto p = chain_plan(platform, table, v);
  with_ranks(policy, tasks, on, [&](const auto& by_rank, const auto& chains) {
    out = observation_summary_of(takt::simulate(by_rank, chains, p, options, recorder));
  });
  return out;
}

}  // namespace takt::inline TAKT_ABI::report::detail
