// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "parts.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::int32_t most_parallel = 1024;
constexpr std::int64_t max_lag = 1024;
constexpr std::int64_t most_tokens = std::int64_t{1} << 40;

/// A node, and where its visits stand in the task.
struct node_entry {
  string_view name;
  std::vector<placed_visit> visits;
  std::uint32_t first = 0;

  [[nodiscard]] auto last() const -> std::uint32_t { return first + static_cast<std::uint32_t>(visits.size()) - 1; }
};

struct edge_entry {
  std::size_t from = 0;
  std::size_t to = 0;
  std::optional<std::int64_t> produce;
  std::optional<std::int64_t> threshold;
  std::optional<std::int64_t> consume;
  std::optional<std::int64_t> lag;
  std::optional<std::int64_t> initial;
  std::string at{};
};
const table<edge_entry> edge_table{"an edge",
                                   {{"from", &edge_entry::from, needed("the name of a node")},
                                    {"to", &edge_entry::to, needed("the name of a node")},
                                    {"produce", &edge_entry::produce, integer(1, most_tokens)},
                                    {"threshold", &edge_entry::threshold, integer(1, most_tokens)},
                                    {"consume", &edge_entry::consume, integer(1, most_tokens)},
                                    {"lag", &edge_entry::lag, integer(0, max_lag)},
                                    {"initial", &edge_entry::initial, integer(0, most_tokens)}}};

[[nodiscard]] auto read_node(const json_value& v, workload_file& file) -> node_entry {
  require_keys(v, with_own_names(node_keys, file));
  constexpr string_view allowed = "one of cpu, copy, kernel, segments";
  node_entry out{.name = file.texts.emplace_back(read_name(v, "the node's name")), .visits = {}};
  const auto* const segments = v.find("segments");
  for (const string_view key : with_own_names(segment_keys, file).keys) {
    if (const auto* const second = v.find(key); segments != nullptr && second != nullptr) {
      throw input_error{second->where, "is a second kind of one step", std::string(allowed)};
    }
  }
  out.visits = segments != nullptr ? read_segments(*segments, file) : read_step(v, allowed, file);
  if (file.rules.cpus == "gel") {
    (void)require(v, "priority_point", "a time after the release, as the policy is \"gel\"");
  }
  const auto* const parallelism = v.find("parallelism");
  const auto* const point = v.find("priority_point");
  for (placed_visit& step : out.visits) {
    step.visit.name = out.name;
    step.visit.parallelism = parallelism == nullptr ? any_parallelism : read_count(*parallelism, most_parallel);
    step.visit.point = point == nullptr ? 0 : read_time(*point);
  }
  return out;
}

/// An edge of tokens whose ends have one rate: job j of `to` needs `threshold` tokens beyond the `consume` x j of the
/// jobs before it, and k jobs of `from` have made `initial` + k x `produce`. So it waits for job j - lag of `from`.
[[nodiscard]] auto lag_of(const edge_entry& edge, const json_value& v) -> std::int64_t {
  const std::int64_t produce = edge.produce.value_or(1);
  const std::int64_t consume = edge.consume.value_or(produce);
  const std::int64_t threshold = edge.threshold.value_or(consume);
  const std::int64_t initial = edge.initial.value_or(0);
  if (produce != consume) {
    throw input_error{v.find("consume")->where,
                      fmt::format("{} differs from the {} that a job of the other end makes", consume, produce),
                      "one rate for all nodes of a task: tasks of their own where rates differ"};
  }
  if (threshold > initial + produce) {
    throw input_error{v.find("threshold")->where, fmt::format("{} waits for later jobs of the other end", threshold),
                      fmt::format("at most {}, so that one more job is enough", initial + produce)};
  }
  const std::int64_t lag = 1 - (threshold > initial ? 1 : -((initial - threshold) / produce));
  if (lag > max_lag) { throw input_error{v.where, fmt::format("lets {} jobs run ahead", lag), "fewer initial tokens"}; }
  return lag;
}

/// An object, or its first values in an array.
[[nodiscard]] auto read_edge(const json_value& v, bool history, const std::vector<string_view>& nodes) -> edge_entry {
  json_value edge = v;
  if (v.is(json_value::kind::array) && v.items.size() == (history ? 3U : 2U)) {
    constexpr std::array<string_view, 3> keys{"from", "to", "lag"};
    edge.what = json_value::kind::object;
    for (std::size_t i = 0; i < v.items.size(); ++i) { edge.items[i].key = keys[i]; }
  } else if (!v.is(json_value::kind::object)) {
    throw input_error{v.where, "is no edge", history ? "[from, to, lag]" : "[from, to]"};
  }
  edge_entry out;
  read_object(edge, edge_table, out);
  out.at = v.where;
  constexpr string_view thing = "node of this graph";
  out.from = position_of(*edge.find("from"), thing, nodes, "the name of a node");
  out.to = position_of(*edge.find("to"), thing, nodes, "the name of a node");
  for (const string_view key : {"produce", "threshold", "consume", "initial"}) {
    if (const auto* const tokens = edge.find(key); tokens != nullptr && (out.lag || history)) {
      throw input_error{tokens->where, "is about tokens, and the edge has a lag", "tokens under \"edges\", or a lag"};
    }
  }
  if (history) { (void)read_integer(require(edge, "lag", "1 or more jobs"), 1, max_lag); }
  if (!out.lag) { out.lag = lag_of(out, edge); }
  return out;
}

/// Nodes such that every edge without a lag leads forward; ties in the order of the file. Throws at a cycle.
[[nodiscard]] auto forward_order(std::size_t nodes, const std::vector<edge_entry>& edges, const json_value& at)
    -> std::vector<std::size_t> {
  std::vector<std::size_t> order;
  const auto is_placed = [&](std::size_t n) { return std::ranges::count(order, n) > 0; };
  while (order.size() < nodes) {
    std::size_t next = 0;
    const auto waits = [&](const edge_entry& e) { return e.to == next && e.lag == 0 && !is_placed(e.from); };
    while (next < nodes && (is_placed(next) || std::ranges::any_of(edges, waits))) { ++next; }
    if (next == nodes) { throw refused_at(at.where, {.fault = model_fault::cycle_without_history, .task = 0}); }
    order.push_back(next);
  }
  return order;
}

void add_visit(const placed_visit& v, workload_file& file) {
  if (!file.tasks.add_visit(v.visit)) {
    throw input_error{v.at, "is one step more than this program holds",
                      fmt::format("at most {} of a task and {} in all", max_visits_of_task, max_file_visits)};
  }
  file.visit_at.push_back(v.at);
}

/// Whether a visit follows the one before it, and nothing else.
[[nodiscard]] auto follows(const runtime_visit& v, std::uint32_t position) -> bool {
  return v.predecessors == (position == 0 ? 0 : visit_mask{1} << (position - 1));
}

[[nodiscard]] auto is_chain(const workload_file& file, std::size_t task) -> bool {
  for (std::uint32_t p = 0; p < file.tasks.tasks[task].visit_count; ++p) {
    const runtime_visit& v = file.tasks.visit(task, p);
    if (!v.name.empty() || !follows(v, p) || v.point != 0 || v.parallelism != any_parallelism) { return false; }
  }
  return std::ranges::none_of(file.tasks.history, [task](const runtime_edge& e) { return e.task == task; });
}

}  // namespace

void read_chain(const json_value& v, workload_file& file) {
  for (placed_visit& step : read_segments(v, file)) {
    const std::uint32_t position = file.tasks.tasks.back().visit_count;
    step.visit.parallelism = any_parallelism;
    step.visit.predecessors = position == 0 ? 0 : visit_mask{1} << (position - 1);
    add_visit(step, file);
  }
}

void read_graph(const json_value& v, workload_file& file) {
  const json_value& given = require(v, "nodes", "an array of nodes");
  std::vector<node_entry> nodes;
  std::vector<string_view> names;
  for (const json_value& item : require_list(given, "nodes", max_visits_of_task)) {
    node_entry& node = nodes.emplace_back(read_node(item, file));
    if (std::ranges::count(names, node.name) > 0) {
      throw input_error{step_into(item.where, "name"),
                        fmt::format("\"{}\" names an earlier node too", one_line(node.name, 60)),
                        "a name of its own for each node of a graph"};
    }
    names.push_back(node.name);
  }
  std::vector<edge_entry> edges;
  for (const string_view key : {"edges", "history"}) {
    const auto* const all = v.find(key);
    if (all == nullptr) { continue; }
    if (!all->is(json_value::kind::array)) { refuse_kind(*all, "an array of edges"); }
    for (const json_value& edge : all->items) { edges.push_back(read_edge(edge, key == "history", names)); }
  }
  const auto* const cycles = v.find("edges");
  for (const std::size_t n : forward_order(nodes.size(), edges, cycles == nullptr ? given : *cycles)) {
    node_entry& node = nodes[n];
    node.first = file.tasks.tasks.back().visit_count;
    visit_mask before = 0;
    for (const edge_entry& e : edges) {
      if (e.to == n && e.lag == 0) { before |= visit_mask{1} << nodes[e.from].last(); }
    }
    for (placed_visit& step : node.visits) {
      step.visit.predecessors = before;
      before = visit_mask{1} << file.tasks.tasks.back().visit_count;
      add_visit(step, file);
    }
  }
  const auto task = static_cast<std::uint32_t>(file.tasks.size() - 1);
  for (const edge_entry& e : edges) {
    const auto lag = static_cast<std::int32_t>(*e.lag);
    if (lag > 0 && !file.tasks.history.try_push_back({task, nodes[e.from].last(), nodes[e.to].first, lag})) {
      throw input_error{e.at, "is one edge more than this program holds", fmt::format("at most {}", max_file_visits)};
    }
  }
}

void print_body(const workload_file& file, std::size_t task, ordered_json& out) {
  const bool says_regions = file.more[task].preemption == "cooperative";
  if (is_chain(file, task)) {
    for (std::uint32_t p = 0; p < file.tasks.tasks[task].visit_count; ++p) {
      out["segments"].push_back(print_step(file, file.tasks.visit(task, p), says_regions));
    }
    return;
  }
  std::vector<string_view> names;  // of the nodes that visits are of
  std::deque<std::string> given;
  for (std::uint32_t p = 0; p < file.tasks.tasks[task].visit_count; ++p) {
    const runtime_visit& v = file.tasks.visit(task, p);
    const bool same = p > 0 && !v.name.empty() && v.name == names.back() && follows(v, p);
    names.push_back(v.name.empty() ? given.emplace_back(fmt::format("step {}", p)) : v.name);
    if (!same) {
      ordered_json node{{"name", names.back()}};
      if (v.parallelism != any_parallelism) { node["parallelism"] = v.parallelism; }
      if (v.point != 0 || file.rules.cpus == "gel") { node["priority_point"] = v.point; }
      out["nodes"].push_back(std::move(node));
      for (std::uint32_t q = 0; q < p; ++q) {
        if ((v.predecessors >> q & 1U) != 0) { out["edges"].push_back({names[q], names[p]}); }
      }
    }
    out["nodes"].back()["segments"].push_back(print_step(file, v, says_regions));
  }
  for (const runtime_edge& e : file.tasks.history) {
    if (e.task == task) { out["history"].push_back({names[e.from], names[e.to], e.lag}); }
  }
}

auto edge_keys() -> object_keys { return edge_table.keys(); }

}  // namespace takt::program
