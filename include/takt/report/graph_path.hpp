// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI::report {

/// Returns "camera.detect launch" or "log.log[2]": a visit by its graph, the node that was described, its place in a
/// chain of several segments, and its part.
template <class Visits>
[[nodiscard]] auto visit_name(const Visits& visits, std::size_t v, std::string_view graph) -> std::string {
  const auto& visit = visits[v];
  const bool chain = std::any_of(visits.begin(), visits.end(), [&visit](const auto& other) {
    return other.task == visit.task && other.name == visit.name && other.segment != visit.segment;
  });
  const std::string of{graph};
  const auto described = [&](std::string_view suffix) {
    const std::string place = chain ? "[" + std::to_string(visit.segment) + "]" : "";
    return (of + ".").append(visit.name).append(place).append(suffix);
  };
  switch (static_cast<node_part>(visit.part)) {
    case node_part::whole:
    case node_part::kernel: return described("");
    case node_part::launch: return described(" launch");
    case node_part::await: return described(" await");
    case node_part::source: return of + " source";
    case node_part::sink: return of + " sink";
  }
  return std::string{graph};
}

/// Returns what a graph's bound consists of. These are the responses of the nodes on a path to the node that ends last.
/// The time in which that path waits for the graph's own past or for a planned start is added. Nodes are described by a
/// refined table and by the offset and response of each. Pre: the graph is bounded. Cost: nodes x edges of the graph.
template <class Table, class Offsets, class Visits>
[[nodiscard]] auto graph_terms(const Table& refined, std::uint32_t graph, const Offsets& offsets, const Visits& visits)
    -> std::vector<term<ticks>> {
  TAKT_EXPECTS(graph < refined.graphs.size());
  const auto& g = refined.graphs[graph];
  const auto end_of = [&](std::uint32_t v) { return offsets[v] + visits[v].response; };
  std::uint32_t at = g.first_node;
  for (std::uint32_t v = g.first_node; v < g.first_node + g.nodes; ++v) {
    if (end_of(v) > end_of(at)) { at = v; }
  }
  std::vector<term<ticks>> out;
  for (std::uint32_t before = at; before != no_index; at = before) {
    out.push_back({.what = term_kind::node, .by = graph, .time = visits[at].response, .visit = at});
    before = no_index;
    bool waits_for_past = false;
    for (std::uint32_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
      const graph_edge& edge = refined.edges[e];
      if (edge.to != at) { continue; }
      if (edge.lag != 0) {
        waits_for_past = waits_for_past || end_of(edge.from) - edge.lag * g.period == offsets[at];
      } else if (before == no_index || end_of(edge.from) > end_of(before)) {
        before = edge.from;
      }
    }
    const ticks ready = before == no_index ? 0 : end_of(before);
    if (const ticks gap = offsets[at] - ready; gap > 0) {
      out.push_back({.what = term_kind::history, .by = graph, .time = gap, .visit = waits_for_past ? no_index : at});
      // What comes before a wait for the past does not matter for the bound.
      if (waits_for_past) {
        out.back().time = offsets[at];
        before = no_index;
      }
    }
  }
  std::ranges::reverse(out);
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
