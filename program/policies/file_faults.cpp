// SPDX-License-Identifier: Apache-2.0
#include "policy_input.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <takt/model/located.hpp>
#include <takt/report/fault_text.hpp>

// Where in a file what is wrong, or missing, stands.

namespace takt::program {

namespace {

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
                      fmt::format("is no part of the policy \"{}\" for these tasks", report::keyword_of_rule(rule)),
                      "no such key, or --policy in place of the file's rule"};
  }
}

}  // namespace

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
  const runtime_task& t = file.tasks.tasks[task];
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
    const bool of_plan = error.fault == model_fault::plan_does_not_fit || error.fault == model_fault::plan_part_unused;
    return refused_at(of_slots                               ? "/platform/gpus/0/slots"
                      : of_period                            ? "/platform/gpus/0/slots/period"
                      : of_tasks                             ? "/tasks"
                      : of_plan && file.plan != plan_facts{} ? "/plan"
                                                             : "/platform",
                      error);
  }
  const runtime_task& t = file.tasks.tasks[error.task];
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
    const runtime_visit* const v = is_visit ? &file.tasks.visit(m.task, m.visit) : nullptr;
    // Bytes take the time that the GPU's copy model gives them.
    const bool by_bytes = v != nullptr && v->where == resource_kind::copy_engine && v->bytes > 0;
    report::missing_words words{place_of(file, m.task, m.visit), std::string{m.fact}};
    if (by_bytes) { words = {"/platform/gpus/0", "copy_model"}; }
    const auto is_said = [&](const report::missing_words& w) { return w.at == words.at && w.fact == words.fact; };
    if (!by_bytes || std::ranges::none_of(out, is_said)) { out.push_back(std::move(words)); }
  }
  return out;
}

}  // namespace takt::program
