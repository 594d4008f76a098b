// SPDX-License-Identifier: Apache-2.0
#include "policy_input.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include <takt/allocation/worst_fit.hpp>
#include <takt/analysis/with_overheads.hpp>
#include <takt/core/checked.hpp>
#include <takt/model/described_visits.hpp>
#include <takt/model/located.hpp>
#include <takt/model/scaled.hpp>
#include <takt/report/comparison_words.hpp>
#include <takt/report/fault_text.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/miss_words.hpp>
#include <takt/report/path_terms.hpp>
#include <takt/report/table.hpp>

#include "../fields.hpp"
#include "../large_stack.hpp"
#include "file_policies.hpp"
#include "published_shapes.hpp"

namespace takt::program {

namespace {

constexpr std::int64_t million = 1'000'000;

/// Whether no task ever visits a processor, so that the order of kernels is theirs alone.
[[nodiscard]] auto has_kernels_only(const workload_file& file) -> bool {
  return std::ranges::all_of(file.tasks.visits, [](const auto& v) { return v.where == visit_place::gpu; });
}

/// Fields of a file's own rule that the rules of pools do not have.
void require_plain(const workload_file& file, const judged_policy& found) {
  const sharing_rule& rule = file.rules.gpus;
  const std::pair<std::string_view, bool> fields[] = {
      {"policy", !rule.policy.empty() && rule.policy != found.cpus},
      {"engine_order", rule.engine_order == "priority" && found.rule.engine_order.empty()},
      {"migration", !rule.migration.empty() && rule.migration != "none" && found.rule.migration.empty()},
      {"uncontended", rule.uncontended == "dedicated" && found.rule.uncontended.empty()},
      {"rules", !rule.rules.empty() && !found.explain},
      {"triggers", !rule.triggers.empty() && !found.explain}};
  for (const auto& [key, used] : fields) {
    if (!used) { continue; }
    throw input_error{fmt::format("/platform/gpus/0/{}", key),
                      fmt::format("is no part of the policy \"{}\" for these tasks", policy_of(file)),
                      "no such key, or --policy in place of the file's rule"};
  }
}

/// Of a task, what all others together may add to its kernels, in parts per million.
[[nodiscard]] auto growth_of(const workload_file& file, std::size_t task) -> std::int64_t {
  std::int64_t out = 0;
  if (!file.contention) { return out; }
  for (const slow_down& s : *file.contention) { out += s.slowed == task ? s.ppm : 0; }
  return out;
}

/// All times of a kernel, longer by so many parts per million. False on overflow.
[[nodiscard]] auto lengthen(described_visit& v, file_tasks& tasks, std::int64_t ppm) -> bool {
  bool fits = true;
  const auto grow = [&](ticks& time) {
    ticks product = 0;
    fits = checked_multiply(time, million + ppm, product) && fits;
    time = ceil_divide<ticks>(product, million);
  };
  for (ticks* const time : {&v.work.upper, &v.overhead, &v.block_length, &v.wcet}) { grow(*time); }
  for (std::uint32_t i = 0; i < v.samples && v.known.has(visit_fact::times_on_sms); ++i) {
    grow(tasks.samples[v.first_sample + i].upper);
  }
  if (!v.known.has(visit_fact::wcet_by_share)) { return fits; }
  std::array<ticks, wcet_row::shares> times{};
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i] = tasks.rows[v.row].at(share::bounded(static_cast<std::int32_t>(i + 1)));
    if (times[i] != unbounded_time) { grow(times[i]); }
  }
  tasks.rows[v.row] = wcet_row::measured(times);
  return fits;
}

void add_contention(const workload_file& file, policy_input& out) {
  for (std::size_t i = 0; i < out.tasks->size(); ++i) {
    const std::int64_t ppm = growth_of(file, i);
    if (ppm == 0) { continue; }
    const described_task& t = out.tasks->tasks[i];
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      described_visit& v = out.tasks->visits[t.first_visit + p];
      if (v.where == visit_place::gpu && !lengthen(v, *out.tasks, ppm)) {
        throw explain_fault(file, fault_at(model_fault::time_overflow, i, p));
      }
    }
    out.notes.push_back(fmt::format("kernels of {} take {}.{:04} % more beside those of other tasks", t.name,
                                    ppm / 10'000, ppm % 10'000));
  }
}

[[nodiscard]] auto choice_note(std::string_view what, const std::vector<std::string>& chosen) -> std::string {
  return fmt::format("{} chosen by this program, the file names none: {}", what, fmt::join(chosen, ", "));
}

/// Gives kernels for one SM that name none, greatest load first, the SM that is used least so far.
void place_kernels(const workload_file& file, policy_input& out) {
  auto& visits = out.tasks->visits;
  std::vector<const described_task*> owner(visits.size());
  for (const described_task& t : out.tasks->tasks) {
    for (std::uint32_t p = 0; p < t.visit_count; ++p) { owner[t.first_visit + p] = &t; }
  }
  const std::int32_t sms = file.board.gpus.empty() ? 0 : file.board.gpus[0].sms;
  const auto is_pinned = [&](std::size_t i) {
    return visits[i].known.has(visit_fact::pinning) && !needs_all_cores(visits[i].width);
  };
  std::vector<std::string> chosen;
  if (sms < 1) { return; }
  (void)place_worst_fit<max_file_visits>(
      visits.size(), sms,
      [&](std::size_t i) { return is_pinned(i) ? demand_of_place(visits[i].wcet, owner[i]->period) : 0; },
      [&](std::size_t i) { return is_pinned(i) ? visits[i].sm : sms; },
      [&](std::size_t i, std::int32_t sm) {
        visits[i].sm = sm;
        chosen.push_back(fmt::format("{} on {}", owner[i]->name, sm));
      });
  if (!chosen.empty()) { out.notes.push_back(choice_note("SMs", chosen)); }
}

void add_overheads(const workload_file& file, policy_input& out) {
  if (!file.overheads) { return; }
  if (locks_gpus(out.question.policy)) {
    throw input_error{
        "/platform/overheads",
        fmt::format("are not charged under {}, where who holds a token lets the next one in", out.question.policy),
        "none, where times contain them, or a policy without tokens"};
  }
  const auto charged = std::make_unique<description<file_tasks>>(
      with_overheads(*out.tasks, *file.overheads, handover_under(out.question.policy)));
  if (charged->error) {
    throw charged->error.task < file.tasks.size() ? explain_fault(file, charged->error)
                                                  : refused_at("/platform/overheads", charged->error);
  }
  *out.tasks = charged->tasks;
  out.notes.emplace_back("steps take what the operating system adds besides: dispatches, interrupts, system calls");
}

/// Where kernels are all that there is, those of which nobody says what it costs to stop them are stopped at once.
void stop_at_once(const workload_file& file, policy_input& out) {
  static constexpr std::string_view sharings[] = {"levels", "slots", "gang", "single-stream"};
  if (std::ranges::find(sharings, file.rules.gpus.sharing) == std::end(sharings) || !has_kernels_only(file)) { return; }
  bool any = false;
  for (described_visit& v : out.tasks->visits) {
    if (v.known.has(visit_fact::preemption_cost)) { continue; }
    any = true;
    v.known.add(visit_fact::preemption_cost);
    v.preemption_cost = 0;
  }
  if (any) { out.notes.emplace_back("kernels without preemption_cost are taken to stop at once"); }
}

/// Cores for rules of clusters, and none where a file names clusters for a rule of cores.
void translate_cores(const workload_file& file, bool to_clusters, policy_input& out) {
  const bool from_clusters = is_global(file.rules.cpus);
  const std::int32_t together = std::max(file.board.processors / cluster_count(file), 1);
  for (described_task& t : out.tasks->tasks) {
    if (t.core == any_core || !from_clusters) { continue; }
    t.core = to_clusters ? t.core * together : any_core;
  }
}

[[nodiscard]] auto entries(const std::vector<std::pair<std::string, std::int64_t>>& all) -> std::string {
  std::vector<std::string> out;
  for (const auto& [name, value] : all) { out.push_back(fmt::format("{} {}", name, value)); }
  return fmt::format("{}", fmt::join(out, ", "));
}

/// What was chosen, in words.
[[nodiscard]] auto plan_words(const workload_file& file, const judged_policy& found) -> std::string {
  const auto& p = found.verdict.plan;
  std::vector<std::string> parts;
  const auto add = [&](std::string_view what, const auto& part, const auto& value, const auto& counts) {
    std::vector<std::pair<std::string, std::int64_t>> all;
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (counts(part[i])) { all.emplace_back(file.tasks.tasks[i].name, value(part[i])); }
    }
    if (!all.empty()) { parts.push_back(fmt::format("{}: {}", what, entries(all))); }
  };
  const auto itself = [](std::int32_t n) { return n; };
  const auto always = [](const auto& /*entry*/) { return true; };
  const bool is_shared = found.rule.sharing == "shared";
  add(
      is_shared ? "virtual SMs" : "SMs", p.shares, [](const sm_share& s) { return s.sms; },
      [](const sm_share& s) { return s.sms > 0; });
  if (file.board.gpus.size() > 1) {
    add("GPU", p.shares, [](const sm_share& s) { return s.gpu; }, [](const sm_share& s) { return s.sms > 0; });
  }
  add("per cent of the GPU", p.percents, itself, [](std::int32_t n) { return n > 0; });
  if (found.rule.tokens_per_gpu) { parts.push_back(report::plural(*found.rule.tokens_per_gpu, "token") + " per GPU"); }
  if (found.rule.slots && found.rule.slots->period > 0) {
    const slot_times& s = *found.rule.slots;
    parts.push_back(fmt::format("slots: {} for single SMs and {} for all, every {}",
                                report::format_duration(s.pinned->budget), report::format_duration(s.gang->budget),
                                report::format_duration(s.period)));
  }
  if (file.board.processors > 1 && !is_global(found.cpus)) { add("cores", p.cores, itself, always); }
  add("priorities", p.priorities, itself, always);
  if (!p.offsets.empty()) { parts.emplace_back("offsets and local deadlines of visits"); }
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// "camera.detect", or the step of a chain.
[[nodiscard]] auto visit_names(const workload_file& file) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const described_task& t : file.tasks.tasks) {
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      const described_visit& v = file.tasks.visits[t.first_visit + p];
      out.push_back(v.name.empty() ? fmt::format("{} step {}", t.name, p)
                                   : fmt::format("{}.{} step {}", t.name, v.name, p));
    }
  }
  return out;
}

void add_platform(const workload_file& file, const judged_policy& found, report::verdict_summary& out) {
  report::tree platform{report::tree::object{}};
  const hardware& board = file.board;
  if (board.processors > 0) {
    out.platform_words.push_back(report::plural(board.processors, "core") + fmt::format(" ({})", found.cpus));
    report::tree cpus;
    cpus.add("count", board.processors).add("policy", found.cpus);
    platform.add("cpus", std::move(cpus));
  }
  if (board.copy_engines > 0) {
    out.platform_words.push_back(report::plural(board.copy_engines, "copy engine") +
                                 fmt::format(" ({})", found.copies));
    report::tree engines;
    engines.add("count", board.copy_engines).add("policy", found.copies);
    platform.add("copy_engines", std::move(engines));
  }
  report::tree gpus;
  for (const gpu_hardware& gpu : board.gpus) {
    out.platform_words.push_back(gpu.sms > 0
                                     ? fmt::format("a GPU of {} ({})", report::plural(gpu.sms, "SM"), found.policy)
                                     : fmt::format("a GPU ({})", found.policy));
    report::tree one;
    one.add("sms", gpu.sms).add("policy", std::string_view{found.policy}).add("sharing", found.rule.sharing);
    gpus.push(std::move(one));
  }
  if (!board.gpus.empty()) { platform.add("gpus", std::move(gpus)); }
  report::tree own;
  for (const own_hardware& o : board.own) {
    out.platform_words.push_back(fmt::format("{} {} ({})", o.count, o.name, found.devices));
    report::tree one;
    one.add("name", o.name).add("count", o.count).add("policy", found.devices);
    own.push(std::move(one));
  }
  if (!board.own.empty()) { platform.add("resources", std::move(own)); }
  out.platform = std::move(platform);
}

}  // namespace

auto own_cpu_rule(const workload_file& file) -> std::string {
  const sharing_rule& rule = file.rules.gpus;
  const bool own = has_kernels_only(file);
  if (!own && file.board.processors > 0) { return std::string{file.rules.cpus}; }
  if (!rule.policy.empty()) { return std::string{rule.policy}; }
  const bool by_deadline =
      rule.sharing == "levels" || rule.sharing == "slots" || rule.sharing == "gang" || rule.sharing == "single-stream";
  return by_deadline ? "edf" : std::string{file.rules.cpus};
}

auto board_words(const workload_file& file) -> std::vector<std::string> {
  std::vector<std::string> out;
  const hardware& board = file.board;
  if (board.processors > 0) { out.push_back(report::plural(board.processors, "core")); }
  if (board.copy_engines > 0) { out.push_back(report::plural(board.copy_engines, "copy engine")); }
  for (const gpu_hardware& gpu : board.gpus) {
    out.push_back(gpu.sms > 0 ? "a GPU of " + report::plural(gpu.sms, "SM") : "a GPU");
  }
  for (const own_hardware& o : board.own) { out.push_back(fmt::format("{} {}", o.count, o.name)); }
  return out;
}

auto input_of(const workload_file& file, const rule_wishes& wishes) -> policy_input {
  policy_input out;
  if (wishes.policy.empty()) { out.question.own = &file; }
  out.question.policy = wishes.policy.empty() ? policy_of(file) : wishes.policy;
  out.question.cpus = wishes.cpus.empty() ? own_cpu_rule(file) : wishes.cpus;
  const bool grants = out.question.own != nullptr && granted_shares::of(file);
  if (grants) { out.question.cpus = "fixed-priority"; }
  require_policy(wishes.policy.empty() ? "/platform/gpus/0/sharing" : "--policy", out.question.policy);
  require_cpu_rule(wishes.cpus.empty() ? "/platform/cpus/policy" : "--cpus", out.question.cpus);
  const bool to_clusters = is_global(out.question.cpus);
  const std::int32_t clusters = to_clusters && is_global(file.rules.cpus) ? cluster_count(file) : 1;
  out.question.together = std::max(file.board.processors / clusters, 1);
  out.tasks = std::make_unique<file_tasks>(file.tasks);
  translate_cores(file, to_clusters, out);
  out.question.engines = locked_engines(file, out.question.policy, out.question.cpus, out.question.own != nullptr);
  for (std::size_t i = 0; i < out.tasks->size() && out.question.engines; ++i) {
    out.tasks->tasks[i].gpu = file.more[i].gpu_cluster.value_or(any_core);
  }
  place_kernels(file, out);
  if (out.question.own != nullptr) { stop_at_once(file, out); }
  if (!grants && file.contention && !serves_one_kernel(out.question.policy)) {
    out.alone = std::make_unique<file_tasks>(*out.tasks);
    add_contention(file, out);
  }
  if (!out.question.engines) { add_overheads(file, out); }
  return out;
}

auto judge_input(const workload_file& file, const policy_input& input, std::int64_t factor)
    -> std::unique_ptr<judged_policy> {
  const auto judged = [&](const file_tasks& tasks) -> std::unique_ptr<judged_policy> {
    if (factor == 1000) { return judge_policy(input.question, tasks, file.board); }
    const auto longer = std::make_unique<description<file_tasks>>(scaled(tasks, factor));
    return longer->error ? nullptr : judge_policy(input.question, longer->tasks, file.board);
  };
  auto out = judged(*input.tasks);
  if (out == nullptr) { return out; }
  auto& v = out->verdict;
  if (v.status == verdict_status::unschedulable && input.alone) {
    const auto apart = judged(*input.alone);
    if (apart == nullptr || apart->verdict.status != v.status) {
      v.status = verdict_status::not_proven;
      out->misses.clear();
    }
  }
  if (!file.overheads || file.overheads->event_latency == 0 || v.plan.offsets.empty()) { return out; }
  v.status = verdict_status::not_proven;
  v.plan.offsets.clear();
  v.plan.local_deadlines.clear();
  v.plan.feasible = false;
  for (auto& t : v.tasks) {
    t.bound = {};
    t.meets = false;
  }
  return out;
}

void require_rules(const workload_file& file, const rule_wishes& wishes, const judged_policy& found) {
  if (wishes.policy.empty()) { require_plain(file, found); }
  // Fixed priorities are those of the processors, wherever these come from.
  const bool by_priority = file.rules.copies == "nonpreemptive-fixed-priority" && found.copies.ends_with("-monotonic");
  if (!wishes.any() && !file.rules.copies.empty() && file.rules.copies != found.copies && !by_priority) {
    throw input_error{"/platform/copy_engines/policy",
                      fmt::format("\"{}\" is not how engines serve under {}", file.rules.copies, found.policy),
                      fmt::format("\"{}\"", found.copies)};
  }
  for (std::size_t i = 0; !wishes.any() && i < file.rules.own.size(); ++i) {
    if (file.rules.own[i].empty() || file.rules.own[i] == found.devices) { continue; }
    throw input_error{fmt::format("/platform/resources/{}/policy", i),
                      fmt::format("\"{}\" is not how devices serve beside \"{}\"", file.rules.own[i], found.cpus),
                      fmt::format("\"{}\"", found.devices)};
  }
}

auto place_of(const workload_file& file, std::uint32_t task, std::uint32_t visit) -> std::string {
  if (task >= file.tasks.size()) { return "/platform"; }
  const described_task& t = file.tasks.tasks[task];
  return visit < t.visit_count ? file.visit_at[t.first_visit + visit] : file.task_at[task];
}

namespace {

/// Where a key of the format stands for a field of locked GPUs.
[[nodiscard]] auto place_of_engines(std::string_view field) -> std::string_view {
  if (field == "tokens_per_gpu") { return "/platform/gpus/0/tokens_per_gpu"; }
  if (field == "copy_engines") { return "/platform/gpus/0/copy_engines"; }
  if (field == "tokens" || field == "association") { return "/platform/gpus/0/protocol"; }
  return field == "dma_chunk" ? "/platform/gpus/0/dma/chunk" : field == "overheads" ? "/platform/overheads" : "";
}
[[nodiscard]] auto key_of_section(std::string_view field) -> std::string_view {
  if (field == "cpu_cluster") { return "/cluster"; }
  if (field == "gpu_cluster") { return "/gpu/cluster"; }
  if (field == "bytes" || field == "cpu_in_gpu_section") { return "/gpu"; }
  return field == "wcet" ? "/cpu" : "";
}

}  // namespace

auto explain_fault(const workload_file& file, const model_error& error) -> input_error {
  const fault_text text = describe(error.fault);
  if (error.task >= file.tasks.size()) {
    const bool of_slots = error.fault == model_fault::slot_out_of_range || error.fault == model_fault::slots_overlap;
    const bool of_period = error.fault == model_fault::period_not_positive;
    if (const std::string_view at = place_of_engines(text.field); !at.empty() && file.rules.gpus.sharing == "tokens") {
      input_error out = refused_at(std::string{at}, error);
      if (text.field == "tokens") { out.problem = "tokens " + out.problem; }
      return out;
    }
    const bool of_tasks = error.fault == model_fault::no_task || error.fault == model_fault::time_overflow;
    return refused_at(of_slots    ? "/platform/gpus/0/slots"
                      : of_period ? "/platform/gpus/0/slots/period"
                      : of_tasks  ? "/tasks"
                                  : "/platform",
                      error);
  }
  const described_task& t = file.tasks.tasks[error.task];
  model_error found = takt::located(error, file.tasks.tasks);
  const bool is_visit = error.visit < t.visit_count;
  const bool of_kernel = error.fault == model_fault::kernel_time_not_positive ||
                         error.fault == model_fault::preemption_cost_exceeds_time ||
                         error.fault == model_fault::negative_time;
  std::string_view field = is_visit ? std::string_view{} : text.field;
  if (error.fault == model_fault::time_overflow && file.rules.gpus.sharing == "shares") {
    field = "period";
    found.value = t.period;
    found.has_value = true;
  }
  std::string at = place_of(file, error.task, error.visit);
  if (of_kernel && !is_visit && t.visit_count == 1) {
    at = step_into(file.visit_at[t.first_visit], "kernel");
    field = text.field.empty() ? "preemption_cost" : text.field;
  }
  if (const std::string_view key = key_of_section(field); !key.empty() && file.rules.gpus.sharing == "tokens") {
    return refused_at(at + std::string{key}, found);
  }
  return refused_at(field.empty() ? at : step_into(at, field), found);
}

auto missing_of(const workload_file& file, const judged_policy& found) -> std::vector<report::missing_words> {
  std::vector<report::missing_words> out;
  for (const missing_part& m : found.missing) {
    const bool is_visit = m.task < file.tasks.size() && m.visit < file.tasks.tasks[m.task].visit_count;
    const described_visit* const v = is_visit ? &file.tasks.visit(m.task, m.visit) : nullptr;
    // Bytes take the time that the GPU's copy model gives them.
    const bool by_bytes = v != nullptr && v->where == visit_place::copy_engine && v->bytes > 0;
    report::missing_words words{place_of(file, m.task, m.visit), std::string{m.fact}};
    if (by_bytes) { words = {"/platform/gpus/0", "copy_model"}; }
    const auto is_said = [&](const report::missing_words& w) { return w.at == words.at && w.fact == words.fact; };
    if (!by_bytes || std::ranges::none_of(out, is_said)) { out.push_back(std::move(words)); }
  }
  return out;
}

namespace {

/// Who has which priority, where tasks have some.
[[nodiscard]] auto priority_note(const workload_file& file, std::string_view cpus) -> std::string {
  const auto& tasks = file.tasks.tasks;
  const auto given = std::ranges::count_if(tasks, [](const auto& t) { return t.priority != no_priority; });
  if (file.rules.gpus.sharing == "shares" && has_kernels_only(file)) {
    return "priorities: as given, the greater goes first";
  }
  if (cpus.ends_with("rate-monotonic")) { return "priorities: rate monotonic"; }
  if (cpus.ends_with("deadline-monotonic")) { return "priorities: deadline monotonic"; }
  if (!cpus.ends_with("fixed-priority")) { return {}; }
  if (given == static_cast<std::ptrdiff_t>(tasks.size())) { return "priorities: as given"; }
  return given == 0 ? "priorities: deadline monotonic"
                    : "priorities: deadline monotonic, because not every task has one";
}

void add_notes(const workload_file& file, const policy_input& input, const judged_policy& found,
               report::verdict_summary& out) {
  std::vector<std::string> notes = file.notes;
  notes.insert(notes.end(), input.notes.begin(), input.notes.end());
  std::vector<std::string> chosen;
  const auto& cores = found.verdict.plan.cores;
  for (std::size_t i = 0; i < cores.size() && file.board.processors > 1 && !is_global(found.cpus); ++i) {
    const described_task& t = file.tasks.tasks[i];
    if (t.core == any_core) { chosen.push_back(fmt::format("{} on {}", t.name, cores[i])); }
  }
  if (!chosen.empty()) { notes.push_back(choice_note("cores", chosen)); }
  const std::int32_t together = input.question.together;
  for (std::size_t i = 0; i < cores.size() && together < file.board.processors && is_global(found.cpus); ++i) {
    const described_task& t = file.tasks.tasks[i];
    if (t.core == any_core) { chosen.push_back(fmt::format("{} in {}", t.name, cores[i] / together)); }
  }
  if (!chosen.empty() && is_global(found.cpus)) { notes.push_back(choice_note("clusters", chosen)); }
  if (std::string words = priority_note(file, found.cpus); !words.empty()) { notes.push_back(std::move(words)); }
  out.notes.insert(out.notes.begin(), notes.begin(), notes.end());
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

auto summary_of(const workload_file& file, const policy_input& input, const judged_policy& found)
    -> report::verdict_summary {
  const auto& v = found.verdict;
  report::verdict_summary out = report::detail::begin_summary(v);
  add_platform(file, found, out);
  out.visits = visit_names(file);
  out.plan_words = plan_words(file, found);
  const std::size_t parts = std::max({v.plan.offsets.size(), v.plan.local_deadlines.size(), v.plan.instances.size()});
  while (out.visits.size() < parts) { out.visits.push_back(fmt::format("step {}", out.visits.size())); }
  out.allocation = report::detail::share_members(v.plan, out, file.board.gpus.size() > 1, file.tasks);
  out.plan = report::detail::plan_members(v.plan, out);
  for (const auto& [name, part] : out.allocation.members()) { out.plan.add(name, part); }
  out.visits.clear();
  if (found.rule.tokens_per_gpu) { out.plan.add("tokens_per_gpu", *found.rule.tokens_per_gpu); }
  for (report::task_summary& t : out.tasks) {
    if (!t.meets && !t.bound.exists && found.missing.empty()) {
      t.because = fmt::format("no bound is known under {}", found.policy);
    }
  }
  report::add_misses(out, found.misses);
  const auto lacking = report::missing_clauses(missing_of(file, found));
  if (!lacking.empty()) {
    out.findings.push_back(fmt::format("{} cannot be judged beyond that: {}.", found.policy, fmt::join(lacking, "; ")));
  }
  out.assumptions.emplace_back("Jobs of a task are released at least its period apart.");
  out.assumptions.emplace_back("Every step takes a time within its bounds, whatever runs elsewhere on the board.");
  if (!v.plan.offsets.empty()) {
    out.assumptions.emplace_back(
        "Steps keep the local deadlines of the plan, and none starts before its offset but where the rule lets it.");
  }
  if (!file.contention && !serves_one_kernel(found.policy)) {
    out.assumptions.emplace_back("Kernels of different tasks do not slow one another down beyond what is stated.");
  }
  if (file.overheads) {
    out.assumptions.emplace_back("The host hands devices on, and ends of their operations interrupt, above all tasks.");
  }
  report::add_path_terms(file.tasks, v, visit_names(file), out);
  add_notes(file, input, found, out);
  return out;
}

auto explained_summary(const workload_file& file, const policy_input& input, const judged_policy& found)
    -> report::verdict_summary {
  judged_policy::explanation said;
  if (found.explain) {
    on_large_stack([&] { said = found.explain(file, *input.tasks); });
  }
  if (!said) { return summary_of(file, input, found); }
  if (!file.cores.empty() && !said->platform_words.empty()) {
    said->platform_words[0] += fmt::format(" [{}]", core_names(file));
  }
  report::add_path_terms(file.tasks, found.verdict, visit_names(file), *said);
  add_notes(file, input, found, *said);
  return std::move(*said);
}

}  // namespace takt::program
