// SPDX-License-Identifier: Apache-2.0
#include "policy_input.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <takt/allocation/place_kernels.hpp>
#include <takt/analysis/with_overheads.hpp>
#include <takt/model/with_contention.hpp>
#include <takt/report/policies/policy_summary.hpp>
#include <takt/report/step_names.hpp>
#include <takt/report/visible.hpp>
#include <takt/rules/policies/cpu_keywords.hpp>
#include <takt/rules/policies/own_sms.hpp>
#include <takt/rules/policies/policy_keywords.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/rules/policies/tokens.hpp>
#include <takt/systems/graphs/analysis/runtime_tasks.hpp>
#include <takt/systems/locked_gpus/analysis/runtime_tasks.hpp>

#include "../fields.hpp"
#include "../files/defaults.hpp"
#include "../files/offsets.hpp"
#include "../large_stack.hpp"
#include "../progress.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::chrono::seconds patience{20};

constexpr std::array<string_view, 4> graph_rules{"g-fl", "g-edf", "g-fifo", "gel"};
constexpr std::array<string_view, 5> section_rules{"g-fl", "g-edf", "g-rate-monotonic", "g-deadline-monotonic",
                                                   "g-fixed-priority"};
constexpr std::array<string_view, 2> section_policies{tokens_r2dglp_policy::name, tokens_ck_omlp_policy::name};
constexpr std::array<string_view, 4> kernel_sharings{"levels", "slots", "gang", "single-stream"};

template <std::size_t N>
[[nodiscard]] auto is_one_of(string_view word, const std::array<string_view, N>& all) -> bool {
  return std::ranges::find(all, word) != all.end();
}

/// Whether no task ever visits a processor, so that the order of kernels is theirs alone.
[[nodiscard]] auto has_kernels_only(const workload_file& file) -> bool {
  return std::ranges::all_of(file.tasks.visits, [](const auto& v) { return v.where == resource_kind::gpu; });
}

/// Ends a search after a while, and shows how far it is.
[[nodiscard]] auto patient_search() -> std::function<bool(std::uint64_t)> {
  const auto shown = std::make_shared<progress>("searching a plan: task analyses");
  const auto end = std::chrono::steady_clock::now() + patience;
  return [shown, end](std::uint64_t evaluations) {
    shown->show(evaluations);
    return std::chrono::steady_clock::now() > end;
  };
}

[[nodiscard]] auto contention_of(const workload_file& file) -> contention_matrix<max_tasks> {
  contention_matrix<max_tasks> out;
  for (const slow_down& s : file.contention.value_or(std::vector<slow_down>{})) {
    out.set(s.slowed, s.by, std::max(out.ppm(s.slowed, s.by), s.ppm));
  }
  return out;
}

/// Shares that follow the needs of jobs, where all tasks are one kernel.
[[nodiscard]] auto granted_by(const workload_file& file) -> std::optional<granted_shares_policy<max_tasks>> {
  const bool kernels = std::ranges::all_of(file.tasks.tasks, [&](const runtime_task& t) {
    return t.visit_count == 1 && t.jitter == 0 && file.tasks.visits[t.first_visit].known.has(visit_fact::wcet_by_share);
  });
  if (file.rules.gpus.sharing != shares_policy::name || !kernels) { return std::nullopt; }
  granted_shares_policy<max_tasks> out;
  out.rule = report::shares_of_rule(file.rules.gpus);
  out.contention = contention_of(file);
  // Bound: one per task, at most `max_tasks`.
  for (const task_facts& t : file.more) { out.weights.unchecked_push_back(t.weight.value_or(0)); }
  return out;
}

/// Whether a file is about graphs on clusters whose kernels, if there are some, meet in one queue of blocks, as the
/// published method of pipelined graphs has them.
[[nodiscard]] auto has_graphs(const workload_file& file, const policy_query& q, std::int32_t clusters) -> bool {
  const bool queue = file.board.gpus.empty() || split_policy(q.policy).name == fifo_blocks_policy::name;
  const bool in_order = file.rules.copies.empty() || file.rules.copies == "fifo";
  return queue && in_order && is_one_of(q.cpus, graph_rules) && clusters <= static_cast<std::int32_t>(max_clusters) &&
         analysis::are_graphs(file.tasks, file.board);
}

/// Asks about overlapping jobs of graphs where the file does, or points of nodes order them.
[[nodiscard]] auto ask_for_pipelines(const workload_file& file, bool own, std::int32_t clusters, policy_input& out)
    -> std::optional<input_error> {
  auto& q = out.question;
  const bool by_points = q.cpus == "gel";
  const bool is_asked = file.rules.pipelined || by_points;
  const bool is_of_queue = own || split_policy(q.policy).name == fifo_blocks_policy::name;
  q.overlapping_graphs = is_asked && is_of_queue && has_graphs(file, q, clusters);
  if (!file.rules.pipelined || q.overlapping_graphs) { return std::nullopt; }
  if (own && is_one_of(q.cpus, graph_rules)) {
    return input_error{"/platform/cpus/pipelined",
                       "is about graphs with times or blocks, without jitter and token sections, on one GPU at most",
                       "such tasks under \"fifo-blocks\", or no such key"};
  }
  out.notes.emplace_back(
      "jobs of a task do not overlap here: \"pipelined\" is about global rules and one queue of blocks");
  return std::nullopt;
}

[[nodiscard]] auto cost_of(const transfer_cost& cost) -> linear_cost<ticks> {
  return {.setup = cost.setup, .numerator = 1000, .denominator = cost.bytes_per_us};
}

/// What a file says of GPUs with locked engines of their own, where its tasks hold tokens for them under a policy and a
/// rule of processors. `own`: the policy is the file's; else the file must say that GPUs have engines.
[[nodiscard]] auto locked_engines(const workload_file& file, const policy_query& q, bool own)
    -> std::optional<gpusync_board<>> {
  if (!is_one_of(split_policy(q.policy).name, section_policies) || !is_one_of(q.cpus, section_rules) ||
      file.board.gpus.empty() || !file.board.own.empty() || !file.rules.copies.empty()) {
    return {};
  }
  const gpu_facts& facts = file.gpus[0];
  const bool stated = own || facts.copy_engines || facts.copies;
  if (!stated || !analysis::have_marked_sections(file.tasks)) { return {}; }
  const sharing_rule& rule = file.rules.gpus;
  gpusync_board<> out;
  auto& shape = out.shape;
  shape.gpus = static_cast<std::int32_t>(file.board.gpus.size());
  shape.gpu_cluster_size = shape.gpus / rule.clusters.value_or(1);
  if (rule.engine_order == "priority") { shape.engines = service_order::priority; }
  if (rule.migration == "peer-to-peer") { shape.migration = migration_path::peer_to_peer; }
  if (rule.migration == "system-memory") { shape.migration = migration_path::system_memory; }
  if (rule.uncontended == "dedicated") { shape.uncontended = uncontended_gpus::dedicated; }
  if (facts.copy_engines) { shape.copy_engines = *facts.copy_engines; }
  if (const auto& copies = facts.copies) {
    if (copies->chunk > 0) { shape.dma_chunk = copies->chunk; }
    out.costs.kinds = {cost_of(*copies->to_device), cost_of(*copies->to_host),
                       cost_of(copies->peer.value_or(*copies->to_device))};
  }
  if (file.overheads) { out.overheads = *file.overheads; }
  return out;
}

/// Cores for rules of clusters, and none where a file names clusters for a rule of cores.
void translate_cores(const workload_file& file, bool to_clusters, policy_input& out) {
  const bool from_clusters = is_cluster_keyword(file.rules.cpus);
  const std::int32_t cluster_size = std::max(file.board.processors / cluster_count(file), 1);
  for (runtime_task& t : out.tasks->tasks) {
    if (t.core == unassigned_core || !from_clusters) { continue; }
    t.core = to_clusters ? t.core * cluster_size : unassigned_core;
  }
}

[[nodiscard]] auto choice_note(string_view what, const std::vector<std::string>& chosen) -> std::string {
  return fmt::format("{} chosen by this program, the file names none: {}", what, fmt::join(chosen, ", "));
}

/// Gives kernels for one SM that name none an SM.
void place(const workload_file& file, policy_input& out) {
  std::vector<std::string> chosen;
  place_kernels(*out.tasks, file.board.gpus.empty() ? 0 : file.board.gpus[0].sms,
                [&](std::size_t task, std::int32_t sm) {
                  chosen.push_back(fmt::format("{} on {}", file.tasks.tasks[task].name, sm));
                });
  if (!chosen.empty()) { out.notes.push_back(choice_note("SMs", chosen)); }
}

[[nodiscard]] auto add_contention(const workload_file& file, policy_input& out) -> std::optional<input_error> {
  const auto contention = contention_of(file);
  out.alone = std::move(out.tasks);
  const auto longer = std::make_unique<runtime_conversion<file_tasks>>(with_contention(*out.alone, contention));
  if (longer->error) { return explain_fault(file, longer->error); }
  out.tasks = std::make_unique<file_tasks>(longer->tasks);
  const auto words = report::contention_words(file.tasks, contention);
  out.notes.insert(out.notes.end(), words.begin(), words.end());
  return std::nullopt;
}

[[nodiscard]] auto add_overheads(const workload_file& file, policy_input& out) -> std::optional<input_error> {
  if (!file.overheads) { return std::nullopt; }
  if (locks_gpus(published_policies, out.question.policy)) {
    return input_error{
        "/platform/overheads",
        fmt::format("are not charged under {}, where who holds a token lets the next one in", out.question.policy),
        "none, where times contain them, or a policy without tokens"};
  }
  const auto charged = std::make_unique<runtime_conversion<file_tasks>>(
      with_overheads(*out.tasks, *file.overheads, handover_under(published_policies, out.question.policy)));
  if (charged->error) {
    return charged->error.task < file.tasks.size() ? explain_fault(file, charged->error)
                                                   : refused_at("/platform/overheads", charged->error);
  }
  *out.tasks = charged->tasks;
  out.notes.emplace_back("steps take what the operating system adds besides: dispatches, interrupts, system calls");
  return std::nullopt;
}

/// What a verdict makes of offsets and of strict periods.
void add_release_notes(const workload_file& file, const judged_policy& found, std::vector<std::string>& notes) {
  const bool some_are_strict = std::ranges::any_of(file.tasks.tasks, [](const runtime_task& t) { return t.strict; });
  const bool by_clock = found.verdict.method == "hyperperiod";
  if (some_are_strict && !by_clock) {
    notes.emplace_back(
        "strict periods and their offsets count in chains, simulations and runs; the verdict is about any releases at "
        "least a period apart");
  } else if (!some_are_strict && has_offsets(file)) {
    notes.emplace_back(
        "offsets of first releases count in chains, simulations and runs; verdicts are about any, also all together");
  }
}

/// Notes on choices and priorities go before all others.
void add_notes(const workload_file& file, const policy_input& input, const judged_policy& found,
               report::verdict_summary& out) {
  std::vector<std::string> notes = file.notes;
  notes.insert(notes.end(), input.notes.begin(), input.notes.end());
  add_release_notes(file, found, notes);
  const bool are_said = !file.plan.cores.empty() && is_cluster_keyword(file.rules.cpus);
  const auto chosen = are_said ? std::vector<std::string>{}
                               : report::chosen_places(file.tasks, file.board, found, input.question.cluster_size);
  if (!chosen.empty()) { notes.push_back(choice_note(is_cluster_keyword(found.cpus) ? "clusters" : "cores", chosen)); }
  const std::string priorities =
      file.rules.gpus.sharing == "shares" && has_kernels_only(file) ? "as given, the greater goes first"
      : !file.plan.priorities.empty()                               ? "as the plan says"
                                      : report::priority_words(file.tasks, found.cpus, found.verdict.plan.priorities);
  if (!priorities.empty()) { notes.push_back("priorities: " + priorities); }
  for (const std::string& a : acknowledged_omissions(file)) { notes.push_back("assumed: " + a); }
  for (const std::string& remark : file.remarks) { notes.push_back(report::visible(remark)); }
  out.notes.insert(out.notes.begin(), notes.begin(), notes.end());
}

constexpr std::array<string_view, 3> keys_of_new_meaning{"virtual_per_sm", "interleave", "preemption_cost"};

/// Whether a key that the file leaves out counts under the policy of a verdict.
[[nodiscard]] auto counts_under(const judged_policy& found, const unsaid_key& key) -> bool {
  return key.key != "preemption_cost" || is_one_of(split_policy(found.policy).name, kernel_sharings);
}

/// What the file does not say, as assumptions, and in one line what versions before this one read in another way.
void add_unsaid(const workload_file& file, const judged_policy& found, report::verdict_summary& out) {
  std::vector<std::string> changed;
  const std::vector<std::string> before = out.assumptions;
  for (const unsaid_key& key : file.unsaid) {
    if (!counts_under(found, key)) { continue; }
    const std::string quoted = fmt::format("\"{}\"", key.key);
    const bool is_said =
        std::ranges::any_of(before, [&](const std::string& a) { return a.find(quoted) != std::string::npos; });
    if (!is_said) { out.assumptions.push_back(assumption_of(key)); }
    if (is_one_of(key.key, keys_of_new_meaning)) { changed.push_back(fmt::format("{} {}", key.key, key.taken)); }
  }
  if (!changed.empty()) {
    out.notes.push_back(fmt::format("left out, and read in another way by earlier versions: {}; see docs/defaults.md",
                                    fmt::join(changed, "; ")));
  }
}

/// Every verdict says of how many virtual SMs an SM is, where it is not one.
void add_virtual_sms(const workload_file& file, report::verdict_summary& out) {
  const bool is_said = std::ranges::any_of(
      out.platform_words, [](const std::string& words) { return words.find(" virtual") != std::string::npos; });
  for (const gpu_hardware& gpu : file.board.gpus) {
    if (is_said || gpu.virtual_per_sm == 1 || out.platform_words.empty()) { continue; }
    out.platform_words.push_back(report::plural(gpu.sms, "SM") + report::detail::virtual_words(gpu.virtual_per_sm));
  }
}

/// Of a system that is not all in the file nothing is proven but that it misses deadlines: what is left out can only
/// make it slower.
template <class Verdict>
void withhold(Verdict& v) {
  if (v.status == verdict_status::schedulable) { v.status = verdict_status::not_proven; }
  for (auto& t : v.tasks) {
    t.bound = {};
    if constexpr (requires { t.parts.sum(); }) { t.parts.clear(); }
    t.meets = false;
  }
}

void add_omissions(const workload_file& file, report::verdict_summary& out) {
  if (is_incomplete(file)) {
    withhold(out);
    for (report::task_summary& t : out.tasks) {
      t.terms.clear();
      t.parts_of_visits.clear();
      t.demand.clear();
      t.other_bounds.clear();
    }
  }
  const auto open = open_omissions(file);
  out.findings.insert(out.findings.begin(), open.begin(), open.end());
  const auto taken = acknowledged_omissions(file);
  out.assumptions.insert(out.assumptions.end(), taken.begin(), taken.end());
}

/// "A57_0 A57, Denver": what the file says of its cores.
[[nodiscard]] auto core_names(const workload_file& file) -> std::string {
  std::vector<std::string> names;
  for (const core_facts& c : file.cores) {
    names.push_back(c.type.empty() ? c.name : c.name.empty() ? c.type : c.name + " " + c.type);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

auto own_cpu_rule(const workload_file& file) -> std::string {
  const sharing_rule& rule = file.rules.gpus;
  const bool own = has_kernels_only(file);
  if (!own && file.board.processors > 0) { return std::string{file.rules.cpus}; }
  if (!rule.policy.empty()) { return std::string{rule.policy}; }
  return is_one_of(rule.sharing, kernel_sharings) ? "edf" : std::string{file.rules.cpus};
}

auto asked_of(const workload_file& file, const rule_wishes& wishes) -> std::variant<policy_input, input_error> {
  policy_input out;
  auto& q = out.question;
  const bool own = wishes.policy.empty();
  q.policy = own ? report::keyword_of_rule(file.rules.gpus) : wishes.policy;
  q.cpus = wishes.cpus.empty() ? own_cpu_rule(file) : wishes.cpus;
  q.begin_search = patient_search;
  if (own) {
    q.own = file.rules.gpus;
    q.granted = granted_by(file);
  }
  const bool orders_kernels = has_kernels_only(file) && is_one_of(split_policy(q.policy).name, kernel_sharings);
  // No task has a point where none visits a processor: kernels go by priorities then.
  if (q.granted || (q.cpus == "gel" && orders_kernels)) { q.cpus = "fixed-priority"; }
  if (auto fault = fault_of_policy(own ? "/platform/gpus/0/sharing" : "--policy", q.policy)) { return *fault; }
  if (auto fault = fault_of_cpu_rule(wishes.cpus.empty() ? "/platform/cpus/policy" : "--cpus", q.cpus)) {
    return *fault;
  }
  const bool to_clusters = is_cluster_keyword(q.cpus);
  if (to_clusters && is_bound_to_cores(file)) {
    return input_error{"--cpus", fmt::format("\"{}\" moves tasks between cores of different types", q.cpus),
                       "a rule that keeps tasks on cores: tasks have times by type"};
  }
  const std::int32_t clusters = to_clusters ? file.rules.clusters.value_or(1) : 1;
  q.cluster_size = std::max(file.board.processors / clusters, 1);
  if (auto fault = ask_for_pipelines(file, own, clusters, out)) { return *fault; }
  out.tasks = std::make_unique<file_tasks>(file.tasks);
  translate_cores(file, to_clusters, out);
  q.engines = locked_engines(file, q, own);
  for (std::size_t i = 0; i < out.tasks->size() && q.engines; ++i) {
    out.tasks->tasks[i].gpu = file.more[i].gpu_cluster.value_or(unassigned_core);
  }
  if (auto fault = add_given_plan(file, out)) { return *fault; }
  place(file, out);
  if (!q.granted && file.contention && !serves_one_kernel(published_policies, q.policy)) {
    if (auto fault = add_contention(file, out)) { return *fault; }
  }
  if (!q.engines) {
    if (auto fault = add_overheads(file, out)) { return *fault; }
  }
  out.has_overheads = !q.engines && file.overheads.has_value();
  out.timers_are_late = file.overheads && file.overheads->event_latency != 0;
  return out;
}

auto input_of(const workload_file& file, const rule_wishes& wishes) -> policy_input {
  auto asked = asked_of(file, wishes);
  if (auto* const refused = std::get_if<input_error>(&asked)) { throw std::move(*refused); }
  return std::get<policy_input>(std::move(asked));
}

auto has_own_sms(string_view policy) -> bool {
  return policy == federated_policy::name || policy == federated_shared_policy::name;
}

auto asks_for_runs(const policy_input& input, const rule_wishes& wishes, const judged_policy& found) -> bool {
  return has_own_sms(input.question.policy) && !wishes.any() && !found.simulate &&
         found.verdict.status == verdict_status::not_proven;
}

auto judge_file(const workload_file& file, const policy_input& input, std::int64_t factor)
    -> std::unique_ptr<judged_policy> {
  auto out = report::judge_input(
      input, [&](const policy_query& q, const file_tasks& tasks) { return judge_policy(q, tasks, file.board); },
      factor);
  if (out != nullptr && is_incomplete(file)) { withhold(out->verdict); }
  return out;
}

auto question_about(const policy_input& input, const judged_policy& found) -> policy_query {
  policy_query out = input.question;
  out.given = std::make_shared<plan<file_tasks::max_tasks, file_tasks::max_visits>>(found.verdict.plan);
  out.may_guard = false;
  out.chosen.tokens_per_gpu = found.rule.tokens_per_gpu;
  out.chosen.levels = found.rule.levels;
  out.chosen.slice = found.rule.slice;
  out.chosen.slots = found.rule.slots;
  out.begin_search = {};
  return out;
}

auto judge_its_plan(const workload_file& file, const policy_input& input, const judged_policy& found,
                    std::int64_t factor) -> std::unique_ptr<judged_policy> {
  auto out = report::judge_input(
      input, question_about(input, found),
      [&](const policy_query& q, const file_tasks& tasks) { return judge_policy(q, tasks, file.board); }, factor);
  if (out != nullptr && is_incomplete(file)) { withhold(out->verdict); }
  return out;
}

auto summary_of(const workload_file& file, const judged_policy& found) -> report::verdict_summary {
  auto out = report::summarize(found, file.tasks, file.board,
                               {.contention = file.contention.has_value(), .overheads = file.overheads.has_value()},
                               missing_of(file, found));
  add_omissions(file, out);
  return out;
}

auto explained_summary(const workload_file& file, const policy_input& input, judged_policy& found)
    -> report::verdict_summary {
  judged_policy::explanation said;
  if (found.explain) {
    on_large_stack([&] { said = found.explain(found, *input.tasks, file.board); });
  }
  if (!said) {
    said = summary_of(file, found);
  } else {
    if (!file.cores.empty() && !said->platform_words.empty()) {
      said->platform_words[0] += fmt::format(" [{}]", core_names(file));
    }
    const report::tree own = said->allocation;
    report::detail::add_plan(found, file.tasks, file.board, *said);  // what was proven, and nothing else
    // Methods that hand out something else than SMs say so themselves: shares that are not lasting ones, SMs of one's
    // own.
    const auto& parts = own.members();
    if (found.rule.sharing == "shares" || (!parts.empty() && parts.front().first == "core")) { said->allocation = own; }
    report::name_steps(file.tasks, *said);
    if (auto proven = report::closed_part_words(*said); !proven.empty() && !is_incomplete(file)) {
      said->findings.push_back(std::move(proven));
    }
    add_omissions(file, *said);
  }
  add_virtual_sms(file, *said);
  add_unsaid(file, found, *said);
  add_notes(file, input, found, *said);
  return std::move(*said);
}

}  // namespace takt::program
