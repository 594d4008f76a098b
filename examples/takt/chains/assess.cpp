// SPDX-License-Identifier: Apache-2.0
#include "assess.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include <takt/analysis/analyze.hpp>
#include <takt/report/explanation.hpp>
#include <takt/report/format_duration.hpp>

#include "counterexample.hpp"
#include "search_guard.hpp"

namespace takt::program {

namespace {

using report::format_duration;

constexpr std::uint64_t most_evaluations = 2'000'000;
constexpr std::uint64_t most_evaluations_per_step = 20'000;
constexpr std::chrono::seconds patience{20};
constexpr std::size_t most_plans_simulated = 64;

[[nodiscard]] auto variant_of(analysis_method m) -> analysis::rtgpu_variant {
  switch (m) {
    case analysis_method::rtgpu: return analysis::rtgpu_published;
    case analysis_method::rtgpu_sharper: return analysis::rtgpu_sharper;
    default: return analysis::rtgpu_best;
  }
}

/// Calls `f` with the platform under the rules that the analysis is about.
template <TokenGpuPlatform P, class F>
void with_rules(const P& platform, analysis_method m, F f) {
  if (m != analysis_method::rtgpu_best) {
    throw input_error{"--analysis", "this analysis knows no tokens", "no such option, as the protocol decides"};
  }
  f(platform);
}
template <class P, class F>
void with_rules(const P& platform, analysis_method m, F f) {
  switch (m) {
    case analysis_method::rtgpu:
    case analysis_method::rtgpu_sharper:
    case analysis_method::rtgpu_best: return f(platform);
    case analysis_method::self_suspension: return f(one_at_a_time(platform));
    case analysis_method::busy_waiting: return f(spinning(platform));
    case analysis_method::enhanced_mpcp: return f(one_at_a_time_on_all_sms(platform));
  }
}

/// Every task with kernels has all SMs of the first GPU, in turn, or those behind a token.
[[nodiscard]] auto everything_to_each(const file_table& table, const platform_record& platform, bool tokens)
    -> file_plan {
  file_plan out;
  out.shares.resize(table.size());
  const std::int32_t sms = platform.gpus.empty() ? 0 : tokens ? platform.gpus[0].slot() : platform.gpus[0].budget();
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (table.has_kernel(k)) { out.shares[table.tasks[k].id] = {0, sms}; }
  }
  out.feasible = true;
  return out;
}

struct limits {
  std::uint64_t evaluations;
  std::chrono::steady_clock::duration time;
};

template <class A>
[[nodiscard]] auto search(A& a, search_method method, const limits& most, bool& gave_up) -> file_plan {
  search_guard<A> guard{a, most.time};
  file_plan found = search_plan(guard, method, most.evaluations);
  gave_up = guard.gave_up() || !found.effort.complete;
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
  const auto sentence = [&file](const plan<max_tasks>& p, const counterexample& e) {
    const auto& t = file.table.tasks[e.task];
    const std::string with = file.table.gpu_tasks() == 0 ? "" : " with " + plan_text(file, p);
    return fmt::format("A simulated run misses a deadline: {} is not done at {}{} (releases {}, seed {})", t.name,
                       format_duration(e.deadline_at), with, name_of(e.how.releases), e.how.seed);
  };
  const auto plans = all_plans(out.table, file.platform, most_plans_simulated);
  std::size_t broken = 0;
  for (const auto& p : plans) { broken += find_counterexample(file, out.table, p) ? 1U : 0U; }
  if (!plans.empty() && broken == plans.size() && !file.placed_by_program) {
    out.summary.status = verdict_status::unschedulable;
    out.reasons.push_back(sentence(out.plan, *example) + ".");
    if (plans.size() > 1) {
      out.reasons.push_back(fmt::format("Each of the {} possible plans has such a run.", plans.size()));
    }
  } else {
    out.summary.notes.push_back(sentence(out.plan, *example) + ", but another plan may do better.");
  }
}

/// "2 tokens of 8 SMs under k-fmlp", GPU by GPU.
[[nodiscard]] auto token_text(const task_file& file) -> std::string {
  std::vector<std::string> parts;
  for (const gpu_record& gpu : file.platform.gpus) {
    parts.push_back(fmt::format("{} token{} of {} SM{}", gpu.tokens, gpu.tokens == 1 ? "" : "s", gpu.slot(),
                                gpu.slot() == 1 ? "" : "s"));
  }
  return fmt::format("{} under {}", fmt::join(parts, " and "), file.rules.protocol);
}

[[nodiscard]] auto why_not_proven(const assessment& in) -> std::string {
  for (const std::uint32_t i : in.summary.priorities) {
    const auto& t = in.summary.tasks[i];
    if (!t.evaluated || t.meets) { continue; }
    return t.bound.exists
               ? fmt::format("{}: the bound {} exceeds the deadline {}.", t.name, format_duration(t.bound.value),
                             format_duration(t.deadline))
               : fmt::format("{}: no bound within the deadline {} exists.", t.name, format_duration(t.deadline));
  }
  return {};
}

template <class P>
void answer(const P& platform, const task_file& file, const question& q, assessment& out) {
  out.plan_matters = !LockedGpuPlatform<P> && !TokenGpuPlatform<P>;
  out.dedicated = DedicatedGpuPlatform<P>;
  out.table = analysis::prioritized_table(platform, file.table);
  auto a = analysis::make_analysis(platform, out.table, variant_of(q.method));
  if (const auto error = a.fits(out.table, file.platform)) { throw explain_fault(file, error); }
  bool gave_up = false;
  out.plan = out.plan_matters ? search(a, q.search, {most_evaluations, patience}, gave_up)
                              : everything_to_each(out.table, file.platform, TokenGpuPlatform<P>);
  auto& summary = out.summary;
  const std::size_t passed = analysis::evaluate_all(a, out.plan);
  const auto misses = passed < out.table.size() ? applicable_misses(file, out) : proven_misses<ticks, max_tasks>{};
  if (misses.size() == 1 && misses[0].reason == miss_reason::more_gpu_tasks_than_sms) {
    throw explain_fault(file, {.fault = model_fault::more_gpu_tasks_than_sms});
  }
  summary = report::summarize(a, passed, out.plan, misses);
  summary.rules = {std::string{file.rules.cpus}, std::string{file.rules.copies()}, std::string{file.rules.gpus}};
  summary.notes = file.notes;
  if (out.dedicated) { add_other_bounds(file.platform, out); }
  if (summary.status == verdict_status::schedulable) { return; }
  for (const auto& miss : misses) { out.reasons.push_back(report::explain_miss(summary, miss)); }
  if (summary.status == verdict_status::unschedulable) { return; }
  out.reasons.push_back(why_not_proven(out));
  if (gave_up) {
    summary.notes.push_back(
        fmt::format("the search for a plan was ended undecided after {} task analyses", out.plan.effort.evaluations));
  } else if (out.plan_matters && out.table.gpu_tasks() > 0) {
    summary.notes.push_back(fmt::format("no plan passes ({} search), so the bounds are those of an even split: {}",
                                        name_of(q.search), plan_text(file, out.plan)));
  }
  if (out.dedicated) { try_to_break(file, out); }
}

}  // namespace

auto assess(const task_file& file, const question& q) -> std::unique_ptr<assessment> {
  auto out = std::make_unique<assessment>();
  with_platform(file.rules, file.platform, [&](const auto& platform) {
    with_rules(platform, q.method, [&](const auto& p) { answer(p, file, q, *out); });
  });
  return out;
}

auto look_for_plan(const task_file& file, const file_table& table, const question& q) -> plan_search_outcome {
  auto out = plan_search_outcome::none;
  with_platform(file.rules, file.platform, [&](const auto& platform) {
    with_rules(platform, q.method, [&](const auto& p) {
      const auto sorted = std::make_unique<file_table>(analysis::prioritized_table(p, table));
      auto a = analysis::make_analysis(p, *sorted, variant_of(q.method));
      if (a.fits(*sorted, file.platform)) { return; }
      bool gave_up = false;
      const bool found = search(a, q.search, {most_evaluations_per_step, patience}, gave_up).feasible;
      out = found ? plan_search_outcome::found : gave_up ? plan_search_outcome::undecided : plan_search_outcome::none;
    });
  });
  return out;
}

auto plan_text(const task_file& file, const plan<max_tasks>& p) -> std::string {
  if (file.rules.tokens()) { return token_text(file); }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < file.table.size() && i < p.shares.size(); ++i) {
    if (!file.table.has_kernel(i)) { continue; }
    const bool several = file.platform.gpus.size() > 1;
    parts.push_back(several ? fmt::format("{} {} on GPU {}", file.table.tasks[i].name, p.shares[i].sms, p.shares[i].gpu)
                            : fmt::format("{} {}", file.table.tasks[i].name, p.shares[i].sms));
  }
  if (parts.empty()) { return "no SMs in use"; }
  return fmt::format("{}: {}", file.rules.gpus == "shared" ? "virtual SMs" : "SMs", fmt::join(parts, ", "));
}

}  // namespace takt::program
