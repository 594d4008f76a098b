// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "limits.hpp"
#include "offsets.hpp"
#include "parts.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_requests = std::int64_t{1} << 32;

/// A task with what stands beside the table of tasks, and its core or cluster under the key of the policy.
struct task_entry : runtime_task, task_facts {
  std::optional<std::int32_t> on_core;
  std::optional<std::int32_t> on_cluster;
};

/// Null: no deadline.
[[nodiscard]] auto read_deadline(const json_value& v, task_entry& t) -> ticks {
  t.limited = !v.is(json_value::kind::null);
  return t.limited ? read_time_from(v, 1) : 0;
}

const table<task_entry> task_table{
    "a task",
    {{"name", &runtime_task::name},
     {"period", &runtime_task::period, time_from(1), needed("the shortest time between two releases")},
     {"deadline", &runtime_task::deadline, read_deadline},
     {"jitter", &runtime_task::jitter, time_from(0)},
     {"offset", &runtime_task::offset, time_from(0)},
     {"strict", &runtime_task::strict, boolean{}},
     {"priority", &runtime_task::priority, integer(0, largest),
      needed_by({"shares"}, "0 or more; the greater goes first, and weighs as much in what is left")},
     {"core", &task_entry::on_core},
     {"cluster", &task_entry::on_cluster},
     {"gpu_cluster", &task_facts::gpu_cluster, read_by({"tokens"})},
     {"memory", &runtime_task::memory, integer(0, most_bytes)},
     {"requests", &task_facts::requests, integer(0, most_requests)},
     {"share", &task_facts::share, integer(1, 100), read_by({"shares"})},
     {"preemption", &task_facts::preemption, word(choices::preemption)},
     {"variant", &task_facts::variant, text("the name of the variant")},
     row<task_entry>{"variants"},
     row<task_entry>{"segments"},
     row<task_entry>{"nodes"},
     row<task_entry>{"edges"},
     row<task_entry>{"history"},
     row<task_entry>{"cpu"},
     row<task_entry>{"gpu"}}};

/// Throws where a task has two bodies, or edges without nodes.
void require_one_body(const json_value& task) {
  const json_value* body = nullptr;
  for (const string_view key : {"segments", "nodes", "cpu", "gpu"}) {
    const auto* const found = task.find(key);
    if (found == nullptr) { continue; }
    if (body != nullptr && body->key != "cpu") {
      throw input_error{found->where, "is a second body of one task", "one of segments, nodes, or cpu with gpu"};
    }
    body = found;
  }
  for (const string_view key : {"edges", "history"}) {
    const auto* const found = task.find(key);
    if (found != nullptr && body != nullptr && body->key != "nodes") {
      throw input_error{found->where, "says nothing about a task without nodes", "nodes, or no such key"};
    }
  }
}

/// A core under policies that keep a task there, else a cluster.
[[nodiscard]] auto read_place(const json_value& task, const workload_file& file) -> std::int32_t {
  const bool global = is_cluster_keyword(file.rules.cpus);
  if (const auto* const other = task.find(global ? "core" : "cluster")) {
    throw input_error{
        other->where,
        fmt::format("says nothing under \"{}\", which moves {}", file.rules.cpus, global ? "tasks" : "no tasks"),
        fmt::format("{}, or no such key", global ? "cluster" : "core")};
  }
  const auto* const place = task.find(global ? "cluster" : "core");
  return place == nullptr ? unassigned_core
                          : static_cast<std::int32_t>(read_integer(*place, 0, cluster_count(file) - 1));
}

/// Throws where others would run between two CPU visits of the task that was added last though nobody preempts it.
void require_whole(const workload_file& file) {
  const std::size_t i = file.tasks.size() - 1;
  const auto is_cpu = [&](std::uint32_t p) { return file.tasks.visit(i, p).where == resource_kind::processor; };
  for (std::uint32_t p = 0; file.more.back().preemption == "nonpreemptive" && p < file.tasks.tasks[i].visit_count;
       ++p) {
    for (std::uint32_t q = 0; is_cpu(p) && q < p; ++q) {
      if ((file.tasks.visit(i, p).predecessors >> q & 1U) == 0 || !is_cpu(q)) { continue; }
      throw refused_at(step_into(file.task_at[i], "preemption"), {.fault = model_fault::nonpreemptive_task_divided});
    }
  }
}

void read_task(const json_value& given, bool is_graph, bool sections, workload_file& file) {
  require_keys(given, task_table.keys());
  const string_view name =
      file.texts.emplace_back(read_name(given, is_graph ? "the name of the graph" : "the task's name"));
  if (std::ranges::any_of(file.tasks.tasks, [&](const runtime_task& other) { return other.name == name; })) {
    throw refused_at(step_into(given.where, "name"), {.fault = model_fault::duplicate_name, .task = 0, .name = name});
  }
  chosen_task chosen = as_chosen_task(given, file);
  require_one_body(chosen.task);
  const json_value v = as_present_task(std::move(chosen.task), is_graph, sections, file);
  const string_view sharing = file.rules.gpus.sharing;
  const auto* const nodes = v.find("nodes");
  if (nodes == nullptr) { (void)require(v, "segments", "the chain of segments"); }
  task_entry t;
  t.name = name;
  t.core_type = std::move(chosen.core_type);
  read_object(v, task_table, t, sharing);
  if (t.deadline == 0) { t.deadline = t.period; }
  if (sharing == "shares") { t.weight = t.priority; }
  t.core = read_place(v, file);
  if (const auto* const on = v.find("gpu_cluster")) {
    t.gpu_cluster = static_cast<std::int32_t>(read_integer(*on, 0, file.rules.gpus.clusters.value_or(1) - 1));
  }
  if (!file.tasks.add_task(t)) {
    throw input_error{v.where, "is one task more than this program holds", fmt::format("at most {}", max_tasks)};
  }
  file.task_at.push_back(v.where);
  file.more.push_back(t);
  nodes != nullptr ? read_graph(v, file) : read_chain(*v.find("segments"), file);
  const auto& added = file.tasks.tasks.back();
  const std::span visits{file.tasks.visits.begin() + added.first_visit, added.visit_count};
  const bool on_cpus =
      std::ranges::any_of(visits, [](const runtime_visit& x) { return x.where == resource_kind::processor; });
  if (nodes == nullptr && on_cpus && file.rules.cpus == "gel") {
    throw input_error{v.where, "is a task without nodes, whose points the \"gel\" policy needs", "nodes"};
  }
  require_whole(file);
}

/// Throws where tasks have one priority. Those of older files may, and get ranks: the order of the file decides.
void require_own_priorities(bool older, workload_file& file) {
  auto& tasks = file.tasks.tasks;
  bool tie = false;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (tasks[i].priority == no_priority || tasks[i].priority != tasks[j].priority) { continue; }
      tie = true;
      if (older) { continue; }
      throw refused_at(
          step_into(file.task_at[i], "priority"),
          {.fault = model_fault::duplicate_priority, .task = 0, .value = tasks[i].priority, .has_value = true});
    }
  }
  const auto lacks = [](const runtime_task& t) { return t.priority == no_priority; };
  if (!tie || std::ranges::any_of(tasks, lacks)) { return; }
  const auto given = tasks;
  for (std::size_t i = 0; i < given.size(); ++i) {
    tasks[i].priority = 0;
    for (std::size_t j = 0; j < given.size(); ++j) {
      const bool first = given[j].priority < given[i].priority || (given[j].priority == given[i].priority && j < i);
      tasks[i].priority += first ? 1 : 0;
    }
  }
}

/// On a GPU with shares the greater priority goes first; in the table the lesser does.
void turn_weights(workload_file& file) {
  std::int32_t most = 0;
  for (const task_facts& more : file.more) { most = std::max(most, more.weight.value_or(0)); }
  for (std::size_t i = 0; i < file.more.size(); ++i) {
    if (file.more[i].weight) { file.tasks.tasks[i].priority = most - *file.more[i].weight; }
  }
}

}  // namespace

void read_tasks(const json_value& top, workload_file& file) {
  const bool sections = has_sections(top);
  if (top.find("graphs") == nullptr) { (void)require(top, "tasks", "an array of tasks"); }
  for (const string_view key : {"graphs", "tasks"}) {
    const auto* const given = top.find(key);
    if (given == nullptr) { continue; }
    for (const json_value& task : require_list(*given, key, max_tasks)) {
      read_task(task, key == "graphs", sections, file);
    }
  }
  require_own_priorities(sections, file);
  turn_weights(file);
}

auto print_task(const workload_file& file, std::size_t task) -> ordered_json {
  task_entry t{file.tasks.tasks[task], file.more[task], {}, {}};
  if (file.rules.gpus.sharing == "shares" && t.weight) { t.priority = *t.weight; }
  if (t.core != unassigned_core) { (is_cluster_keyword(file.rules.cpus) ? t.on_cluster : t.on_core) = t.core; }
  ordered_json out = print_object(t, task_table);
  if (!t.limited) { out["deadline"] = nullptr; }
  print_body(file, task, out);
  if (!t.core_type.empty()) { print_by_type(t.core_type, out); }
  return out;
}

auto task_objects() -> std::vector<object_keys> {
  return {task_table.keys(), alternative_keys(), node_keys,      edge_keys(),   segment_keys,
          copy_keys(),       kernel_keys(),      scaling_keys(), section_keys()};
}

}  // namespace takt::program
