// SPDX-License-Identifier: Apache-2.0
#include "assess.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include <takt/analysis/analyze.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/summarize_chains.hpp>

#include "counterexample.hpp"
#include "search_guard.hpp"
#include "with_rules.hpp"

namespace takt::program {

namespace {

constexpr std::uint64_t most_evaluations = 2'000'000;
constexpr std::chrono::seconds patience{20};
constexpr std::size_t most_plans_simulated = 64;

[[nodiscard]] auto variant_of(analysis_method m) -> analysis::rtgpu_variant {
  switch (m) {
    case analysis_method::rtgpu: return analysis::rtgpu_published;
    case analysis_method::rtgpu_sharper: return analysis::rtgpu_sharper;
    default: return analysis::rtgpu_best;
  }
}

/// The analysis of a platform, in the reading that the method names if it has several.
template <class P>
[[nodiscard]] auto analysis_of(const P& platform, const file_table& table, analysis_method m) {
  if constexpr (analysis::HasMethodOptions<P>) {
    return analysis::make_analysis(platform, table, variant_of(m));
  } else {
    return analysis::make_analysis(platform, table);
  }
}

/// "A57_0 A57, Denver": what the file says of its cores.
[[nodiscard]] auto core_names(const task_file& file) -> std::string {
  std::vector<std::string> names;
  for (const core_facts& c : file.from->cores) {
    names.push_back(c.type.empty() ? c.name : c.name.empty() ? c.type : c.name + " " + c.type);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// A plan that passes, else one to look at. `passed` tasks meet their deadlines under it; `effort.complete` is false
/// when there may be a better one.
template <class A>
[[nodiscard]] auto search(A& a, search_method method, std::size_t& passed) -> file_plan {
  search_guard<A> guard{a, patience};
  const bool ends_soon = method == search_method::branch_and_bound;
  file_plan found = search_plan(guard, method, ends_soon ? default_evaluations : most_evaluations);
  found.effort.complete = found.effort.complete && !guard.gave_up();
  passed = analysis::evaluate_all(a, found);
  found.feasible = passed == a.table().size();
  return found;
}

/// Bounds of other variants for the plan in use, for comparison.
void add_other_bounds(const platform_record& platform, assessment& out) {
  for (const auto& variant : {analysis::rtgpu_published, analysis::rtgpu_sharper, analysis::rtgpu_best}) {
    analysis::rtgpu<file_table> a{out.table, platform, variant};
    const std::size_t passed = analysis::evaluate_all(a, out.plan);
    for (std::size_t k = 0; k < out.table.size(); ++k) {
      auto& bounds = out.summary.tasks[out.table.tasks[k].id].other_bounds;
      bounds.emplace_back(variant.name, k <= passed ? a.bound(k) : response_bound<ticks>{});
    }
  }
}

/// The proofs that hold for the composition that was asked about, and for every placement on cores that a plan may
/// choose.
[[nodiscard]] auto applicable_misses(const task_file& file, const assessment& in) -> proven_misses<ticks, max_tasks> {
  proven_misses<ticks, max_tasks> out;
  for (const auto& miss : analysis::find_proven_misses(in.table, file.platform)) {
    const bool about_placement =
        miss.reason == miss_reason::synchronous_release || miss.reason == miss_reason::core_overloaded;
    const bool own_with_kernel = miss.reason == miss_reason::own_time && file.table.has_kernel(miss.task);
    const bool about_shares = miss.reason == miss_reason::more_gpu_tasks_than_sms || own_with_kernel;
    if ((file.placed_by_program && about_placement) || (!in.plan_matters && about_shares)) { continue; }
    out.push_back(miss);
  }
  return out;
}

/// Looks for runs that miss. Only when every plan has one is a miss proven.
void try_to_break(const task_file& file, assessment& out) {
  const auto example = find_counterexample(file, out.table, out.plan);
  if (!example) { return; }
  const auto& words = out.summary.plan_words;
  const std::string sentence =
      fmt::format("A simulated run misses a deadline: {} is not done at {}{} (releases {}, seed {})",
                  file.table.tasks[example->task].name, report::format_duration(example->deadline_at),
                  words.empty() ? "" : " with " + words, name_of(example->how.releases), example->how.seed);
  const auto plans = all_plans(out.table, file.platform, most_plans_simulated);
  std::size_t broken = 0;
  for (const auto& p : plans) { broken += find_counterexample(file, out.table, p) ? 1U : 0U; }
  if (!plans.empty() && broken == plans.size() && !file.placed_by_program) {
    out.summary.status = verdict_status::unschedulable;
    out.summary.findings.push_back(sentence + ".");
    if (plans.size() > 1) {
      out.summary.findings.push_back(fmt::format("Each of the {} possible plans has such a run.", plans.size()));
    }
  } else {
    out.summary.notes.push_back(sentence + ", but another plan may do better.");
  }
}

/// What it means that the search found no plan.
[[nodiscard]] auto search_note(const search_effort& effort, search_method method, const std::string& plan_words)
    -> std::string {
  const std::string found =
      effort.complete
          ? fmt::format("no plan passes ({} search)", name_of(method))
          : fmt::format(
                "search not complete, some plan may pass ({} search, {} task analyses, {} nodes, {} whole plans)",
                name_of(method), effort.evaluations, effort.nodes, effort.plans);
  return fmt::format("{}, so the bounds are those of an even split: {}", found, plan_words);
}

/// Adds what the file says beyond the model, and what the search did.
void add_notes(const task_file& file, const question& q, assessment& out) {
  auto& summary = out.summary;
  if (!file.from->cores.empty()) { summary.platform_words[0] += fmt::format(" [{}]", core_names(file)); }
  summary.notes = file.notes;
  if (summary.status != verdict_status::not_proven) { return; }
  if (out.plan_matters && out.table.gpu_tasks() > 0) {
    summary.notes.push_back(search_note(out.plan.effort, q.search(), summary.plan_words));
  }
}

/// Throws where a question leaves nothing to choose.
void require_choices(const question& q, bool tokens, bool plan_matters) {
  if (tokens && q.given_method) {
    throw input_error{"--analysis", "says nothing about tokens, whose protocol decides the test",
                      "no such option for this file"};
  }
  if (!plan_matters && q.given_search) {
    throw input_error{"--search", "says nothing about kernels that all have the same SMs", "no such option here"};
  }
}

template <class P>
void answer(const P& platform, const task_file& file, const question& q, assessment& out) {
  out.plan_matters = runs_on_own_share(composition_of<P>.kernels);
  out.dedicated = DedicatedGpuPlatform<P>;
  require_choices(q, runs_on_token(composition_of<P>.kernels), out.plan_matters);
  out.table = planned_table(platform, file.table, file_plan{});
  auto a = analysis_of(platform, out.table, q.method());
  if (const auto error = a.fits(out.table, file.platform)) { throw explain_fault(file, error); }
  std::size_t passed = 0;
  if (out.plan_matters) {
    out.plan = search(a, q.search(), passed);
  } else {
    passed = analysis::evaluate_all(a, out.plan);
  }
  complete_plan(platform, out.table, file_plan{out.plan}, out.plan);
  auto verdict = analysis::verdict_of(a, passed);
  verdict.plan = out.plan;
  auto& summary = out.summary;
  summary = report::summarize(platform, file.table, verdict);
  if (passed < out.table.size()) { report::add_misses(summary, applicable_misses(file, out)); }
  if (!summary.misses.empty()) { summary.status = verdict_status::unschedulable; }
  if (summary.misses.size() == 1 && summary.misses[0].proof.reason == miss_reason::more_gpu_tasks_than_sms) {
    throw explain_fault(file, {.fault = model_fault::more_gpu_tasks_than_sms});
  }
  add_notes(file, q, out);
  if (!out.dedicated) { return; }
  add_other_bounds(file.platform, out);
  if (summary.status == verdict_status::not_proven) { try_to_break(file, out); }
}

}  // namespace

auto assess(const task_file& file, const question& q) -> std::unique_ptr<assessment> {
  auto out = std::make_unique<assessment>();
  out->method = q.method();
  with_platform(file.rules, file.platform, [&](const auto& platform) {
    with_rules(platform, q.method(), [&](const auto& p) { answer(p, file, q, *out); });
  });
  return out;
}

auto look_for_plan(const task_file& file, const file_table& table, const question& q) -> plan_search_outcome {
  auto out = plan_search_outcome::none;
  with_platform(file.rules, file.platform, [&](const auto& platform) {
    with_rules(platform, q.method(), [&](const auto& p) {
      const auto sorted = std::make_unique<file_table>(planned_table(p, table, file_plan{}));
      auto a = analysis_of(p, *sorted, q.method());
      if (a.fits(*sorted, file.platform)) { return; }
      std::size_t passed = 0;
      const file_plan found = search(a, q.search(), passed);
      out = found.feasible          ? plan_search_outcome::found
            : found.effort.complete ? plan_search_outcome::none
                                    : plan_search_outcome::undecided;
    });
  });
  return out;
}

}  // namespace takt::program
