// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <takt/analysis/methods/gel/devi_anderson.hpp>
#include <takt/report/fault_text.hpp>
#include <takt/rules/graph/feedback.hpp>
#include <takt/rules/graph/rate_based.hpp>
#include <takt/systems/graphs/analysis/pgm_latency.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

constexpr std::size_t max_nodes = 128;
constexpr std::size_t max_edges = 1024;
using pgm = takt::pgm_table<exact, max_nodes, max_edges>;
using rates = takt::graph_rates<exact, max_nodes>;
using gel_tasks = takt::task_rows<takt::gel_task<exact>, max_nodes>;

/// Nodes by name, in the order of the file.
struct named_nodes {
  std::vector<std::string> names;

  explicit named_nodes(const field& nodes) : names(nodes.get<std::vector<std::string>>()) {
    nodes.must_fit(names.size() <= max_nodes, max_nodes);
  }
  [[nodiscard]] auto at(const field& name) const -> std::uint32_t {
    const auto found = std::ranges::find(names, name.text());
    if (found == names.end()) { name.refuse("is no node"); }
    return static_cast<std::uint32_t>(found - names.begin());
  }
};

[[nodiscard]] auto edge_in(const field& e, const named_nodes& nodes) -> takt::token_edge {
  const auto amount = [&](std::size_t i) { return e.size() > i ? e.at(i).get<std::int64_t>() : 1; };
  return {nodes.at(e.at(0)), nodes.at(e.at(1)), amount(2), amount(3), amount(4)};
}
[[nodiscard]] auto edges_in(const field& list, const named_nodes& nodes) -> std::vector<takt::token_edge> {
  std::vector<takt::token_edge> out;
  for (const field e : list) { out.push_back(edge_in(e, nodes)); }
  return out;
}

/// `graph` keeps views of the names.
[[nodiscard]] auto graph_in(const field& input, const named_nodes& nodes) -> pgm {
  pgm graph;
  const field sources = input.object_or_empty("sources");
  for (const auto& name : nodes.names) {
    takt::pgm_node<exact> n{.name = name};
    if (sources.contains(name)) {
      n.arrivals = sources.at(name).at(0).get<std::int64_t>();
      n.window = sources.at(name).at(1).get<exact>();
    }
    input.at("nodes").must_fit(graph.nodes.try_push_back(n), max_nodes);
  }
  const field edges = input.at("edges");
  for (const auto& e : edges_in(edges, nodes)) { edges.must_fit(graph.edges.try_push_back(e), max_edges); }
  return graph;
}

/// Response bounds of the nodes under G-EDF, by the tardiness of Devi and Anderson. Empty without any.
[[nodiscard]] auto responses(const pgm& graph, const rates& r, std::int32_t processors) -> std::vector<exact> {
  gel_tasks tasks;
  for (std::size_t v = 0; v < graph.nodes.size(); ++v) {
    const exact period = r.nodes[v].period();
    static_cast<void>(tasks.add(  // there is room for every node
        {.name = graph.nodes[v].name, .wcet = graph.nodes[v].wcet, .period = period, .deadline = period}));
  }
  const auto bounds = takt::analysis::devi_anderson(tasks, processors);
  std::vector<exact> out;
  for (std::size_t v = 0; bounds.bounded() && v < graph.nodes.size(); ++v) {
    out.push_back(std::max(bounds.tasks[v].response, tasks.tasks[v].deadline));
  }
  return out;
}

[[nodiscard]] auto pgm_case(const field& input) -> answer {
  const field described = input.at("graph");
  const named_nodes nodes{described.at("nodes")};
  pgm graph = graph_in(described, nodes);
  const bool timed = described.contains("exec");
  const field times = described.object_or_empty("exec");
  for (std::size_t v = 0; v < nodes.names.size(); ++v) { graph.nodes[v].wcet = times.value(nodes.names[v], exact(0)); }
  const auto processors = input.optional<std::int32_t>("m");
  const rates r = takt::derive_rates(graph);
  if (r.error) { return {json{{"error", takt::describe(r.error.fault).problem}}, {}}; }
  json out{{"order", json::array()}, {"nodes", json::object()}};
  for (std::size_t k = 0; k < r.order.size(); ++k) { out["order"].push_back(nodes.names[r.order[k]]); }
  for (std::size_t v = 0; v < nodes.names.size(); ++v) {
    json& n = out["nodes"][nodes.names[v]];
    n = json{{"chi", to_json(r.nodes[v].arrivals)},
             {"upsilon", to_json(r.nodes[v].window)},
             {"d", to_json(r.nodes[v].period())},
             {"p", to_json(r.nodes[v].period())}};
    if (timed) {
      n["e"] = to_json(graph.nodes[v].wcet);
      n["u"] = to_json(r.nodes[v].utilization(graph.nodes[v].wcet));
    }
  }
  if (!timed || !processors) { return {out, {}}; }
  const auto bounds = responses(graph, r, *processors);
  if (bounds.empty()) { return {out, {}}; }
  std::array<exact, max_nodes> by_node{};
  std::ranges::copy(bounds, by_node.begin());
  const auto latency = takt::analysis::end_to_end_latencies(graph, r, by_node);
  for (std::size_t v = 0; v < nodes.names.size(); ++v) {
    out["response"][nodes.names[v]] = to_json(by_node[v]);
    out["latency"][nodes.names[v]] = to_json(latency[v]);
  }
  return {out, {}};
}

[[nodiscard]] auto feedback_case(const field& input) -> answer {
  const field described = input.at("feedback");
  const named_nodes nodes{described.at("nodes")};
  const auto forward = edges_in(described.at("edges"), nodes);
  std::deque<std::string> objects;
  std::vector<takt::object_use> uses;
  for (const auto& [object, users] : described.object_or_empty("access").members()) {
    objects.push_back(object);
    for (const field user : users) { uses.push_back({objects.back(), nodes.at(user)}); }
  }
  const auto copies = described.optional<std::int64_t>("N");
  if (copies && *copies < 1) { described.at("N").refuse("is no number of copies"); }
  const auto f =
      takt::make_feedback<max_nodes, max_edges>(nodes.names.size(), std::span<const takt::token_edge>(forward),
                                                std::span<const takt::object_use>(uses), copies.value_or(0));
  if (!f.complete) { throw std::runtime_error("a cycle, or more feedback edges than this runner has room for"); }
  json out{{"N", f.copies}, {"feedback", json::array()}};
  std::map<std::pair<std::string, std::string>, std::int64_t> sorted;
  for (const auto& e : f.edges) { sorted[{nodes.names[e.from], nodes.names[e.to]}] = e.initial; }
  for (const auto& [edge, tokens] : sorted) { out["feedback"].push_back({edge.first, edge.second, tokens}); }
  const auto base = described.value("base", std::int32_t{0});
  for (std::size_t v = 0; v < nodes.names.size(); ++v) {
    out["depth"][nodes.names[v]] = f.depth[v];
    out["fifo_priority"][nodes.names[v]] = f.fifo_priority(v, base);
  }
  if (!described.contains("sources")) { return {out, {}}; }
  const rates r = takt::derive_rates(graph_in(described, nodes));
  if (r.error) { throw std::runtime_error(std::string{takt::describe(r.error.fault).problem}); }
  for (std::size_t v = 0; v < nodes.names.size(); ++v) {
    const auto& rate = r.nodes[v];
    out["rates"][nodes.names[v]] = {to_json(rate.arrivals), to_json(rate.window), to_json(rate.period())};
  }
  return {out, {}};
}

}  // namespace

void add_gpusync_design_graphs(suite& kinds) { kinds["pgm"] = pgm_case; }
void add_gpusync_analysis_graphs(suite& kinds) { kinds["feedback"] = feedback_case; }

}  // namespace takt_vectors
