// SPDX-License-Identifier: Apache-2.0
#include "graph_file.hpp"

#include <utility>

#include <fmt/format.h>

#include <takt/model/graph/graph_validate.hpp>
#include <takt/report/fault_text.hpp>


namespace takt::program {

namespace {

[[nodiscard]] auto platform_of(const workload_file& from) -> graph_platform {
  graph_platform out;
  const std::int32_t parts = cluster_count(from);
  for (std::int32_t c = 0; c < parts; ++c) { static_cast<void>(out.clusters.push_back(from.board.processors / parts)); }
  out.copy_engines = from.board.copy_engines;
  if (from.board.gpus.empty()) { return out; }
  const gpu_hardware& gpu = from.board.gpus[0];
  out.sms = gpu.sms;
  out.threads_per_sm = gpu.threads_per_sm;
  out.blocks_per_sm = gpu.blocks_per_sm;
  out.warp_size = gpu.warp_size;
  return out;
}

[[nodiscard]] auto node_of(const described_visit& v, std::string_view task) -> graph_node<ticks> {
  graph_node<ticks> out;
  out.name = v.name.empty() ? task : v.name;
  out.parallelism = v.parallelism == any_parallelism ? unrestricted_parallelism : v.parallelism;
  out.point = v.point;
  out.kind = v.where == visit_place::processor     ? node_kind::processor
             : v.where == visit_place::copy_engine ? node_kind::copy
                                                   : node_kind::kernel;
  if (out.kind != node_kind::kernel) {
    out.wcet = v.time.upper;
    return out;
  }
  out.blocks = v.blocks;
  out.block_threads = v.threads;
  out.block_length = v.block_length;
  return out;
}

/// Visits that are one node of the table: all of one that is a kernel between CPU times, else each by itself.
struct visit_group {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  std::uint32_t kernel = 0;
};

/// The visits under the name of one node, from the first on.
[[nodiscard]] auto named_together(const file_tasks& tasks, const described_task& t, std::uint32_t first)
    -> std::uint32_t {
  std::uint32_t end = first + 1;
  const auto name = [&](std::uint32_t p) { return tasks.visits[t.first_visit + p].name; };
  while (end < t.visit_count && !name(first).empty() && name(end) == name(first)) { ++end; }
  return end - first;
}

[[nodiscard]] auto group_at(const file_tasks& tasks, const described_task& t, std::uint32_t first) -> visit_group {
  const std::uint32_t count = named_together(tasks, t, first);
  const auto is_kernel = [&](std::uint32_t p) { return tasks.visits[t.first_visit + p].where == visit_place::gpu; };
  const auto is_cpu = [&](std::uint32_t p) { return tasks.visits[t.first_visit + p].where == visit_place::processor; };
  if (count == 2 && is_kernel(first) && is_cpu(first + 1)) { return {first, 2, first}; }
  if (count == 2 && is_cpu(first) && is_kernel(first + 1)) { return {first, 2, first + 1}; }
  const bool around = count == 3 && is_cpu(first) && is_kernel(first + 1) && is_cpu(first + 2);
  return around ? visit_group{first, 3, first + 1} : visit_group{first, 1, first};
}

/// Adds a task as a graph. False where the table is full.
[[nodiscard]] auto add_graph(const workload_file& from, std::uint32_t task, graph_file& out) -> bool {
  const described_task& t = from.tasks.tasks[task];
  bool room = out.table.add_graph(t.name, t.period, t.core == any_core ? 0 : t.core);
  out.wishes.push_back({t.limited, t.deadline});
  std::vector<std::uint32_t> first_node(t.visit_count);  ///< of the table, in which a visit begins and ends
  std::vector<std::uint32_t> last_node(t.visit_count);
  for (std::uint32_t p = 0; p < t.visit_count && room;) {
    const visit_group group = group_at(from.tasks, t, p);
    const auto visit = [&](std::uint32_t q) -> const described_visit& { return from.tasks.visits[t.first_visit + q]; };
    graph_node<ticks> n = node_of(visit(group.kernel), t.name);
    n.split = group.count > 1;
    if (group.kernel > group.first) { n.launch = visit(group.first).time.upper; }
    if (group.kernel + 1 < group.first + group.count) { n.await = visit(group.kernel + 1).time.upper; }
    const auto position = static_cast<std::uint32_t>(out.table.nodes.size());
    const bool continues = p > 0 && (visit(p).name.empty() || visit(p).name == visit(p - 1).name);
    room = continues ? out.table.extend_node(n) : out.table.add_node(n);
    out.node_at.push_back(from.visit_at[t.first_visit + group.kernel]);
    if (continues) { out.edge_at.push_back(out.node_at.back()); }
    for (std::uint32_t q = p; q < p + group.count; ++q) { first_node[q] = last_node[q] = position; }
    for (std::uint32_t q = 0; q < p && !continues; ++q) {
      if ((visit(p).predecessors >> q & 1U) == 0) { continue; }
      room = room && out.table.add_edge(last_node[q], position);
      out.edge_at.push_back(out.node_at.back());
    }
    p += group.count;
  }
  for (const described_edge& e : from.tasks.history) {
    if (e.task != task || !room) { continue; }
    room = out.table.add_edge(last_node[e.from], first_node[e.to], e.lag);
    out.edge_at.push_back(from.task_at[task] + "/history");
  }
  return room;
}

}  // namespace

auto explain_fault(const graph_file& file, const model_error& error) -> input_error {
  const std::string_view field = describe(error.fault).field;
  const bool overflow = error.fault == model_fault::time_overflow;
  if (error.edge != nowhere) { return refused_at(file.edge_at[error.edge], error); }
  if (error.visit != nowhere) { return refused_at(file.node_at[error.visit], error); }
  if (error.task == nowhere) { return refused_at(overflow ? file.list : std::string{"/platform"}, error); }
  const std::string& where = file.from->task_at[error.task];
  return refused_at(field.empty() ? where : step_into(where, field), error);
}

auto graphs_of(std::unique_ptr<workload_file> from) -> std::unique_ptr<graph_file> {
  auto out = std::make_unique<graph_file>();
  out->name = from->name;
  out->policy = from->rules.cpus;
  out->list = from->task_at[0].starts_with("/graphs") ? "/graphs" : "/tasks";
  out->platform = platform_of(*from);
  for (std::uint32_t i = 0; i < from->tasks.size(); ++i) {
    if (add_graph(*from, i, *out)) { continue; }
    throw input_error{
        from->task_at[i], "is more than this program holds",
        fmt::format("at most {} graphs, {} nodes and {} edges", max_graphs, max_graph_nodes, max_graph_edges)};
  }
  out->notes = from->notes;
  out->from = std::move(from);
  if (const auto error = validate(out->table)) { throw explain_fault(*out, error); }
  if (const auto error = fits(out->table, out->platform)) { throw explain_fault(*out, error); }
  return out;
}

}  // namespace takt::program
