// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/graph/fine.hpp>
#include <takt/analysis/graph/timing.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/model/graph/graph_fault.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/rules/graph/tags.hpp>

namespace takt {

struct node_verdict {
  std::string_view name;
  node_part part = node_part::whole;
  std::uint32_t graph = 0;
  std::uint32_t segment = 0;  ///< position in the chain of its node
  ticks offset = 0;           ///< of the nominal release from that of the graph
  ticks response = 0;         ///< bound, from the nominal release
};

struct graph_verdict_row {
  std::string_view name;
  ticks end_to_end = 0;  ///< bound, from the release of an invocation to the end of its last node
  ticks period = 0;
};

/// What is known of graphs on a platform: bounds of all nodes and graphs, or none.
template <std::size_t MaxNodes, std::size_t MaxGraphs>
struct graph_verdict {
  analysis::graph_status status = analysis::graph_status::invalid_model;
  std::uint32_t where = nowhere;  ///< the cluster or the graph without a bound
  graph_error error{};
  inline_vector<graph_verdict_row, MaxGraphs> graphs;
  inline_vector<node_verdict, MaxNodes> nodes;

  [[nodiscard]] constexpr auto bounded() const noexcept -> bool { return status == analysis::graph_status::bounded; }
  /// Bound of a graph, by its position in the given order; the largest duration without one.
  [[nodiscard]] constexpr auto end_to_end(std::size_t graph) const noexcept -> duration {
    return bounded() && graph < graphs.size() ? duration{graphs[graph].end_to_end} : duration::max();
  }
  /// Invocations of a graph that can be under way at a time. Pre: bounded().
  [[nodiscard]] constexpr auto instances(std::size_t graph) const noexcept -> std::int64_t {
    const std::int64_t count = ceil_divide(graphs[graph].end_to_end, graphs[graph].period);
    return count < 1 ? 1 : count;
  }
};

namespace analysis::detail {

template <GraphPlatform P>
[[nodiscard]] constexpr auto fine_options_of() -> fine_options {
  return {.policy = takt::detail::global_rule_of<P>::policy};
}

template <class Verdict, class Table>
constexpr void report(Verdict& out, const Table& refined, const timing_of<Table>& timing) {
  out.status = timing.status;
  out.where = timing.where;
  if (!timing.bounded()) { return; }
  for (std::size_t i = 0; i < refined.graphs.size(); ++i) {
    const auto& g = refined.graphs[i];
    static_cast<void>(out.graphs.push_back({g.name, timing.end_to_end[i], g.period}));
  }
  for (std::size_t v = 0; v < refined.nodes.size(); ++v) {
    const auto& n = refined.nodes[v];
    static_cast<void>(out.nodes.push_back({n.name, n.part, n.graph, n.segment, timing.offset[v], timing.response[v]}));
  }
}

}  // namespace analysis::detail

/// Bounds the time from each invocation of a graph to its end, when every node is a task of its own whose jobs may
/// overlap. Copies are tasks on the copy engines, or execution of CPU nodes if the platform has no pool of engines.
/// Error: `invalid_model` and `overflow`, with the field in `error`; in a constant expression a wrong model stops
/// compilation with a sentence. Cost: see `fine_bounds`. Source: Yang et al. 2018.
template <GraphPlatform P, GraphSet T>
[[nodiscard]] constexpr auto analyze(const P& platform, const T& graphs,
                                     detail::graph_refusal&& refused = detail::graph_refusal{
                                         detail::check_graphs<P>::passed}) {
  if constexpr (detail::check_graphs<P>::passed) {
    const auto& table = graphs.template flat<ticks>();
    using flat = std::remove_cvref_t<decltype(table)>;
    graph_verdict<refined_table<flat>::max_nodes, flat::max_graphs> out;
    const graph_platform record = graph_platform_of(platform);
    if constexpr (requires { graphs.fault(); }) {
      out.error = graphs.fault();
    } else {
      out.error = validate(table);
    }
    if (!out.error) { out.error = fits(table, record); }
    refused.error = out.error;
    if (out.error) {
      if (out.error.fault == graph_fault::time_overflow) { out.status = analysis::graph_status::overflow; }
      return out;
    }
    const auto copies = record.copy_engines > 0 ? copy_placement::engine : copy_placement::processor;
    const auto refined = refine(table, copies);
    analysis::detail::report(out, refined,
                             analysis::fine_bounds(refined, record, analysis::detail::fine_options_of<P>()));
    return out;
  }
}

}  // namespace takt
