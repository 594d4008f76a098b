// SPDX-License-Identifier: Apache-2.0
#include "read_tasks.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "../failure.hpp"
#include "words.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_bytes = std::int64_t{1} << 48;
constexpr std::int64_t most_requests = std::int64_t{1} << 32;

/// How the body of a task is written.
enum class task_body : std::uint8_t { segments, nodes, sections };

[[nodiscard]] auto body_of(const fields& task, bool is_graph, const spelling& how) -> task_body {
  const auto segments = task.find("segments");
  const auto nodes = task.find("nodes");
  const auto cpu = task.find("cpu") ? task.find("cpu") : task.find("gpu");
  if (is_graph && !nodes) { (void)task.require("nodes", "an array of nodes"); }
  for (const auto& [one, other] : {std::pair{segments, nodes}, std::pair{segments, cpu}, std::pair{nodes, cpu}}) {
    if (one && other) {
      throw input_error{other.where, "is a second body of one task", "one of segments, nodes, or cpu with gpu"};
    }
  }
  if (!segments && !nodes && !cpu && how.sections) { (void)task.require("cpu", "CPU time outside the token section"); }
  if (!segments && !nodes && !cpu) { (void)task.require("segments", "the chain of segments"); }
  if (!nodes) {
    for (const string_view key : {string_view{"edges"}, string_view{"history"}}) {
      if (const auto found = task.find(key)) {
        throw input_error{found.where, "says nothing about a task without nodes", "nodes, or no such key"};
      }
    }
  }
  return nodes ? task_body::nodes : cpu ? task_body::sections : task_body::segments;
}

/// A core under policies that keep a task there, else a cluster.
[[nodiscard]] auto read_place(const fields& task, task_body body, bool is_graph, const workload_file& file)
    -> std::int32_t {
  const bool global = is_global(file.rules.cpus);
  const auto core = task.find("core");
  const auto cluster = task.find("cluster");
  if (global && core) {
    throw input_error{core.where, fmt::format("says nothing under \"{}\", which moves tasks", file.rules.cpus),
                      "cluster, or no such key"};
  }
  if (!global && cluster) {
    throw input_error{cluster.where, fmt::format("says nothing under \"{}\", which moves no tasks", file.rules.cpus),
                      "core, or no such key"};
  }
  const std::int32_t last = cluster_count(file) - 1;
  if (global && last > 0 && !cluster && body == task_body::sections) {
    (void)task.require("cluster", fmt::format("an integer from 0 to {}", last));
  }
  const auto place = global ? cluster : core;
  if (!place) { return is_graph && last > 0 ? 0 : any_core; }
  return static_cast<std::int32_t>(read_integer(place, 0, last));
}

void read_task(const located& v, bool is_graph, const spelling& how, workload_file& file) {
  const fields task = words::members(v, words::task);
  described_task t;
  t.name = file.texts.emplace_back(read_name(task, is_graph ? "the name of the graph" : "the task's name"));
  for (const described_task& other : file.tasks.tasks) {
    if (other.name == t.name) {
      throw refused_at(step_into(v.where, "name"), {.fault = model_fault::duplicate_name, .task = 0, .name = t.name});
    }
  }
  const task_body body = body_of(task, is_graph, how);
  t.period = read_time_from(task.require("period", "the shortest time between two releases"), 1);
  const auto deadline = task.find("deadline");
  const bool none = deadline && deadline.is(json_value::kind::null);
  t.deadline = deadline && !none ? read_time_from(deadline, 1) : t.period;
  const bool task_level = !file.rules.cpus.starts_with("g-") || file.rules.cpus.ends_with("-priority") ||
                          file.rules.cpus.ends_with("-monotonic");
  const bool implicit = body == task_body::sections ? task_level || !how.sections : !is_graph;
  t.limited = !none && (deadline || implicit);
  if (const auto jitter = task.find("jitter")) { t.jitter = read_time_from(jitter, 0); }
  task_facts more;
  const bool shares = file.rules.gpus.sharing == "shares" && !file.board.gpus.empty();
  const auto priority =
      shares ? task.require("priority", "0 or more; the greater goes first, and weighs as much in what is left")
             : task.find("priority");
  if (priority) { t.priority = static_cast<std::int32_t>(read_integer(priority, 0, largest)); }
  if (shares) { more.weight = t.priority; }
  t.core = read_place(task, body, is_graph, file);
  if (const auto bytes = task.find("memory")) { t.memory = read_integer(bytes, 0, most_bytes); }
  if (const auto requests = task.find("requests")) { more.requests = read_integer(requests, 0, most_requests); }
  if (const auto on = task.find("gpu_cluster")) {
    if (file.rules.gpus.sharing != "tokens") {
      throw input_error{on.where, fmt::format("says nothing about \"{}\" sharing", file.rules.gpus.sharing),
                        "\"tokens\" sharing, or no such key"};
    }
    more.gpu_cluster = static_cast<std::int32_t>(read_integer(on, 0, file.rules.gpus.clusters.value_or(1) - 1));
  }
  if (const auto asked = task.find("share")) {
    if (!shares) {
      throw input_error{asked.where, fmt::format("says nothing about \"{}\" sharing", file.rules.gpus.sharing),
                        "\"shares\" sharing, or no such key"};
    }
    more.share = static_cast<std::int32_t>(read_integer(asked, 1, 100));
  }
  if (body != task_body::nodes && file.rules.cpus == "gel") {
    throw input_error{v.where, "is a task without nodes, whose points the \"gel\" policy needs", "nodes"};
  }
  if (!file.tasks.add_task(t)) {
    throw input_error{v.where, "is one task more than this program holds", fmt::format("at most {}", max_tasks)};
  }
  file.task_at.push_back(v.where);
  if (body == task_body::nodes) {
    read_nodes(task, how, file);
  } else {
    auto steps = body == task_body::sections ? read_token_section(task, v, more, file)
                                             : read_chain(task.find("segments"), how, file);
    for (std::size_t j = 0; j < steps.size(); ++j) {
      steps[j].visit.parallelism = any_parallelism;
      steps[j].visit.predecessors = j == 0 ? 0 : visit_mask{1} << (j - 1);
      add_visit(steps[j], file);
    }
  }
  file.more.push_back(more);
}

/// Ranks in place of priorities that may be equal, so that the order of the file decides as it does there.
void break_ties(workload_file& file) {
  auto& tasks = file.tasks.tasks;
  std::vector<std::size_t> order(tasks.size());
  for (std::size_t i = 0; i < order.size(); ++i) { order[i] = i; }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return tasks[a].priority < tasks[b].priority; });
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    tasks[order[rank]].priority = static_cast<std::int32_t>(rank);
  }
}

void require_own_priorities(const spelling& how, workload_file& file) {
  auto& tasks = file.tasks.tasks;
  bool tie = false;
  bool all = true;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    all = all && tasks[i].priority != no_priority;
    for (std::size_t j = 0; j < i; ++j) {
      const bool same = tasks[i].priority != no_priority && tasks[i].priority == tasks[j].priority;
      tie = tie || same;
      if (same && !how.sections) {
        throw refused_at(
            step_into(file.task_at[i], "priority"),
            {.fault = model_fault::duplicate_priority, .task = 0, .value = tasks[i].priority, .has_value = true});
      }
    }
  }
  if (tie && all) { break_ties(file); }
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

void read_tasks(const fields& top, const spelling& how, workload_file& file) {
  const auto graphs = top.find("graphs");
  const auto tasks = top.find("tasks");
  if (!graphs && !tasks) { (void)top.require("tasks", "an array of tasks"); }
  for (const bool is_graph : {true, false}) {
    const auto given = is_graph ? graphs : tasks;
    if (!given) { continue; }
    const auto list = require_list(given, is_graph ? "graphs" : "tasks", max_tasks);
    for (std::size_t i = 0; i < list.value->items.size(); ++i) { read_task(list.item(i), is_graph, how, file); }
  }
  require_own_priorities(how, file);
  turn_weights(file);
}

}  // namespace takt::program
