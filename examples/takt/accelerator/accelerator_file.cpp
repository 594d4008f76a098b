// SPDX-License-Identifier: Apache-2.0
#include "accelerator_file.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/model/accelerator_fault.hpp>
#include <takt/model/located.hpp>
#include <takt/report/fault_text.hpp>
#include <takt/rules/priority_order.hpp>

#include "../worst_fit.hpp"

namespace takt::program {

namespace {

using std::string_view;

[[nodiscard]] auto rule_of(const workload_file& from) -> accelerator_rule_fields {
  const sharing_rule& rule = from.rules.gpus;
  accelerator_rule_fields out;
  out.sharing = rule.sharing;
  if (!rule.policy.empty()) { out.policy = rule.policy; }
  if (!rule.order.empty()) { out.order = rule.order; }
  if (rule.cost_model == "ideal") { out.cost = preemption_cost_model::ideal; }
  if (rule.cost_model == "overhead") { out.cost = preemption_cost_model::overhead; }
  if (rule.slots) {
    out.slot_period = duration{rule.slots->period};
    if (const auto& s = rule.slots->pinned) { out.pinned = {duration{s->offset}, duration{s->budget}}; }
    if (const auto& s = rule.slots->gang) { out.gang = {duration{s->offset}, duration{s->budget}}; }
  }
  return out;
}

[[nodiscard]] auto task_of(const described_task& t, const described_visit& kernel) -> accelerator_task<ticks> {
  accelerator_task<ticks> out{.name = t.name};
  out.wcet = kernel.wcet;
  out.period = t.period;
  out.deadline = t.deadline;
  out.priority = t.priority;
  out.preemption_cost = kernel.known.has(visit_fact::preemption_cost) ? kernel.preemption_cost : 0;
  out.width = kernel.known.has(visit_fact::pinning) ? kernel.width : kernel_width::all_cores;
  out.core = kernel.known.has(visit_fact::pinning) ? kernel.sm : any_core;
  return out;
}

/// Gives kernels for one core that name none, largest utilisation first, the core that is used least so far.
void place_on_cores(accelerator_file& file) {
  auto& tasks = file.table.tasks;
  const auto load_of = [](const auto& t) { return static_cast<double>(t.wcet) / static_cast<double>(t.period); };
  std::vector<double> load(static_cast<std::size_t>(file.accelerator.cores));
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].width != kernel_width::one_core) { continue; }
    if (tasks[i].core == any_core) {
      free.push_back(i);
    } else {
      load[static_cast<std::size_t>(tasks[i].core)] += load_of(tasks[i]);
    }
  }
  if (free.empty()) { return; }
  file.notes.push_back(
      place_worst_fit(tasks, free, std::move(load), "SMs", [&](std::size_t i) { return load_of(tasks[i]); }));
}

void note_priorities(accelerator_file& file) {
  if (file.rule.policy == "edf") { return; }
  const string_view order = file.rule.policy == "rate-monotonic" ? name_of_order(file.table, by_period{})
                            : file.rule.policy == "deadline-monotonic"
                                ? name_of_order(file.table, by_relative_deadline{})
                                : name_of_order(file.table, by_given_priority{});
  file.notes.push_back(fmt::format("priorities: {}", order));
}

}  // namespace

auto explain_fault(const accelerator_file& file, const model_error& error) -> input_error {
  if (error.task == nowhere) {
    const bool period = error.fault == model_fault::period_not_positive;
    const bool slots = error.fault == model_fault::slot_out_of_range || error.fault == model_fault::slots_overlap;
    return refused_at(period ? "/platform/gpus/0/slots/period" : slots ? "/platform/gpus/0/slots" : "/tasks", error);
  }
  const std::string where = step_into("/tasks", error.task);
  const bool of_kernel = error.fault == model_fault::kernel_time_not_positive ||
                         error.fault == model_fault::preemption_cost_exceeds_time ||
                         error.fault == model_fault::negative_time;
  const string_view field = error.fault == model_fault::negative_time ? "preemption_cost" : describe(error.fault).field;
  const std::string at = of_kernel ? where + "/segments/0/kernel" : where;
  return refused_at(field.empty() ? at : step_into(at, field), takt::located(error, file.table.tasks));
}

auto whole_kernels_of(std::unique_ptr<workload_file> from) -> std::unique_ptr<accelerator_file> {
  auto out = std::make_unique<accelerator_file>();
  const gpu_hardware& gpu = from->board.gpus[0];
  out->name = from->name;
  out->accelerator.cores = gpu.sms;
  if (gpu.preemption_levels > 0) { out->accelerator.preemption_levels = gpu.preemption_levels; }
  out->rule = rule_of(*from);
  for (const described_task& t : from->tasks.tasks) { out->table.add(task_of(t, from->tasks.visits[t.first_visit])); }
  out->notes = from->notes;
  out->from = std::move(from);
  if (const auto error = validate(out->table, out->accelerator)) { throw explain_fault(*out, error); }
  place_on_cores(*out);
  note_priorities(*out);
  with_accelerator(*out, [&](const auto& p) {
    using rule = typename std::remove_cvref_t<decltype(p)>::accelerator_rule;
    if (const auto error = p.validate()) { throw explain_fault(*out, error); }
    if (const auto error = fits_accelerator<rule>(out->table, out->accelerator)) { throw explain_fault(*out, error); }
  });
  return out;
}

}  // namespace takt::program
