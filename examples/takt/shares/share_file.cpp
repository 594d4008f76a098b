// SPDX-License-Identifier: Apache-2.0
#include "share_file.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include <takt/model/located.hpp>
#include <takt/report/fault_text.hpp>

#include "../fields.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::array<string_view, 4> top_keys{"format", "name", "platform", "tasks"};
constexpr std::array<string_view, 3> platform_keys{"cpus", "copy_engines", "gpus"};
constexpr std::array<string_view, 11> gpu_keys{
    "sharing",        "rules",         "triggers",          "memory",        "contention", "sms", "threads_per_sm",
    "virtual_per_sm", "blocks_per_sm", "preemption_levels", "context_switch"};
constexpr std::array<string_view, 7> task_keys{"name", "period", "deadline", "priority", "share", "memory", "segments"};
constexpr std::array<string_view, 1> segment_keys{"kernel"};
constexpr std::array<string_view, 10> kernel_keys{"wcet_by_share",   "work",   "overhead", "interleave",
                                                  "blocks",          "length", "wcet",     "threads_per_block",
                                                  "preemption_cost", "width"};
constexpr std::array<string_view, 2> scaling_keys{"c100", "fixed_permille"};
constexpr std::array<string_view, 3> rule_words{"robust", "text", "literal"};
constexpr std::array<string_view, 2> trigger_words{"every-change", "workload-decrease"};

constexpr string_view row_allowed =
    "{\"c100\": time, \"fixed_permille\": n}, 100 times for 1 to 100 per cent, or a few [per cent, time]";
constexpr std::int64_t most_bytes = std::int64_t{1} << 48;
constexpr std::int64_t most_ppm = 1'000'000'000;

[[nodiscard]] auto read_row(const located& v) -> wcet_row {
  if (v.is(json_value::kind::object)) {
    const fields row{v, scaling_keys};
    const ticks whole = read_time_from(row.require("c100", "the time with the whole GPU"), 1);
    const auto fixed = row.find("fixed_permille");
    return wcet_row::scaling(whole, fixed ? static_cast<std::int32_t>(read_integer(fixed, 0, 1000)) : 0);
  }
  const auto list = require_array(v, row_allowed);
  const std::size_t count = list.value->items.size();
  if (!list.item(0).is(json_value::kind::array)) {
    if (count != wcet_row::shares) {
      throw input_error{v.where, fmt::format("has {} times", count), std::string(row_allowed)};
    }
    std::array<ticks, wcet_row::shares> times{};
    for (std::size_t i = 0; i < count; ++i) { times[i] = read_time_from(list.item(i), 1); }
    return wcet_row::measured(times);
  }
  std::vector<measured_share> few;
  for (std::size_t i = 0; i < count; ++i) {
    const located pair = list.item(i);
    if (!pair.is(json_value::kind::array) || pair.value->items.size() != 2) {
      throw input_error{pair.where, "is no measurement", "[per cent, time]"};
    }
    few.push_back({share::bounded(static_cast<std::int32_t>(read_integer(pair.item(0), 1, 100))),
                   read_time_from(pair.item(1), 1)});
  }
  if (std::ranges::none_of(few, [](const measured_share& m) { return m.held == full_share; })) {
    throw input_error{v.where, "says nothing about the whole GPU", "a measurement [100, time] among the others"};
  }
  return wcet_row::interpolated(few);
}

void read_task(const located& v, share_file& out) {
  const fields task{v, task_keys};
  share_task t;
  t.name = out.texts.emplace_back(read_name(task, "the task's name"));
  t.period = read_time(task.require("period", "the shortest time between two releases"));
  const auto deadline = task.find("deadline");
  t.deadline = deadline ? read_time(deadline) : t.period;
  t.priority = static_cast<std::int32_t>(
      read_integer(task.require("priority", "0 or more; the greater goes first, and weighs as much in what is left"), 0,
                   std::numeric_limits<std::int32_t>::max()));
  if (const auto asked = task.find("share")) {
    t.request = share::bounded(static_cast<std::int32_t>(read_integer(asked, 1, 100)));
  }
  if (const auto bytes = task.find("memory")) { t.memory = memory_units::holding(read_integer(bytes, 0, most_bytes)); }
  const auto chain = require_array(task.require("segments", "one kernel"), "one kernel");
  const located segment = chain.item(0);
  if (chain.value->items.size() > 1 || segment.value->find("kernel") == nullptr) {
    throw input_error{chain.value->items.size() > 1 ? chain.item(1).where : segment.where,
                      chain.value->items.size() > 1 ? "is a second segment" : "is no kernel",
                      "one kernel, the whole GPU work of a job, on a GPU with shares"};
  }
  const fields kernel{fields{segment, segment_keys}.find("kernel"), kernel_keys};
  t.alone = read_row(kernel.require("wcet_by_share", row_allowed));
  for (const string_view key : std::span{kernel_keys}.subspan(1)) {
    if (const auto unused = kernel.find(key)) {
      out.notes.push_back(fmt::format("{} is not used: shares need wcet_by_share", unused.where));
    }
  }
  out.table.add(t);
}

/// [slowed, by, parts per million], by the names of tasks that have been read.
void read_contention(const located& v, share_file& out) {
  const auto position = [&out](const located& name) {
    const std::string text = read_text(name, "the name of a task");
    std::vector<string_view> names;
    for (const auto& t : out.table.tasks) { names.push_back(t.name); }
    const auto found = std::ranges::find(names, text);
    if (found == names.end()) {
      throw input_error{
          name.where,
          fmt::format("{} is no task of this file, the nearest is \"{}\"", name.value->quoted(), nearest(text, names)),
          fmt::format("{}", fmt::join(names, ", "))};
    }
    return static_cast<std::size_t>(found - names.begin());
  };
  const auto list = require_array(v, "[slowed, by, parts per million]");
  for (std::size_t i = 0; i < list.value->items.size(); ++i) {
    const located entry = list.item(i);
    if (!entry.is(json_value::kind::array) || entry.value->items.size() != 3) {
      throw input_error{entry.where, "is no slow-down", "[slowed, by, parts per million]"};
    }
    const std::size_t slowed = position(entry.item(0));
    const std::size_t by = position(entry.item(1));
    if (slowed == by) { throw input_error{entry.where, "is of a task by itself", "two tasks"}; }
    out.table.contention.set(slowed, by, static_cast<std::uint32_t>(read_integer(entry.item(2), 0, most_ppm)));
  }
}

}  // namespace

auto explain_fault(const share_file& file, const model_error& error) -> input_error {
  if (error.task == nowhere) { return refused_at("/tasks", error); }
  const std::string where = step_into("/tasks", error.task);
  model_error found = takt::located(error, file.table.tasks);
  const bool overflow = error.fault == model_fault::time_overflow;
  if (overflow) {
    found.value = file.table.tasks[error.task].period;
    found.has_value = true;
  }
  const string_view field = overflow ? "period" : describe(error.fault).field;
  return refused_at(field.empty() ? where : step_into(where, field), found);
}

auto is_share_document(const json_value& document) -> bool { return sharing_of(document) == "shares"; }

auto read_shares(const json_value& document) -> std::unique_ptr<share_file> {
  auto out = std::make_unique<share_file>();
  const fields top{{&document, ""}, top_keys};
  out->name = read_head(top);
  const fields parts{top.require("platform", "an object with gpus"), platform_keys};
  const auto gpus = require_array(parts.require("gpus", "the GPU"), "one object");
  if (gpus.value->items.size() != 1) {
    throw input_error{gpus.where, fmt::format("has {} GPUs", gpus.value->items.size()), "one GPU with shares"};
  }
  const fields gpu{gpus.item(0), gpu_keys};
  if (const auto rules = gpu.find("rules")) { out->rules = read_word(rules, rule_words); }
  if (const auto triggers = gpu.find("triggers")) { out->triggers = read_word(triggers, trigger_words); }
  if (const auto bytes = gpu.find("memory")) {
    const memory_units units{
        static_cast<std::int32_t>(read_integer(bytes, memory_units{1}.bytes(), most_bytes) / memory_units{1}.bytes())};
    out->gpu = gpu_shares(units);
  }
  for (const string_view key : {string_view{"cpus"}, string_view{"copy_engines"}}) {
    if (const auto unused = parts.find(key)) {
      out->notes.push_back(
          fmt::format("{} is not used: the tasks of a GPU with shares are whole kernels", unused.where));
    }
  }
  const auto tasks = require_list(top.require("tasks", "an array of tasks"), "tasks", max_tasks);
  for (std::size_t i = 0; i < tasks.value->items.size(); ++i) { read_task(tasks.item(i), *out); }
  if (const auto contention = gpu.find("contention")) { read_contention(contention, *out); }
  if (const auto error = validate(out->table)) { throw explain_fault(*out, error); }
  return out;
}

}  // namespace takt::program
