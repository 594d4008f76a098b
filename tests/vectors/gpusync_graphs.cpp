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

#include <takt/analysis/gel/devi_anderson.hpp>
#include <takt/analysis/graph/pgm_latency.hpp>
#include <takt/rules/graph/feedback.hpp>
#include <takt/rules/graph/rate_based.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

constexpr std::size_t max_nodes = 32;
constexpr std::size_t max_edges = 256;
using pgm = takt::pgm_table<exact, max_nodes, max_edges>;
using rates = takt::graph_rates<exact, max_nodes>;
using gel_tasks = takt::gel_table<exact, max_nodes>;

/// Nodes by name, in the order of the file.
struct named_nodes {
  std::vector<std::string> names;

  explicit named_nodes(const json& nodes) : names(nodes.get<std::vector<std::string>>()) {}
  [[nodiscard]] auto at(const json& name) const -> std::uint32_t {
    const auto found = std::ranges::find(names, name.get<std::string>());
    if (found == names.end()) { throw std::runtime_error("unknown node"); }
    return static_cast<std::uint32_t>(found - names.begin());
  }
};

[[nodiscard]] auto edge_in(const json& e, const named_nodes& nodes) -> takt::token_edge {
  const auto amount = [&](std::size_t i) { return e.size() > i ? e[i].get<std::int64_t>() : 1; };
  return {nodes.at(e[0]), nodes.at(e[1]), amount(2), amount(3), amount(4)};
}

/// `graph` keeps views of the names.
[[nodiscard]] auto graph_in(const json& input, const named_nodes& nodes) -> pgm {
  pgm graph;
  const json none = json::object();
  const json& sources = input.contains("sources") ? input["sources"] : none;
  const json& exec = input.contains("exec") ? input["exec"] : none;
  for (const auto& name : nodes.names) {
    takt::pgm_node<exact> n{.name = name};
    if (sources.contains(name)) {
      n.arrivals = sources[name][0].get<std::int64_t>();
      n.window = exact_value(sources[name][1]).value();
    }
    if (exec.contains(name)) { n.wcet = exact_value(exec[name]).value(); }
    if (!graph.nodes.push_back(n)) { throw std::length_error("too many nodes"); }
  }
  for (const auto& e : input.at("edges")) {
    if (!graph.edges.push_back(edge_in(e, nodes))) { throw std::length_error("too many edges"); }
  }
  return graph;
}

/// Response bounds of the nodes under G-EDF, by the tardiness of Devi and Anderson. Empty without any.
[[nodiscard]] auto responses(const pgm& graph, const rates& r, std::int32_t processors) -> std::vector<exact> {
  gel_tasks tasks;
  for (std::size_t v = 0; v < graph.nodes.size(); ++v) {
    const exact period = r.nodes[v].period();
    tasks.add({.name = graph.nodes[v].name, .wcet = graph.nodes[v].wcet, .period = period, .deadline = period});
  }
  const auto bounds = takt::analysis::devi_anderson(tasks, processors);
  std::vector<exact> out;
  for (std::size_t v = 0; bounds.bounded() && v < graph.nodes.size(); ++v) {
    out.push_back(std::max(bounds.tasks[v].response, tasks.tasks[v].deadline));
  }
  return out;
}

[[nodiscard]] auto pgm_case(const json& input) -> answer {
  const json& described = input.at("graph");
  const named_nodes nodes{described.at("nodes")};
  const pgm graph = graph_in(described, nodes);
  const rates r = takt::derive_rates(graph);
  if (r.error) { return {json{{"error", takt::describe(r.error.fault).problem}}, {}}; }
  json out{{"order", json::array()}, {"nodes", json::object()}};
  for (std::size_t k = 0; k < r.order.size(); ++k) { out["order"].push_back(nodes.names[r.order[k]]); }
  const bool timed = described.contains("exec");
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
  if (!timed || !input.contains("m")) { return {out, {}}; }
  const auto bounds = responses(graph, r, input["m"].get<std::int32_t>());
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

[[nodiscard]] auto feedback_case(const json& input) -> answer {
  const json& described = input.at("feedback");
  const named_nodes nodes{described.at("nodes")};
  std::vector<takt::token_edge> forward;
  for (const auto& e : described.at("edges")) { forward.push_back(edge_in(e, nodes)); }
  std::deque<std::string> objects;
  std::vector<takt::object_use> uses;
  if (described.contains("access")) {
    for (const auto& [object, users] : described["access"].items()) {
      objects.push_back(object);
      for (const auto& user : users) { uses.push_back({objects.back(), nodes.at(user)}); }
    }
  }
  const auto f = takt::make_feedback<max_nodes, max_edges>(
      nodes.names.size(), std::span<const takt::token_edge>(forward), std::span<const takt::object_use>(uses),
      described.value("N", std::int64_t{0}));
  if (!f.complete) { return {json{{"error", "no feedback graph"}}, {}}; }
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
  for (std::size_t v = 0; v < nodes.names.size() && !r.error; ++v) {
    const auto& rate = r.nodes[v];
    out["rates"][nodes.names[v]] = {to_json(rate.arrivals), to_json(rate.window), to_json(rate.period())};
  }
  return {out, {}};
}

}  // namespace

void add_gpusync_design_graphs(suite& kinds) { kinds["pgm"] = pgm_case; }
void add_gpusync_analysis_graphs(suite& kinds) { kinds["feedback"] = feedback_case; }

}  // namespace takt_vectors
