// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <takt/analysis/concepts.hpp>
#include <takt/analysis/proven_miss.hpp>
#include <takt/analysis/terms.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>

namespace takt::report {

/// What an analysis found out about one task.
struct task_summary {
  std::string name;
  ticks deadline = 0;
  response_bound<ticks> bound;
  bool evaluated = false;
  bool meets = false;
  bool served = true;  ///< false for a task with kernels and no SM
  sm_share share;
  std::vector<term<ticks>> terms;   ///< of a bound that exists; they add up to it
  std::vector<term<ticks>> demand;  ///< of a task without bound: what may claim time before its deadline
  std::vector<std::pair<std::string, response_bound<ticks>>> other_bounds;  ///< by analysis, for comparison
};

/// The rules of the pools, in the words of the file format; an empty one is left out.
struct rule_names {
  std::string cpus;
  std::string copy_engines;
  std::string gpus;
};

/// A verdict with its reasons as plain values, whatever the types of the platform and the analysis: what is printed.
struct verdict_summary {
  std::string analysis;
  verdict_status status = verdict_status::not_proven;
  model_error error;
  platform_record platform;
  rule_names rules;
  std::vector<task_summary> tasks;        ///< in the given order
  std::vector<std::uint32_t> priorities;  ///< positions in `tasks`, highest priority first
  std::vector<proven_miss<ticks>> misses;
  std::vector<std::string> notes;
};

/// An analysis on 64-bit time that can say what its bounds are made of.
template <class A>
concept ExplainableAnalysis =
    analysis::PriorityAnalysis<A> && std::same_as<typename A::number, ticks> && requires(const A& a, std::size_t k) {
      analysis::for_each_term(a, k, [](const term<ticks>&) {});
      analysis::for_each_demand(a, k, [](const term<ticks>&) {});
    };

namespace detail {

template <class A>
[[nodiscard]] auto is_served(const A& a, std::size_t k) -> bool {
  if constexpr (requires { a.served(k); }) {
    return a.served(k);
  } else {
    return true;
  }
}

template <ExplainableAnalysis A>
void summarize_task(const A& a, std::size_t k, task_summary& out) {
  out.evaluated = true;
  out.bound = a.bound(k);
  out.meets = a.meets(k);
  out.served = is_served(a, k);
  if (out.bound.exists) {
    analysis::for_each_term(a, k, [&out](const term<ticks>& t) { out.terms.push_back(t); });
  } else if (out.served) {
    analysis::for_each_demand(a, k, [&out](const term<ticks>& t) { out.demand.push_back(t); });
  }
}

}  // namespace detail

/// Collects what an analysis knows after `evaluate_all`, which returned `passed`, under a plan. `misses` are proofs
/// that hold for this composition; any of them makes a task set that did not pass `unschedulable`. Pre: the table fits
/// the analysis and the plan has a share for each task.
template <ExplainableAnalysis A, std::size_t N, std::size_t M = 0>
[[nodiscard]] auto summarize(const A& a, std::size_t passed, const plan<N>& p,
                             const inline_vector<proven_miss<ticks>, M>& misses = {}) -> verdict_summary {
  const auto& table = a.table();
  verdict_summary out;
  out.analysis = a.name();
  out.platform = a.platform();
  out.tasks.resize(table.size());
  for (std::size_t k = 0; k < table.size(); ++k) {
    const auto& t = table.tasks[k];
    task_summary& summary = out.tasks[t.id];
    summary.name = t.name;
    summary.deadline = t.deadline;
    summary.share = p.shares[t.id];
    if (k <= passed) { detail::summarize_task(a, k, summary); }
    out.priorities.push_back(t.id);
  }
  if (passed == table.size()) {
    out.status = verdict_status::schedulable;
  } else if (!misses.empty()) {
    out.status = verdict_status::unschedulable;
    out.misses.assign(misses.begin(), misses.end());
  }
  return out;
}

/// The summary of a model that no analysis can judge.
template <class Number, std::size_t N>
[[nodiscard]] auto summarize(const verdict<Number, N>& v, const platform_record& platform) -> verdict_summary {
  verdict_summary out;
  out.analysis = v.analysis;
  out.status = v.status;
  out.error = v.error;
  out.platform = platform;
  return out;
}

}  // namespace takt::report
