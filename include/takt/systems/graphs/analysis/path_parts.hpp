// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/model_error.hpp>
#include <takt/rules/bound_parts.hpp>

namespace takt::inline TAKT_ABI::analysis::detail {

/// Says what a graph's bound consists of. These are the responses of the nodes on a path to the node that ends last.
/// The time in which that path waits for the graph's own past or for a planned start is added. Nodes are described by a
/// refined table and by the offset and response of each. Pre: the graph is bounded. Cost: nodes x edges of the graph.
template <class Table, class Verdict>
constexpr void say_path(const Table& refined, std::uint32_t graph, Verdict& out) {
  TAKT_EXPECTS(graph < refined.graphs.size() && out.visits.size() == refined.nodes.size());
  const auto& g = refined.graphs[graph];
  const auto& offsets = out.plan.offsets;
  const auto end_of = [&](std::uint32_t v) { return offsets[v] + out.visits[v].response; };
  struct step {
    std::uint32_t node = no_index;
    ticks wait = 0;  ///< before the node: for the past of the graph, or for its planned start
    bool waits_for_past = false;
  };
  step path[Table::max_nodes]{};
  std::size_t length = 0;
  std::uint32_t at = g.first_node;
  for (std::uint32_t v = g.first_node; v < g.first_node + g.nodes; ++v) { at = end_of(v) > end_of(at) ? v : at; }
  for (std::uint32_t before = at; before != no_index && length < Table::max_nodes; at = before) {
    step& now = path[length++];
    now.node = at;
    before = no_index;
    for (std::uint32_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
      const graph_edge& edge = refined.edges[e];
      if (edge.to != at) { continue; }
      if (edge.lag != 0) {
        now.waits_for_past = now.waits_for_past || end_of(edge.from) - edge.lag * g.period == offsets[at];
      } else if (before == no_index || end_of(edge.from) > end_of(before)) {
        before = edge.from;
      }
    }
    const ticks ready = before == no_index ? 0 : end_of(before);
    now.wait = offsets[at] - ready;
    now.waits_for_past = now.waits_for_past && now.wait > 0;
    // What comes before a wait for the past does not matter for the bound.
    if (now.waits_for_past) {
      now.wait = offsets[at];
      before = no_index;
    }
  }
  auto& parts = out.tasks[graph].parts;
  while (length-- > 0) {
    const step& now = path[length];
    const auto position = static_cast<std::uint16_t>(now.node - g.first_node);
    parts.add(term_kind::history, graph, now.wait, now.waits_for_past ? takt::detail::whole_job : position);
    parts.add(term_kind::node, graph, out.visits[now.node].response, position);
  }
}

}  // namespace takt::inline TAKT_ABI::analysis::detail
