// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <takt/core/checked.hpp>

#include "../failure.hpp"
#include "read_tasks.hpp"
#include "words.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::int32_t most_parallel = 1024;
constexpr std::int64_t max_lag = 1024;
constexpr std::int64_t most_tokens = std::int64_t{1} << 40;

struct graph_node_text {
  std::vector<placed_visit> visits;
  std::size_t first = 0;  ///< of the visits, in the table
};
struct graph_edge_text {
  std::size_t from = 0;
  std::size_t to = 0;
  std::int32_t lag = 0;
  std::string at;
};

[[nodiscard]] auto read_node(const located& v, const spelling& how, workload_file& file) -> graph_node_text {
  const auto own = own_names(file);
  const fields node = words::members(v, words::node, own);
  const string_view name = file.texts.emplace_back(read_name(node, "the node's name"));
  graph_node_text out;
  if (const auto segments = node.find("segments")) {
    std::vector<string_view> other{"cpu", "copy", "kernel", "launch", "await", "direction", "bytes", "section"};
    other.insert(other.end(), own.begin(), own.end());
    for (const string_view key : other) {
      if (const auto second = node.find(key)) {
        throw input_error{second.where, "is a second kind of one step", "one of cpu, copy, kernel, segments"};
      }
    }
    out.visits = read_chain(segments, how, file);
  } else {
    out.visits = read_step(node, v, "one of cpu, copy, kernel, segments", how, file);
  }
  const auto parallelism = node.find("parallelism");
  const auto point = file.rules.cpus == "gel"
                         ? node.require("priority_point", "a time after the release, as the policy is \"gel\"")
                         : node.find("priority_point");
  for (placed_visit& step : out.visits) {
    step.visit.name = name;
    step.visit.parallelism = parallelism ? read_count(parallelism, most_parallel) : any_parallelism;
    if (point) { step.visit.point = read_time(point); }
  }
  return out;
}

using node_names = std::map<std::string, std::size_t>;

[[nodiscard]] auto node_at(const located& v, const node_names& nodes) -> std::size_t {
  const std::string name = read_text(v, "the name of a node");
  const auto found = nodes.find(name);
  if (found == nodes.end()) {
    std::vector<string_view> names;
    for (const auto& [known, position] : nodes) { names.emplace_back(known); }
    throw input_error{
        v.where,
        fmt::format("{} is no node of this graph, the nearest is \"{}\"", v.value->quoted(), nearest(name, names)),
        "the name of a node"};
  }
  return found->second;
}

/// An edge of tokens whose ends have one rate: job j of `to` needs `threshold` tokens beyond the `consume` x j of the
/// jobs before it, and k jobs of `from` have made `initial` + k x `produce`. So it waits for job j - lag of `from`.
[[nodiscard]] auto lag_of(const fields& edge, const located& v) -> std::int32_t {
  const auto number = [&edge](string_view key, std::int64_t otherwise, std::int64_t least) {
    const auto found = edge.find(key);
    return found ? read_integer(found, least, most_tokens) : otherwise;
  };
  const std::int64_t produce = number("produce", 1, 1);
  const std::int64_t consume = number("consume", produce, 1);
  const std::int64_t threshold = number("threshold", consume, 1);
  const std::int64_t initial = number("initial", 0, 0);
  if (produce != consume) {
    throw input_error{edge.find("consume").where,
                      fmt::format("{} differs from the {} that a job of the other end makes", consume, produce),
                      "one rate for all nodes of a task: tasks of their own where rates differ"};
  }
  if (threshold > initial + produce) {
    throw input_error{edge.find("threshold").where, fmt::format("{} waits for later jobs of the other end", threshold),
                      fmt::format("at most {}, so that one more job is enough", initial + produce)};
  }
  const std::int64_t lag = 1 - (threshold > initial ? 1 : -((initial - threshold) / produce));
  if (lag > max_lag) { throw input_error{v.where, fmt::format("lets {} jobs run ahead", lag), "fewer initial tokens"}; }
  return static_cast<std::int32_t>(lag);
}

[[nodiscard]] auto read_edge(const located& v, bool history, const node_names& nodes) -> graph_edge_text {
  const string_view allowed = history ? "[from, to, lag]" : "[from, to]";
  graph_edge_text out;
  out.at = v.where;
  if (v.is(json_value::kind::object)) {
    const fields edge = words::members(v, words::edge);
    out.from = node_at(edge.require("from", "the name of a node"), nodes);
    out.to = node_at(edge.require("to", "the name of a node"), nodes);
    const auto lag = edge.find("lag");
    for (const string_view key :
         {string_view{"produce"}, string_view{"threshold"}, string_view{"consume"}, string_view{"initial"}}) {
      if (const auto tokens = edge.find(key); tokens && (lag || history)) {
        throw input_error{tokens.where, "is about tokens, and the edge has a lag", "tokens under \"edges\", or a lag"};
      }
    }
    if (history) {
      out.lag = static_cast<std::int32_t>(read_integer(edge.require("lag", "1 or more jobs"), 1, max_lag));
    } else {
      out.lag = lag ? static_cast<std::int32_t>(read_integer(lag, 0, max_lag)) : lag_of(edge, v);
    }
    return out;
  }
  if (!v.is(json_value::kind::array) || v.value->items.size() != (history ? 3U : 2U)) {
    throw input_error{v.where, "is no edge", std::string(allowed)};
  }
  out.from = node_at(v.item(0), nodes);
  out.to = node_at(v.item(1), nodes);
  if (history) { out.lag = static_cast<std::int32_t>(read_integer(v.item(2), 1, max_lag)); }
  return out;
}

/// Nodes such that every edge without a lag leads forward; ties in the order of the file. Throws at a cycle.
[[nodiscard]] auto forward_order(const std::vector<graph_node_text>& nodes, const std::vector<graph_edge_text>& edges,
                                 const std::string& where) -> std::vector<std::size_t> {
  std::vector<std::size_t> open(nodes.size());
  for (const graph_edge_text& e : edges) { open[e.to] += e.lag == 0 ? 1U : 0U; }
  std::vector<std::size_t> order;
  std::vector<bool> done(nodes.size());
  while (order.size() < nodes.size()) {
    std::size_t next = 0;
    while (next < nodes.size() && (done[next] || open[next] > 0)) { ++next; }
    if (next == nodes.size()) { throw refused_at(where, {.fault = model_fault::cycle_without_history, .task = 0}); }
    done[next] = true;
    order.push_back(next);
    for (const graph_edge_text& e : edges) { open[e.to] -= e.from == next && e.lag == 0 ? 1U : 0U; }
  }
  return order;
}

}  // namespace

void read_nodes(const fields& graph, const spelling& how, workload_file& file) {
  const auto given = graph.require("nodes", "an array of nodes");
  const auto list = require_list(given, "nodes", max_visits_of_task);
  std::vector<graph_node_text> nodes;
  node_names names;
  for (std::size_t i = 0; i < list.value->items.size(); ++i) {
    nodes.push_back(read_node(list.item(i), how, file));
    const std::string_view name = nodes.back().visits[0].visit.name;
    if (!names.emplace(name, i).second) {
      throw input_error{step_into(list.item(i).where, "name"),
                        fmt::format("\"{}\" names an earlier node too", one_line(name, 60)),
                        "a name of its own for each node of a graph"};
    }
  }
  std::vector<graph_edge_text> edges;
  for (const bool history : {false, true}) {
    const auto all = graph.find(history ? "history" : "edges");
    if (!all) { continue; }
    if (!all.is(json_value::kind::array)) { (void)require_array(all, "an array of edges"); }
    for (std::size_t i = 0; i < all.value->items.size(); ++i) {
      edges.push_back(read_edge(all.item(i), history, names));
    }
  }
  const auto task = static_cast<std::uint32_t>(file.tasks.size() - 1);
  const std::uint32_t first_visit = file.tasks.tasks[task].first_visit;
  for (const std::size_t n :
       forward_order(nodes, edges, graph.find("edges") ? graph.find("edges").where : given.where)) {
    graph_node_text& node = nodes[n];
    node.first = file.tasks.visits.size() - first_visit;
    visit_mask before = 0;
    for (const graph_edge_text& e : edges) {
      if (e.to == n && e.lag == 0) {
        before |= visit_mask{1} << (nodes[e.from].first + nodes[e.from].visits.size() - 1);
      }
    }
    for (std::size_t j = 0; j < node.visits.size(); ++j) {
      node.visits[j].visit.predecessors = j == 0 ? before : visit_mask{1} << (node.first + j - 1);
      add_visit(node.visits[j], file);
    }
  }
  for (const graph_edge_text& e : edges) {
    if (e.lag == 0) { continue; }
    const auto from = static_cast<std::uint32_t>(nodes[e.from].first + nodes[e.from].visits.size() - 1);
    if (!file.tasks.history.push_back({task, from, static_cast<std::uint32_t>(nodes[e.to].first), e.lag})) {
      throw input_error{e.at, "is one edge more than this program holds", fmt::format("at most {}", max_file_visits)};
    }
  }
}

}  // namespace takt::program
