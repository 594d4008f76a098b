// SPDX-License-Identifier: Apache-2.0
#include "accelerator_file.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include <takt/model/accelerator_fault.hpp>
#include <takt/model/located.hpp>
#include <takt/report/fault_text.hpp>
#include <takt/rules/priority_order.hpp>

#include "../fields.hpp"
#include "../worst_fit.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::array<string_view, 4> sharings{"single-stream", "levels", "slots", "gang"};
constexpr std::array<string_view, 4> policies{"edf", "fixed-priority", "rate-monotonic", "deadline-monotonic"};
constexpr std::array<string_view, 3> costs{"ideal", "race", "overhead"};
constexpr std::array<string_view, 2> orders{"backfill", "strict"};
constexpr std::array<string_view, 2> widths{"one-core", "all-cores"};

constexpr std::array<string_view, 4> top_keys{"format", "name", "platform", "tasks"};
constexpr std::array<string_view, 3> platform_keys{"cpus", "copy_engines", "gpus"};
constexpr std::array<string_view, 13> gpu_keys{
    "sms",   "sharing",        "policy",      "preemption_levels", "cost_model",    "order", "slots", "threads_per_sm",
    "speed", "virtual_per_sm", "granularity", "blocks_per_sm",     "context_switch"};
constexpr std::array<string_view, 4> unused_gpu_keys{"threads_per_sm", "virtual_per_sm", "granularity", "speed"};
constexpr std::array<string_view, 3> slots_keys{"period", "pinned", "gang"};
constexpr std::array<string_view, 2> slot_keys{"offset", "budget"};
constexpr std::array<string_view, 5> task_keys{"name", "period", "deadline", "priority", "segments"};
constexpr std::array<string_view, 1> segment_keys{"kernel"};
constexpr std::array<string_view, 11> kernel_keys{
    "wcet",   "preemption_cost",   "width",  "core",         "work", "overhead", "interleave",
    "blocks", "threads_per_block", "length", "wcet_by_share"};
constexpr std::size_t first_unused_kernel_key = 4;

constexpr std::int32_t max_sms = 4096;
constexpr std::int32_t max_levels = 4096;

void note_unused(const located& v, string_view why, accelerator_file& out) {
  if (v) { out.notes.push_back(fmt::format("{} is not used: {}", v.where, why)); }
}

template <class Slot>
[[nodiscard]] auto read_slot(const located& v) -> Slot {
  const fields slot{v, slot_keys};
  const auto offset = slot.find("offset");
  return {duration{offset ? read_time(offset) : 0},
          duration{read_time(slot.require("budget", "how long the slot is open"))}};
}

void read_slots(const fields& gpu, accelerator_rule_fields& out) {
  const fields both{gpu.require("slots", "an object with period, pinned, gang"), slots_keys};
  out.slot_period = duration{read_time_from(both.require("period", "the time after which both slots recur"), 1)};
  if (const auto slot = both.find("pinned")) { out.pinned = read_slot<pinned_slot_time>(slot); }
  if (const auto slot = both.find("gang")) { out.gang = read_slot<gang_slot_time>(slot); }
}

/// Throws for a field of another rule than the file's.
void require_rule(const located& v, string_view rule, string_view sharing) {
  if (v && rule != sharing) {
    throw input_error{v.where, fmt::format("says nothing about \"{}\" sharing", sharing),
                      fmt::format("\"{}\" sharing, or no such key", rule)};
  }
}

void read_gpu(const located& v, accelerator_file& out) {
  const fields gpu{v, gpu_keys};
  accelerator_rule_fields& rule = out.rule;
  rule.sharing = read_word(gpu.require("sharing", "the rule of the accelerator"), sharings);
  out.accelerator.cores = read_count(gpu.require("sms", "the number of SMs, the accelerator's cores"), max_sms);
  if (const auto n = gpu.find("preemption_levels")) { out.accelerator.preemption_levels = read_count(n, max_levels); }
  if (const auto policy = gpu.find("policy")) { rule.policy = read_word(policy, policies); }
  require_rule(gpu.find("cost_model"), "levels", rule.sharing);
  require_rule(gpu.find("order"), "gang", rule.sharing);
  require_rule(gpu.find("slots"), "slots", rule.sharing);
  if (const auto cost = gpu.find("cost_model")) {
    const auto word = read_word(cost, costs);
    rule.cost = word == "ideal"  ? preemption_cost_model::ideal
                : word == "race" ? preemption_cost_model::race
                                 : preemption_cost_model::overhead;
  }
  if (const auto order = gpu.find("order")) { rule.order = read_word(order, orders); }
  if (rule.sharing == "slots") { read_slots(gpu, rule); }
  for (const string_view key : unused_gpu_keys) {
    note_unused(gpu.find(key), "the cores of an accelerator are its SMs", out);
  }
}

void read_accelerator_platform(const located& v, accelerator_file& out) {
  const fields parts{v, platform_keys};
  const auto gpus = require_array(parts.require("gpus", "the accelerator"), "one object");
  if (gpus.value->items.size() != 1) {
    throw input_error{gpus.where, fmt::format("has {} GPUs", gpus.value->items.size()),
                      "one GPU where kernels are scheduled whole"};
  }
  read_gpu(gpus.item(0), out);
  note_unused(parts.find("cpus"), "the tasks of an accelerator have no CPU segments", out);
  note_unused(parts.find("copy_engines"), "copies are part of a kernel's wcet", out);
}

void read_kernel(const located& v, accelerator_task<ticks>& out, accelerator_file& file) {
  const fields kernel{v, kernel_keys};
  out.wcet = read_time(kernel.require("wcet", "the time of the kernel on all cores that it asks for, copies included"));
  if (const auto cost = kernel.find("preemption_cost")) { out.preemption_cost = read_time(cost); }
  const auto core = kernel.find("core");
  const auto width = kernel.find("width");
  const bool one = width ? read_word(width, widths) == "one-core" : static_cast<bool>(core);
  if (core && !one) { throw input_error{core.where, "pins a kernel that needs all cores", "no core, or \"one-core\""}; }
  out.width = one ? kernel_width::one_core : kernel_width::all_cores;
  if (core) { out.core = static_cast<std::int32_t>(read_integer(core, 0, file.accelerator.cores - 1)); }
  for (std::size_t i = first_unused_kernel_key; i < kernel_keys.size(); ++i) {
    note_unused(kernel.find(kernel_keys[i]), "an accelerator needs wcet, preemption_cost, width, core", file);
  }
}

void read_task(const located& v, accelerator_file& out) {
  const fields task{v, task_keys};
  const std::string& name = out.texts.emplace_back(read_name(task, "the task's name"));
  accelerator_task<ticks> t{.name = name};
  t.period = read_time(task.require("period", "the shortest time between two releases"));
  const auto deadline = task.find("deadline");
  t.deadline = deadline ? read_time(deadline) : t.period;
  if (const auto priority = task.find("priority")) {
    t.priority = static_cast<std::int32_t>(read_integer(priority, 0, std::numeric_limits<std::int32_t>::max()));
  }
  const auto chain = require_array(task.require("segments", "one kernel"), "one kernel");
  for (std::size_t j = 0; j < chain.value->items.size(); ++j) {
    const located segment = chain.item(j);
    const bool is_kernel = segment.value->find("kernel") != nullptr;
    if (j > 0 || !is_kernel) {
      throw input_error{segment.where, is_kernel ? "is a second kernel" : "is no kernel",
                        "one kernel, whose wcet includes copies, as the whole chain on an accelerator"};
    }
    read_kernel(fields{segment, segment_keys}.find("kernel"), t, out);
  }
  out.table.add(t);
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

auto is_accelerator(const json_value& document) -> bool {
  return std::ranges::find(sharings, sharing_of(document)) != sharings.end();
}

auto read_accelerator(const json_value& document) -> std::unique_ptr<accelerator_file> {
  auto out = std::make_unique<accelerator_file>();
  const fields top{{&document, ""}, top_keys};
  out->name = read_head(top);
  read_accelerator_platform(top.require("platform", "an object with gpus"), *out);
  const auto tasks = require_list(top.require("tasks", "an array of tasks"), "tasks", max_tasks);
  for (std::size_t i = 0; i < tasks.value->items.size(); ++i) { read_task(tasks.item(i), *out); }
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
