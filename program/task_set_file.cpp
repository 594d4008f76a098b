// SPDX-License-Identifier: Apache-2.0
#include "task_set_file.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <takt/model/scaled.hpp>
#include <takt/report/counterexample_words.hpp>
#include <takt/report/fault_text.hpp>
#include <takt/rules/policies/own_sms.hpp>
#include <takt/rules/policies/whole_gpu.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/simulation/simulate_recorded.hpp>
#include <takt/simulation/trace.hpp>

#include "files/offsets.hpp"
#include "large_stack.hpp"
#include "policies/policy_input.hpp"
#include "progress.hpp"
#include "task_set_parts.hpp"
#include "text_file.hpp"

namespace takt::program {

namespace {

constexpr double most_steps = 20e6;
constexpr double most_traced_steps = 1e6;
constexpr std::uint64_t most_evaluations = 2'000'000;
/// Under fair lateness, and in published methods of clusters, which count them.
[[nodiscard]] auto points_follow_times(const policy_query& q) -> bool {
  return q.cpus == "g-fl" || q.engines || q.overlapping_graphs;
}

/// Throws where a question leaves nothing to choose.
void require_choices(const workload_file& file, const policy_query& q) {
  const bool own_sms = has_own_sms(q.policy);
  const bool has_gpus = !file.board.gpus.empty();
  if (q.asks_one()) {
    if (auto fault = fault_of_system(q.analysis.empty() ? "--search" : "--analysis", "rtgpu")) { throw *fault; }
  }
  if (!q.analysis.empty() && !own_sms) {
    throw input_error{"--analysis", fmt::format("says nothing about {}, whose rule decides the test", q.policy),
                      "no such option for this file"};
  }
  if (q.search && (!own_sms || q.analysis == "enhanced-mpcp") && has_gpus) {
    throw input_error{"--search", "says nothing about kernels that all have the same SMs", "no such option here"};
  }
  if (q.decided().says_units() && (q.search || q.analysis == "enhanced-mpcp")) {
    throw input_error{q.search ? "--search" : "--analysis", "says nothing about a plan that the file gives",
                      "no such option for this file"};
  }
  if (q.asks_one() && !q.cpus.ends_with("-monotonic") && q.cpus != "fixed-priority") {
    throw input_error{q.analysis.empty() ? "--search" : "--analysis",
                      fmt::format("says nothing about processors under {}", q.cpus), "no such option here"};
  }
}

/// More tasks with kernels than SMs, and nothing else that is wrong.
[[nodiscard]] auto crowded_gpus(const workload_file& file, const proven_miss<ticks>& miss) -> input_error {
  std::int32_t units = 0;
  for (const gpu_hardware& g : file.board.gpus) {
    units += gpu_record{.sms = g.sms,
                        .virtual_per_sm = g.virtual_per_sm,
                        .granularity = g.granularity,
                        .shared = file.rules.gpus.sharing == "shared"}
                 .budget() /
             g.granularity;
  }
  return {"/platform/gpus/0/sms", fmt::format("{} cannot be dedicated to {} tasks with kernels", units, miss.value),
          std::string{describe(model_fault::more_gpu_tasks_than_sms).allowed}};
}

/// Says so where a simulation does all that is late though the file says otherwise.
[[nodiscard]] auto with_late_note(const workload_file& file, const simulation_options& used,
                                  report::observation_summary out) -> report::observation_summary {
  if (used.on_late != file.on_late) {
    out.notes.push_back(fmt::format("on_late: {} is not simulated here: what is late is done", name_of(file.on_late)));
  }
  return out;
}

/// Throws where the simulator of a policy knows no process that stands still.
void refuse_stops(const policy_query& q) {
  const std::string why = q.policy == shares_policy::name
                              ? "says nothing about jobs on shares, which are dropped at their deadlines and never late"
                              : fmt::format("is not simulated by the published method of {}", q.policy);
  throw input_error{"--stopped", why, "no such option for this file"};
}

/// Whether a status at some factor is a proof, or a proof to the contrary.
[[nodiscard]] auto answer_of(verdict_status status) noexcept -> factor_answer {
  switch (status) {
    case verdict_status::schedulable: return factor_answer::proven;
    case verdict_status::unschedulable: return factor_answer::must_miss;
    case verdict_status::not_proven:
    case verdict_status::invalid_model:
    case verdict_status::overflow: break;
  }
  return factor_answer::not_proven;
}

}  // namespace

task_set_file::task_set_file(const std::string& path, const rule_wishes& wishes) : p_{std::make_unique<parts>()} {
  p_->file = read_workload(parse_json(read_text_file(path)));
  p_->wishes = wishes;
  p_->input = input_of(*p_->file, wishes);
  for (gpu_hardware& gpu : p_->file->board.gpus) {
    const bool is_unsaid = gpu.preemption_levels == 0 && p_->file->rules.gpus.sharing == levels_policy::name;
    if (wishes.policy.empty() && is_unsaid) { gpu.preemption_levels = accelerator_record{}.preemption_levels; }
  }
}
task_set_file::~task_set_file() = default;

auto task_set_file::workload() const -> const workload_file& { return *p_->file; }

auto task_set_file::input() const -> const policy_input& { return p_->input; }
auto task_set_file::judged() const -> const judged_policy& { return *p_->found; }

auto task_set_file::title() const -> std::string_view { return p_->file->name; }

auto task_set_file::refuse(const model_error& error) const -> input_error { return explain_fault(*p_->file, error); }

auto task_set_file::longest_period() const -> ticks {
  ticks longest = 0;
  for (const runtime_task& t : p_->file->tasks.tasks) { longest = std::max(longest, t.period); }
  return longest;
}

auto task_set_file::is_monotone(const question& q, bool replans) const -> bool {
  // A run with shorter times is one of those that a proof is about, where every shorter time is within its bounds.
  const bool greedy = replans && q.given_search == search_method::greedy;
  return !greedy && only_upper_times_count(p_->file->tasks) && !points_follow_times(p_->input.question);
}
auto task_set_file::why_not_monotone() const -> std::string_view {
  return points_follow_times(p_->input.question)   ? "priority points follow execution times"
         : only_upper_times_count(p_->file->tasks) ? "the search may miss a plan"
                                                   : "shortest execution times scale too";
}

auto task_set_file::judge(const question& q) -> const report::verdict_summary& {
  p_->judged = assess(q);
  return p_->judged;
}

auto task_set_file::run_size_until(duration horizon) const -> run_size {
  const auto until = static_cast<double>(horizon.count());
  double steps = 0;
  for (const runtime_task& t : p_->file->tasks.tasks) {
    double each = static_cast<double>(t.visit_count);
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      const runtime_visit& v = p_->file->tasks.visits[t.first_visit + p];
      const bool stops = v.known.has(visit_fact::preemption_cost) && v.preemption_cost > 0;
      if (stops) { each += static_cast<double>(v.wcet / v.preemption_cost); }
    }
    steps += each * until / static_cast<double>(t.period);
  }
  const auto& slots = p_->file->rules.gpus.slots;
  if (slots && slots->period > 0) { steps += 4 * until / static_cast<double>(slots->period); }
  return {steps, "segments", most_steps, most_traced_steps};
}

void task_set_file::require_facts() const {
  if (p_->found->missing.empty()) { return; }
  const auto missing = missing_of(*p_->file, *p_->found);
  const std::string others =
      missing.size() == 1 ? "" : fmt::format(", nor do {} other places say what it needs", missing.size() - 1);
  throw input_error{
      missing[0].at,
      fmt::format("does not say {}, which {} needs{}", missing[0].fact, p_->input.question.policy, others),
      "the fact, or another policy"};
}

auto task_set_file::assess(const question& q) -> report::verdict_summary {
  p_->input.question.analysis = q.given_method.value_or("");
  p_->input.question.search = q.given_search;
  const bool ends_soon = q.given_search.value_or(default_search) == search_method::branch_and_bound;
  p_->input.question.most_evaluations = ends_soon ? default_evaluations : most_evaluations;
  require_choices(*p_->file, p_->input.question);
  p_->found = judge_file(*p_->file, p_->input);
  if (!p_->found->judged) { require_facts(); }
  if (!p_->found->judged) { throw refuse(p_->found->verdict.error); }
  require_rules(*p_->file, p_->wishes, *p_->found);
  auto out = explained_summary(*p_->file, p_->input, *p_->found);
  if (!p_->wishes.any() && out.misses.size() == 1 &&
      out.misses[0].proof.reason == miss_reason::more_gpu_tasks_than_sms) {
    throw crowded_gpus(*p_->file, out.misses[0].proof);
  }
  // Values that its published method calls wrong are wrong in a file of its own rule, whatever the rules of pools make
  // of them.
  if (p_->wishes.policy.empty() && p_->found->unread.has_value) { throw refuse(p_->found->unread); }
  if (asks_for_runs(p_->input, p_->wishes, *p_->found)) {
    report::broken_plans broken;
    on_large_stack([&] {
      const progress shown{"simulating: plans"};
      broken = report::break_plans(p_->found->board, *p_->input.tasks, p_->found->verdict.plan);
    });
    report::add_counterexample(broken, p_->file->tasks, out);
  }
  return out;
}

/// That tasks miss their deadlines may be proven of a policy that lacks facts, or SMs; there is no plan then.
void task_set_file::require_plan() const {
  require_facts();
  for (const auto& miss : p_->judged.misses) {
    if (miss.proof.reason == miss_reason::more_gpu_tasks_than_sms) {
      throw nothing_to_run{miss.sentence +
                           " Give the GPU more SMs, or share it by \"shared\" virtual SMs or by \"tokens\"."};
    }
  }
}

auto task_set_file::waiting() const -> waiting_question { return waiting_in(*p_->file, p_->input, *p_->found); }

auto task_set_file::simulate(const simulation_options& asked, trace* kept) const -> report::observation_summary {
  require_plan();
  simulation_options options = asked;
  const std::vector<duration> offsets = offsets_of(*p_->file);
  if (p_->found->simulate) {  // boards of pools know the releases of their tasks
    if (!is_periodic(options.releases)) {
      refuse_offsets(*p_->file, fmt::format("says nothing under {} releases", name_of(options.releases)),
                     "--releases periodic, or no such key");
      refuse_strict(*p_->file, fmt::format("is not kept under {} releases", name_of(options.releases)),
                    "--releases periodic, or no such key");
    } else if (has_offsets(*p_->file)) {
      options.offsets = offsets;
    }
  }
  if (p_->found->simulate) {
    report::observation_summary out;
    const policy_query& q = p_->input.question;
    const bool is_stopped = q.overlapping_graphs || q.engines;
    if (is_stopped) { options.on_late = p_->file->on_late; }
    if (!is_stopped && !options.stalls.empty()) { refuse_stops(q); }
    on_large_stack([&] { out = p_->found->simulate(*p_->found, *p_->input.tasks, p_->file->board, options, kept); });
    if (!out.because.empty()) { throw nothing_to_run{out.because + " See the reasons of analyze."}; }
    report::keep_declared_misses(p_->file->tasks, out);
    return with_late_note(*p_->file, options, std::move(out));
  }
  options.on_late = p_->file->on_late;
  const auto& [board, p] = std::tie(p_->found->board, p_->found->verdict.plan);
  if (kept == nullptr && options.stalls.empty()) {
    return as_declared(takt::simulate(board, *p_->input.tasks, p, options));
  }
  optional_trace recorder{kept};
  return as_declared(takt::simulate(board, *p_->input.tasks, p, options, recorder));
}

auto task_set_file::at_factor(permille factor, bool replans) const -> factor_answer {
  const auto found =
      replans ? judge_file(*p_->file, p_->input, factor) : judge_its_plan(*p_->file, p_->input, *p_->found, factor);
  if (found == nullptr) { return factor_answer::must_miss; }
  if (!found->judged) { return factor_answer::not_proven; }
  const bool open = replans && p_->input.question.search && !found->verdict.plan.effort.complete;
  return open && !found->verdict.schedulable() ? factor_answer::undecided : answer_of(found->verdict.status);
}

}  // namespace takt::program
