// SPDX-License-Identifier: Apache-2.0
#include "graph_file.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <boost/hana/unpack.hpp>

#include <takt/model/graph/graph_validate.hpp>
#include <takt/report/fault_text.hpp>

#include "../fields.hpp"
#include "../file_head.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::array<string_view, 5> top_keys{"format", "name", "platform", "tasks", "graphs"};
constexpr std::array<string_view, 3> platform_keys{"cpus", "copy_engines", "gpus"};
constexpr std::array<string_view, 3> cpu_keys{"count", "policy", "clusters"};
constexpr std::array<string_view, 2> engine_keys{"count", "policy"};
constexpr std::array<string_view, 6> gpu_keys{"sms",     "threads_per_sm",    "blocks_per_sm",
                                              "sharing", "preemption_levels", "context_switch"};
constexpr std::array<foreign_key, 3> gpu_foreign{{{"virtual_per_sm", "\"isolated\" and \"shared\" sharing", true},
                                                  {"granularity", "\"isolated\" and \"shared\" sharing", true},
                                                  {"tokens_per_gpu", "\"tokens\" sharing", true}}};
constexpr std::array<string_view, 7> graph_keys{"name", "period", "deadline", "cluster", "nodes", "edges", "history"};
constexpr std::array<string_view, 9> node_keys{"name",   "cpu",   "copy",        "kernel",        "segments",
                                               "launch", "await", "parallelism", "priority_point"};
constexpr std::array<string_view, 6> task_keys{"name", "period", "deadline", "cluster", "segments", "priority"};
constexpr std::array<string_view, 7> segment_keys{"cpu", "copy", "kernel", "direction", "bytes", "launch", "await"};
constexpr std::array<string_view, 2> directions{"to-device", "to-host"};
constexpr std::array<string_view, 3> step_kinds{"cpu", "copy", "kernel"};
constexpr std::array<string_view, 3> kernel_keys{"blocks", "threads_per_block", "length"};
constexpr std::array<foreign_key, 7> kernel_views{
    {{"work", "the view of virtual SMs", true},
     {"overhead", "the view of virtual SMs", true},
     {"interleave", "the view of virtual SMs", true},
     {"wcet", "the view of accelerator levels and slots", true},
     {"preemption_cost", "the view of accelerator levels and slots", true},
     {"width", "the view of accelerator levels and slots", true},
     {"wcet_by_share", "the view of shares", true}}};
constexpr auto policies = boost::hana::unpack(cpu_rules, [](const auto&... entry) {
  return std::array<string_view, sizeof...(entry)>{boost::hana::first(entry)...};
});
constexpr std::array<string_view, 1> sharings{"fifo-blocks"};
constexpr std::array<string_view, 1> engine_policies{"fifo"};
constexpr std::array<string_view, 7> edge_keys{"from", "to", "produce", "threshold", "consume", "lag", "initial"};

constexpr std::int32_t max_cpus = 1024;
constexpr std::int32_t max_sms = 128;
constexpr std::int32_t max_threads = 65536;
constexpr std::int64_t max_lag = 1024;

void read_cpus(const located& v, graph_file& out) {
  const fields cpus{v, cpu_keys};
  const auto policy = cpus.require("policy", fmt::format("\"{}\"", fmt::join(policies, "\", \"")));
  out.policy = read_word(policy, policies);
  const std::int32_t count = read_count(cpus.require("count", "the number of cores"), max_cpus);
  const auto clusters = cpus.find("clusters");
  const std::int32_t parts = clusters ? read_count(clusters, static_cast<std::int32_t>(max_clusters)) : 1;
  if (count % parts != 0) {
    throw input_error{clusters.where, fmt::format("{} clusters do not divide {} cores", parts, count),
                      "clusters of one size"};
  }
  for (std::int32_t c = 0; c < parts; ++c) { static_cast<void>(out.platform.clusters.push_back(count / parts)); }
}

void read_gpu(const located& v, graph_file& out) {
  // The rule is looked at first, so that fields of another rule are not blamed before it.
  if (const auto* rule = v.value->find("sharing")) {
    static_cast<void>(read_word({rule, step_into(v.where, "sharing")}, sharings));
  }
  const fields gpu{v, gpu_keys, gpu_foreign};
  static_cast<void>(gpu.require("sharing", "\"fifo-blocks\", the rule of the GPU that graphs use"));
  out.platform.sms = read_count(gpu.require("sms", "the number of SMs"), max_sms);
  out.platform.threads_per_sm = read_count(gpu.require("threads_per_sm", "threads that an SM holds"), max_threads);
  if (const auto blocks = gpu.find("blocks_per_sm")) { out.platform.blocks_per_sm = read_count(blocks, max_threads); }
}

void read_platform(const located& v, graph_file& out) {
  const fields parts{v, platform_keys};
  if (const auto gpus = parts.find("gpus")) {
    const auto list = require_array(gpus, "one object");
    if (list.value->items.size() != 1) {
      throw input_error{gpus.where, fmt::format("has {} GPUs", list.value->items.size()),
                        "one GPU where kernels wait in one queue"};
    }
    read_gpu(list.item(0), out);
  }
  read_cpus(parts.require("cpus", "an object with count and policy"), out);
  if (const auto v_engines = parts.find("copy_engines")) {
    const fields engines{v_engines, engine_keys};
    const auto count = engines.find("count");
    out.platform.copy_engines = count ? read_count(count, max_threads) : 1;
    if (const auto policy = engines.find("policy")) { static_cast<void>(read_word(policy, engine_policies)); }
  }
}

void read_kernel(const located& v, graph_node<ticks>& out, graph_file& file) {
  // A kernel may carry the views of several systems; graphs need the one with `blocks`.
  std::array<string_view, kernel_keys.size() + kernel_views.size()> all{};
  auto* const end = std::ranges::copy(kernel_keys, all.begin()).out;
  std::ranges::transform(kernel_views, end, [](const foreign_key& k) { return k.key; });
  const bool has_blocks = v.value->find("blocks") != nullptr;
  const fields kernel = has_blocks ? fields{v, all} : fields{v, kernel_keys, kernel_views};
  out.blocks =
      read_integer(kernel.require("blocks", "how many blocks a job has"), 1, std::numeric_limits<std::int32_t>::max());
  const auto threads = kernel.require("threads_per_block", "threads of one block");
  if (file.platform.sms == 0) {
    throw input_error{v.where, "needs a GPU, and the platform has none", "platform.gpus, or no kernels"};
  }
  out.block_threads = read_count(threads, file.platform.threads_per_sm);
  const auto length = kernel.require("length", "the time of one block");
  out.block_length = read_longest(length);
  if (out.block_length < 1) { throw input_error{length.where, "0ns is not positive", "a time of at least 1ns"}; }
}

/// One step: what is under one of the keys cpu, copy, kernel of an object.
[[nodiscard]] auto read_step(const fields& object, const located& v, string_view allowed, graph_file& file)
    -> graph_node<ticks> {
  graph_node<ticks> out;
  located body;
  for (const string_view kind : step_kinds) {
    const auto found = object.find(kind);
    if (!found) { continue; }
    if (body) { throw input_error{found.where, "is a second kind of one step", std::string(allowed)}; }
    body = found;
    out.kind = kind == "cpu" ? node_kind::processor : kind == "copy" ? node_kind::copy : node_kind::kernel;
  }
  if (!body) { throw input_error{v.where, "has no step", std::string(allowed)}; }
  const auto launch = object.find("launch");
  const auto await = object.find("await");
  if (out.kind != node_kind::kernel) {
    if (launch || await) {
      throw input_error{(launch ? launch : await).where, "says nothing about a step without a kernel",
                        "CPU time around a kernel"};
    }
    out.wcet = read_longest(body);
    return out;
  }
  read_kernel(body, out, file);
  out.split = launch || await;
  if (launch) { out.launch = read_longest(launch); }
  if (await) { out.await = read_longest(await); }
  return out;
}

void require_room(bool room, const std::string& where) {
  if (!room) {
    throw input_error{
        where, "is more than this program holds",
        fmt::format("at most {} graphs, {} nodes and {} edges", max_graphs, max_graph_nodes, max_graph_edges)};
  }
}

/// What chains say of a copy, which says nothing to a graph.
void read_copy_parts(const fields& segment, node_kind kind) {
  for (const string_view key : {string_view{"direction"}, string_view{"bytes"}}) {
    const auto found = segment.find(key);
    if (!found) { continue; }
    if (kind != node_kind::copy) {
      throw input_error{found.where, "says nothing about a step without a copy", "a copy segment"};
    }
    if (key == "bytes") {
      static_cast<void>(read_integer(found, 0, std::numeric_limits<std::int64_t>::max()));
    } else {
      static_cast<void>(read_word(found, directions));
    }
  }
}

/// A chain of steps as one described node.
void read_chain(const located& v, const graph_node<ticks>& like, graph_file& file) {
  const auto chain = require_array(v, "at least one segment");
  for (std::size_t j = 0; j < chain.value->items.size(); ++j) {
    const located at = chain.item(j);
    const fields segment{at, segment_keys};
    graph_node<ticks> n = read_step(segment, at, "one of cpu, copy, kernel", file);
    read_copy_parts(segment, n.kind);
    n.name = like.name;
    n.parallelism = like.parallelism;
    n.point = like.point;
    require_room(j == 0 ? file.table.add_node(n) : file.table.extend_node(n), at.where);
    file.node_at.push_back(at.where);
    if (j > 0) { file.edge_at.push_back(at.where); }
  }
}

void read_node(const located& v, graph_file& file) {
  const fields node{v, node_keys};
  graph_node<ticks> like;
  like.name = file.texts.emplace_back(read_name(node, "the node's name"));
  if (const auto p = node.find("parallelism")) { like.parallelism = read_count(p, max_cpus); }
  if (const auto point = node.find("priority_point")) { like.point = read_time(point); }
  if (file.policy == "gel") {
    static_cast<void>(node.require("priority_point", "a time after the release, as the policy is \"gel\""));
  } else if (const auto point = node.find("priority_point")) {
    file.notes.push_back(fmt::format("{} is not used: it belongs to the \"gel\" policy", point.where));
  }
  if (const auto segments = node.find("segments")) {
    for (const string_view kind : step_kinds) {
      if (const auto second = node.find(kind)) {
        throw input_error{second.where, "is a second kind of one step", "one of cpu, copy, kernel, segments"};
      }
    }
    return read_chain(segments, like, file);
  }
  graph_node<ticks> n = read_step(node, v, "one of cpu, copy, kernel, segments", file);
  n.name = like.name;
  n.parallelism = like.parallelism;
  n.point = like.point;
  require_room(file.table.add_node(n), v.where);
  file.node_at.push_back(v.where);
}

/// First and last table node of each described node of a graph.
using node_ends = std::map<std::string, std::pair<std::uint32_t, std::uint32_t>>;

[[nodiscard]] auto end_of(const located& v, const node_ends& nodes, bool last) -> std::uint32_t {
  const std::string name = read_text(v, "the name of a node");
  const auto found = nodes.find(name);
  if (found == nodes.end()) {
    std::vector<string_view> names;
    for (const auto& [known, ends] : nodes) { names.emplace_back(known); }
    throw input_error{
        v.where,
        fmt::format("{} is no node of this graph, the nearest is \"{}\"", v.value->quoted(), nearest(name, names)),
        "the name of a node"};
  }
  return last ? found->second.second : found->second.first;
}

void read_edges(const located& list, const node_ends& nodes, bool history, graph_file& file) {
  if (!list) { return; }
  if (!list.is(json_value::kind::array)) { (void)require_array(list, "an array of edges"); }
  const string_view allowed = history ? "[from, to, lag]" : "[from, to]";
  for (std::size_t i = 0; i < list.value->items.size(); ++i) {
    const located edge = list.item(i);
    if (edge.is(json_value::kind::object)) {
      const fields tokens{edge, edge_keys};
      throw input_error{edge.where, "belongs to processing graphs (PGM), which this program does not read yet",
                        std::string(allowed)};
    }
    if (!edge.is(json_value::kind::array) || edge.value->items.size() != (history ? 3U : 2U)) {
      throw input_error{edge.where, "is no edge", std::string(allowed)};
    }
    const std::uint32_t from = end_of(edge.item(0), nodes, true);
    const std::uint32_t to = end_of(edge.item(1), nodes, false);
    const auto lag = history ? static_cast<std::int32_t>(read_integer(edge.item(2), 1, max_lag)) : 0;
    require_room(file.table.add_edge(from, to, lag), edge.where);
    file.edge_at.push_back(edge.where);
  }
}

/// What graphs and tasks have in common; begins a graph of the table.
void read_graph_head(const fields& object, const located& v, bool deadline_is_period, graph_file& file) {
  const std::string& name = file.texts.emplace_back(read_name(object, "the name of the graph"));
  const ticks period = read_time_from(object.require("period", "the shortest time between two releases"), 1);
  graph_wish wish;
  const auto deadline = object.find("deadline");
  wish.limited = deadline || deadline_is_period;
  wish.deadline = deadline ? read_time_from(deadline, 1) : period;
  const auto cluster = object.find("cluster");
  const auto last = static_cast<std::int64_t>(file.platform.clusters.size()) - 1;
  require_room(
      file.table.add_graph(name, period, cluster ? static_cast<std::int32_t>(read_integer(cluster, 0, last)) : 0),
      v.where);
  file.wishes.push_back(wish);
  file.graph_at.push_back(v.where);
}

void read_graph(const located& v, graph_file& file) {
  const fields graph{v, graph_keys};
  read_graph_head(graph, v, false, file);
  const auto list = require_list(graph.require("nodes", "an array of nodes"), "nodes", max_graph_nodes);
  node_ends nodes;
  for (std::size_t i = 0; i < list.value->items.size(); ++i) {
    const auto first = static_cast<std::uint32_t>(file.table.nodes.size());
    read_node(list.item(i), file);
    const std::string name{file.table.nodes[first].name};
    const bool is_new =
        nodes.emplace(name, std::pair{first, static_cast<std::uint32_t>(file.table.nodes.size() - 1)}).second;
    if (!is_new) {
      throw input_error{step_into(list.item(i).where, "name"),
                        fmt::format("\"{}\" names an earlier node too", one_line(name, 60)),
                        "a name of its own for each node of a graph"};
    }
  }
  read_edges(graph.find("edges"), nodes, false, file);
  read_edges(graph.find("history"), nodes, true, file);
}

void read_task(const located& v, graph_file& file) {
  const fields task{v, task_keys};
  read_graph_head(task, v, true, file);
  if (const auto unused = task.find("priority")) {
    file.notes.push_back(fmt::format("{} is not used: jobs have priorities, by their points", unused.where));
  }
  graph_node<ticks> like;
  like.name = file.table.graphs.back().name;
  if (file.policy == "gel") {
    throw input_error{v.where, "is a task, which has no nodes for the \"gel\" policy", "graphs"};
  }
  read_chain(task.require("segments", "the chain of segments"), like, file);
}

}  // namespace

auto explain_fault(const graph_file& file, const model_error& error) -> input_error {
  const std::string_view field = describe(error.fault).field;
  const bool overflow = error.fault == model_fault::time_overflow;
  if (error.edge != nowhere) { return refused_at(file.edge_at[error.edge], error); }
  if (error.visit != nowhere) { return refused_at(file.node_at[error.visit], error); }
  if (error.task == nowhere) { return refused_at(overflow ? file.list : std::string{"/platform"}, error); }
  const std::string& where = file.graph_at[error.task];
  return refused_at(field.empty() ? where : step_into(where, field), error);
}

auto is_graph_document(const json_value& document) -> bool {
  if (document.find("graphs") != nullptr || sharing_of(document) == "fifo-blocks") { return true; }
  const json_value* const policy = look_up(document, {"platform", "cpus", "policy"});
  return look_up(document, {"platform", "gpus"}) == nullptr && policy != nullptr &&
         policy->what == json_value::kind::string && std::ranges::find(policies, policy->text) != policies.end();
}

auto read_graphs(const json_value& document) -> std::unique_ptr<graph_file> {
  auto out = std::make_unique<graph_file>();
  const fields top{{&document, ""}, top_keys};
  out->name = read_head(top);
  read_platform(top.require("platform", "an object with cpus, gpus, copy_engines"), *out);
  const auto graphs = top.find("graphs");
  const auto tasks = top.find("tasks");
  if (!graphs && !tasks) { (void)top.require("graphs", "an array of graphs"); }
  out->list = graphs ? graphs.where : tasks.where;
  if (graphs) {
    const auto list = require_list(graphs, "graphs", max_graphs);
    for (std::size_t i = 0; i < list.value->items.size(); ++i) { read_graph(list.item(i), *out); }
  }
  if (tasks) {
    const auto list = require_list(tasks, "tasks", max_graphs);
    for (std::size_t i = 0; i < list.value->items.size(); ++i) { read_task(list.item(i), *out); }
  }
  if (const auto error = validate(out->table)) { throw explain_fault(*out, error); }
  if (const auto error = fits(out->table, out->platform)) { throw explain_fault(*out, error); }
  return out;
}

}  // namespace takt::program
