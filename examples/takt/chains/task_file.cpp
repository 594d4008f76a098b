// SPDX-License-Identifier: Apache-2.0
#include "task_file.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <takt/analysis/headroom.hpp>
#include <takt/analysis/known/chains/chain_pattern.hpp>
#include <takt/model/validate.hpp>

#include "../fields.hpp"
#include "../worst_fit.hpp"
#include "read_platform.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::array<string_view, 4> top_keys{"format", "name", "platform", "tasks"};
constexpr std::array<foreign_key, 1> top_foreign{{{"graphs", "graphs of nodes", true}}};
constexpr std::array<string_view, 6> task_keys{"name", "period", "deadline", "priority", "core", "segments"};
constexpr std::array<foreign_key, 2> task_foreign{
    {{"gpu", "GPU sections under tokens", true}, {"priority_point", "the \"gel\" policy", true}}};
constexpr std::array<string_view, 3> segment_kinds{"cpu", "copy", "kernel"};
constexpr std::array<string_view, 5> segment_keys{"cpu", "copy", "kernel", "direction", "bytes"};
constexpr std::array<foreign_key, 2> segment_foreign{
    {{"launch", "graphs of nodes", true}, {"await", "graphs of nodes", true}}};
constexpr std::array<string_view, 3> work_keys{"work", "overhead", "interleave"};
constexpr std::array<foreign_key, 7> kernel_views{
    {{"blocks", "the view of a block queue", true},
     {"threads_per_block", "the view of a block queue", true},
     {"length", "the view of a block queue", true},
     {"wcet", "the view of accelerator levels and slots", true},
     {"preemption_cost", "the view of accelerator levels and slots", true},
     {"width", "the view of accelerator levels and slots", true},
     {"wcet_by_share", "the view of shares", true}}};

constexpr std::array<string_view, 2> directions{"to-device", "to-host"};

void read_kernel(const located& v, segment_record<ticks>& out) {
  // A kernel may carry the views of several systems; this program needs the one with `work`.
  std::array<string_view, work_keys.size() + kernel_views.size()> all{};
  auto* const end = std::ranges::copy(work_keys, all.begin()).out;
  std::ranges::transform(kernel_views, end, [](const foreign_key& k) { return k.key; });
  const bool has_work = v.value->find("work") != nullptr;
  const fields kernel = has_work ? fields{v, all} : fields{v, work_keys, kernel_views};
  out.time = read_bound(kernel.require("work", "the time of all its work on one virtual SM"));
  if (const auto overhead = kernel.find("overhead")) { out.overhead = read_time(overhead); }
  if (const auto ratio = kernel.find("interleave")) {
    const auto [numerator, denominator] = read_ratio(ratio);
    out.interleave_numerator = numerator;
    out.interleave_denominator = denominator;
  }
}

[[nodiscard]] auto read_segment(const located& v, task_file& file) -> segment_record<ticks> {
  const fields segment{v, segment_keys, segment_foreign};
  segment_record<ticks> out;
  located body;
  for (const string_view kind : segment_kinds) {
    const auto found = segment.find(kind);
    if (!found) { continue; }
    if (body) { throw input_error{found.where, "is a second kind of one segment", "one of cpu, copy, kernel"}; }
    body = found;
    out.where = kind == "cpu" ? stage::cpu : kind == "copy" ? stage::copy : stage::kernel;
  }
  if (!body) { throw input_error{v.where, "is no segment", "one of cpu, copy, kernel"}; }
  if (out.where == stage::kernel) {
    read_kernel(body, out);
  } else {
    out.time = read_bound(body);
  }
  for (const string_view key : {string_view{"direction"}, string_view{"bytes"}}) {
    const auto found = segment.find(key);
    if (!found) { continue; }
    if (out.where != stage::copy) {
      throw input_error{found.where, fmt::format("says nothing about a {}", name_of(out.where)), "a copy segment"};
    }
    if (key == "bytes") {
      (void)read_integer(found, 0, std::numeric_limits<std::int64_t>::max());
    } else {
      out.direction = read_word(found, directions) == "to-host" ? copy_direction::to_host : copy_direction::to_device;
    }
  }
  return out;
}

void read_task(const located& v, task_file& out, std::vector<bool>& pinned) {
  const fields task{v, task_keys, task_foreign};
  const std::string& name = out.texts.emplace_back(read_name(task, "the task's name"));
  const ticks period = read_time(task.require("period", "the shortest time between two releases"));
  const auto deadline = task.find("deadline");
  const auto priority = task.find("priority");
  const auto core = task.find("core");
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  const std::int64_t rank = priority ? read_integer(priority, 0, largest) : no_priority;
  const std::int64_t on = core ? read_integer(core, 0, out.platform.cores - 1) : 0;
  pinned.push_back(static_cast<bool>(core));
  out.table.add_task(name, period, deadline ? read_time(deadline) : period, static_cast<std::int32_t>(rank),
                     static_cast<std::int32_t>(on));
  const auto chain = require_array(task.require("segments", "the chain of segments"), "at least one cpu segment");
  const std::size_t count = chain.value->items.size();
  if (count > max_segments_per_task || count > max_segments - out.table.segments.size()) {
    throw input_error{chain.where, fmt::format("has {} segments, more than this program holds", count),
                      fmt::format("at most {} per task and {} in all", max_segments_per_task, max_segments)};
  }
  for (std::size_t j = 0; j < count; ++j) { out.table.add_segment(read_segment(chain.item(j), out)); }
}

/// Share of a core that a task needs, for placing only.
[[nodiscard]] auto cpu_demand(const file_table& table, std::size_t i) -> double {
  double sum = 0;
  for (std::size_t j = 0; j < table.tasks[i].segment_count; ++j) {
    if (table.segment(i, j).where == stage::cpu) { sum += static_cast<double>(table.segment(i, j).time.upper); }
  }
  return sum / static_cast<double>(table.tasks[i].period);
}

/// Gives tasks without a core, largest CPU demand first, the core with the least demand so far.
void place_on_cores(task_file& file, const std::vector<bool>& pinned) {
  auto& tasks = file.table.tasks;
  if (file.platform.cores == 1 || std::ranges::find(pinned, false) == pinned.end()) { return; }
  file.placed_by_program = true;
  std::vector<double> load(static_cast<std::size_t>(file.platform.cores));
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (pinned[i]) {
      load[static_cast<std::size_t>(tasks[i].core)] += cpu_demand(file.table, i);
    } else {
      free.push_back(i);
    }
  }
  file.notes.push_back(
      place_worst_fit(tasks, free, std::move(load), "cores", [&](std::size_t i) { return cpu_demand(file.table, i); }));
}

void note_priorities(task_file& file) {
  if (file.rules.cpus != "fixed-priority") {
    file.notes.emplace_back(file.rules.cpus == "rate-monotonic" ? "priorities: rate monotonic"
                                                                : "priorities: deadline monotonic");
    return;
  }
  const auto& tasks = file.table.tasks;
  const auto given = std::ranges::count_if(tasks, [](const auto& t) { return t.priority != no_priority; });
  if (given == static_cast<std::ptrdiff_t>(tasks.size())) {
    file.notes.emplace_back("priorities: as given");
  } else {
    file.notes.emplace_back(given == 0 ? "priorities: deadline monotonic"
                                       : "priorities: deadline monotonic, because not every task has one");
  }
}

}  // namespace

auto read_chains(json_value document) -> std::unique_ptr<task_file> {
  auto out = std::make_unique<task_file>();
  out->document = std::move(document);
  const fields top{{&out->document, ""}, top_keys, top_foreign};
  out->name = read_head(top);
  read_platform(top.require("platform", "an object with cpus, copy_engines, gpus"), *out);
  const auto tasks = require_list(top.require("tasks", "an array of tasks"), "tasks", max_tasks);
  std::vector<bool> pinned;
  for (std::size_t i = 0; i < tasks.value->items.size(); ++i) { read_task(tasks.item(i), *out, pinned); }
  if (const auto error = validate(out->table)) { throw explain_fault(*out, error); }
  if (const auto error = analysis::fits_platform(out->table, out->platform)) { throw explain_fault(*out, error); }
  if (!analysis::has_headroom(out->table, out->platform)) {
    throw explain_fault(*out, {.fault = model_fault::time_overflow});
  }
  place_on_cores(*out, pinned);
  note_priorities(*out);
  return out;
}

}  // namespace takt::program
