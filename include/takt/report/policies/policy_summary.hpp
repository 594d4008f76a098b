// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/analysis/combiners/closed_part.hpp>
#include <takt/core/number.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/report/chain_platform.hpp>
#include <takt/report/comparison_words.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/miss_words.hpp>
#include <takt/report/plan_words.hpp>
#include <takt/report/policies/judged_policy.hpp>
#include <takt/report/policies/sharing_rule.hpp>
#include <takt/report/step_names.hpp>
#include <takt/report/table.hpp>
#include <takt/report/tree.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/rules/policies/cpu_keywords.hpp>
#include <takt/rules/policies/policy_keywords.hpp>
#include <takt/rules/policies/published.hpp>

namespace takt::inline TAKT_ABI::report {

/// Holds words of the rules on a board; an empty one is not said.
struct hardware_rules {
  std::string_view cpus{};
  std::string_view copies{};
  std::string_view gpus{};
  std::string_view own{};
};

/// Returns a board by pool: "4 cores (edf)", "a GPU of 8 SMs x 2 virtual (gang)".
[[nodiscard]] inline auto hardware_words(const hardware& board, const hardware_rules& rules = {})
    -> std::vector<std::string> {
  std::vector<std::string> out;
  const auto add = [&out](const std::string& what, std::string_view rule) {
    out.push_back(what + detail::rule_in_brackets(rule));
  };
  if (board.processors > 0) { add(plural(board.processors, "core"), rules.cpus); }
  if (board.copy_engines > 0) { add(plural(board.copy_engines, "copy engine"), rules.copies); }
  for (const gpu_hardware& gpu : board.gpus) {
    add((gpu.sms > 0 ? "a GPU of " + plural(gpu.sms, "SM") : std::string{"a GPU"}) +
            detail::virtual_words(gpu.virtual_per_sm),
        rules.gpus);
  }
  for (const own_hardware& o : board.own) { add(std::to_string(o.count).append(" ").append(o.name), rules.own); }
  return out;
}

/// Returns words on what was chosen, or given, under a policy and a rule of processors.
template <class Tasks, std::size_t N, std::size_t V>
[[nodiscard]] auto plan_words(const Tasks& tasks, const hardware& board, const sharing_rule& rule,
                              std::string_view cpus, const plan<N, V>& p) -> std::string {
  std::vector<std::string> parts;
  const auto names = [&](std::size_t i) { return tasks.tasks[i].name; };
  detail::add_share_words(parts, p, names, rule.sharing == "shared" ? "virtual SMs" : "SMs", board.gpus.size() > 1);
  if (rule.tokens_per_gpu) { parts.push_back(plural(*rule.tokens_per_gpu, "token") + " per GPU"); }
  if (rule.slots && rule.slots->period > 0 && rule.slots->pinned && rule.slots->gang) {
    parts.push_back("slots: " + format_duration(rule.slots->pinned->budget) + " for single SMs and " +
                    format_duration(rule.slots->gang->budget) + " for all, every " +
                    format_duration(rule.slots->period));
  }
  detail::add_place_words(parts, p, names, board.processors > 1 && !is_cluster_keyword(cpus));
  return joined(parts, "; ");
}

/// Returns tasks that name no core, or no cluster, and where the plan has them: "camera on 1", or "camera in 0" of
/// clusters. `cluster_size`: the processors of a cluster.
template <class Tasks>
[[nodiscard]] auto chosen_places(const Tasks& tasks, const hardware& board, const judged_policy<Tasks>& found,
                                 std::int32_t cluster_size) -> std::vector<std::string> {
  const bool clusters = is_cluster_keyword(found.cpus);
  const bool is_choice = clusters ? cluster_size < board.processors : board.processors > 1;
  const auto& cores = found.verdict.plan.cores;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < cores.size() && is_choice; ++i) {
    const runtime_task& t = tasks.tasks[i];
    if (t.core != unassigned_core) { continue; }
    out.push_back(std::string{t.name} + (clusters ? " in " : " on ") +
                  std::to_string(clusters ? cores[i] / cluster_size : cores[i]));
  }
  return out;
}

namespace detail {

/// Deadline monotonic priorities are those of the deadlines that the tasks state, also of late ones; a task without one
/// has the priority of its period.
template <class Tasks>
[[nodiscard]] auto deadline_order_words(const Tasks& tasks) -> std::string {
  const bool all_limited = std::ranges::all_of(tasks.tasks, [](const auto& t) { return t.limited; });
  return all_limited ? "deadline monotonic" : "deadline monotonic, by the period where a task has no deadline";
}

}  // namespace detail

/// Returns who has which priority under a rule of fixed priorities and the priorities of a plan, which may say none;
/// else nothing.
template <class Tasks, class Priorities>
[[nodiscard]] auto priority_words(const Tasks& tasks, std::string_view cpus, const Priorities& chosen) -> std::string {
  const auto given = std::ranges::count_if(tasks.tasks, [](const auto& t) { return t.priority != no_priority; });
  if (cpus.ends_with("rate-monotonic")) { return "rate monotonic"; }
  if (cpus.ends_with("deadline-monotonic")) { return detail::deadline_order_words(tasks); }
  if (!cpus.ends_with("fixed-priority")) { return {}; }
  if (given == static_cast<std::ptrdiff_t>(tasks.size())) { return "as given"; }
  if (!chosen.empty()) {
    std::vector<std::pair<std::int32_t, std::string>> order;
    for (std::size_t i = 0; i < chosen.size(); ++i) { order.emplace_back(chosen[i], tasks.tasks[i].name); }
    std::ranges::sort(order);
    std::string out;
    for (const auto& [priority, name] : order) { out += (out.empty() ? "chosen, " : " before ") + name; }
    return out;
  }
  return detail::deadline_order_words(tasks) + (given == 0 ? "" : ", because not every task has one");
}

/// Holds what was made of tasks before they were judged.
struct declared_effects {
  bool contention = false;  ///< what kernels take more beside those of others, be it nothing
  bool overheads = false;   ///< of the operating system
};

/// Returns "Proven all the same, ...: a, b and c." of the tasks that have bounds without a proof of all; else nothing.
[[nodiscard]] inline auto closed_part_words(const verdict_summary& v) -> std::string {
  std::vector<std::string> names;
  for (const task_summary& t : v.tasks) {
    if (v.status != verdict_status::schedulable && analysis::is_of_closed_part(t.method)) { names.push_back(t.name); }
  }
  if (names.empty()) { return {}; }
  return "Bounded all the same, since nothing that is not proven can delay " +
         std::string{names.size() == 1 ? "it" : "them"} + ": " + listed(names) + ".";
}

namespace detail {

/// Returns whether the number of virtual SMs replaces a ratio that is not given.
template <class Tasks>
[[nodiscard]] auto has_unsaid_interleave(const Tasks& tasks, const hardware& board) -> bool {
  return std::ranges::any_of(board.gpus, [](const gpu_hardware& gpu) { return gpu.virtual_per_sm > 1; }) &&
         std::ranges::any_of(tasks.visits, [](const runtime_visit& v) {
           return v.where == resource_kind::gpu && v.known.has(visit_fact::work) &&
                  !v.known.has(visit_fact::interleave);
         });
}

/// Returns whether the rule stops kernels, and it is not said of some of them what that costs.
template <class Tasks>
[[nodiscard]] auto has_unsaid_cost(const judged_policy<Tasks>& found, const Tasks& tasks) -> bool {
  constexpr std::array<std::string_view, 4> stopping{"levels", "slots", "gang", "single-stream"};
  return std::ranges::find(stopping, std::string_view{found.rule.sharing}) != stopping.end() &&
         std::ranges::any_of(tasks.visits, [](const runtime_visit& v) {
           return v.where == resource_kind::gpu && !v.known.has(visit_fact::preemption_cost);
         });
}

template <class Tasks>
void add_hardware(const hardware& board, const judged_policy<Tasks>& found, verdict_summary& out) {
  const hardware_rules rules{found.cpus, found.copies, found.policy, found.devices};
  out.platform_words = hardware_words(board, rules);
  tree platform{tree::object{}};
  if (board.processors > 0) { platform.add("cpus", pool_tree(board.processors, rules.cpus)); }
  if (board.copy_engines > 0) { platform.add("copy_engines", pool_tree(board.copy_engines, rules.copies)); }
  tree gpus;
  for (const gpu_hardware& gpu : board.gpus) {
    tree one;
    one.add("sms", gpu.sms).add("virtual_per_sm", gpu.virtual_per_sm);
    one.add("policy", rules.gpus).add("sharing", found.rule.sharing);
    gpus.push(std::move(one));
  }
  if (!board.gpus.empty()) { platform.add("gpus", std::move(gpus)); }
  tree own;
  for (const own_hardware& o : board.own) {
    tree one;
    one.add("name", o.name).add("count", o.count).add("policy", rules.own);
    own.push(std::move(one));
  }
  if (!board.own.empty()) { platform.add("resources", std::move(own)); }
  out.platform = std::move(platform);
}

/// Adds numbers of a policy that are part of a plan: tokens, levels, a slice, slots.
inline void add_parameters(const sharing_rule& rule, tree& out) {
  if (rule.tokens_per_gpu) { out.add("tokens_per_gpu", *rule.tokens_per_gpu); }
  if (rule.levels) { out.add("levels", *rule.levels); }
  if (rule.slice && *rule.slice > 0) { out.add("slice", *rule.slice); }
  if (!rule.slots || rule.slots->period < 1) { return; }
  tree slots;
  slots.add("period", rule.slots->period);
  const auto add = [&slots](std::string_view kind, const std::optional<slot_time>& slot) {
    if (!slot) { return; }
    tree one;
    slots.add(kind, one.add("offset", slot->offset).add("budget", slot->budget));
  };
  add("pinned", rule.slots->pinned);
  add("gang", rule.slots->gang);
  out.add("slots", std::move(slots));
}

/// The whole plan of a verdict, as a file may give it, and its parts of the GPUs. `out` has the names of the tasks.
template <class Tasks>
void add_plan(const judged_policy<Tasks>& found, const Tasks& tasks, const hardware& board, verdict_summary& out) {
  const auto& p = found.verdict.plan;
  verdict_summary named;
  named.tasks = out.tasks;
  named.visits = step_names(tasks);
  const std::size_t parts = std::max({p.offsets.size(), p.local_deadlines.size(), p.instances.size()});
  while (named.visits.size() < parts) { named.visits.push_back("step " + std::to_string(named.visits.size())); }
  out.plan_words = plan_words(tasks, board, found.rule, found.cpus, p);
  out.allocation = share_members(p, named, board.gpus.size() > 1, tasks);
  out.plan = plan_members(p, named);
  for (const auto& [name, part] : out.allocation.members()) { out.plan.add(name, part); }
  add_parameters(found.rule, out.plan);
}

}  // namespace detail

/// Returns a summary of what is known of a policy's verdict, from the rules of pools. `missing`: the facts that it
/// lacks, where they belong. Pre: it was judged, and is about these tasks on this board.
template <class Tasks>
[[nodiscard]] auto summarize(const judged_policy<Tasks>& found, const Tasks& tasks, const hardware& board,
                             const declared_effects& declared = {}, const std::vector<missing_words>& missing = {})
    -> verdict_summary {
  const auto& v = found.verdict;
  verdict_summary out = detail::begin_summary(v);
  detail::add_hardware(board, found, out);
  detail::add_plan(found, tasks, board, out);
  for (task_summary& t : out.tasks) {
    if (t.meets || t.bound.exists || !found.missing.empty()) { continue; }
    t.because = v.why == obstacle::passes ? "bounds still grew when the search for them ended at its limit of rounds"
                                          : "no bound is known under " + found.policy;
  }
  add_misses(out, found.misses);
  if (const auto lacking = missing_clauses(missing); !lacking.empty()) {
    out.findings.push_back(found.policy + " cannot be judged beyond that: " + joined(lacking, "; ") + ".");
  }
  if (const std::string proven = closed_part_words(out); !proven.empty()) { out.findings.push_back(proven); }
  out.assumptions.emplace_back(
      v.method == "hyperperiod" ? "Jobs of a strict task are released exactly its period apart, at first at its offset."
                                : "Jobs of a task are released at least its period apart.");
  if (is_cluster_keyword(found.cpus) && v.plan.instances.empty()) {
    out.assumptions.emplace_back("Jobs of a task do not overlap: its graphs are not pipelined.");
  }
  out.assumptions.emplace_back("Every step takes a time within its bounds, whatever runs elsewhere on the board.");
  if (!v.plan.offsets.empty()) {
    out.assumptions.emplace_back(
        "Steps keep the local deadlines of the plan, and none starts before its offset but where the rule lets it.");
  }
  if (detail::has_unsaid_interleave(tasks, board)) { out.assumptions.emplace_back(detail::unsaid_interleave_words); }
  if (detail::has_unsaid_cost(found, tasks)) {
    out.assumptions.emplace_back("A kernel without \"preemption_cost\" is never stopped: it runs to its end.");
  }
  if (!declared.contention && !serves_one_kernel(published_policies, found.policy)) {
    out.assumptions.emplace_back("Kernels of different tasks do not slow one another down beyond what is stated.");
  }
  if (declared.overheads) {
    out.assumptions.emplace_back("The host hands devices on, and ends of their operations interrupt, above all tasks.");
  }
  if (v.visits.empty() || v.visits.size() == tasks.visits.size()) { name_steps(tasks, out); }
  return out;
}

/// Returns the tasks of a verdict as rows of comparisons have them.
[[nodiscard]] inline auto compared_tasks(const verdict_summary& v) -> std::vector<compared_task> {
  std::vector<compared_task> out;
  for (const task_summary& t : v.tasks) {
    out.push_back({t.name, t.deadline, t.limited, t.bound, t.meets, analysis::is_of_closed_part(t.method)});
  }
  return out;
}

/// Returns a row of a comparison, with the factor left open. `summary`: of the same verdict. Pre: it was judged.
template <class Tasks>
[[nodiscard]] auto compared_row(const judged_policy<Tasks>& found, const verdict_summary& summary) -> comparison_row {
  comparison_row out;
  out.policy = found.policy;
  out.cpus = found.cpus;
  out.misses = compared_misses(found.misses, found.verdict.tasks);
  out.status = found.verdict.status;
  out.method = summary.method;
  out.plan_words = summary.plan_words;
  out.plan = summary.plan;
  const bool limited = std::ranges::any_of(summary.tasks, [](const task_summary& t) { return t.limited; });
  if (limited && found.verdict.bounded()) { out.slack_permille = slack_permille(found.verdict); }
  out.tasks = compared_tasks(summary);
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
