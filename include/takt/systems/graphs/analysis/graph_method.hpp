// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/analysis/method_list.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/checked.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/rules/graph/refine_for.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/systems/graphs/analysis/fine.hpp>
#include <takt/systems/graphs/analysis/path_parts.hpp>
#include <takt/systems/graphs/analysis/timing.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

template <GraphPlatform P>
[[nodiscard]] constexpr auto fine_options_of() -> fine_options {
  return {.policy = takt::detail::refined_policy<P>, .preemptive = is_preemptive<takt::detail::global_rule_of<P>>};
}

/// Returns how many jobs of a node, or invocations of a graph, can be under way at a time. Pre: period > 0.
[[nodiscard]] constexpr auto jobs_at_once(ticks response, ticks period) noexcept -> std::int32_t {
  TAKT_EXPECTS(period > 0);
  const ticks count = ceil_divide(response, period);
  return count < 1 ? 1 : count > max_units ? max_units : static_cast<std::int32_t>(count);
}

template <class Verdict, class Table>
constexpr void report(Verdict& out, const Table& refined, const timing_of<Table>& timing) {
  out.why = timing.status;
  out.where = timing.where;
  out.status = takt::detail::status_of(timing.status);
  if (out.status == verdict_status::overflow) { out.error = {.fault = model_fault::time_overflow}; }
  const bool bounded = timing.bounded();
  for (std::size_t i = 0; i < refined.graphs.size(); ++i) {
    // Bound: one per graph and one per node of the refined table, for which the verdict has room; so below.
    out.tasks.unchecked_push_back({.name = refined.graphs[i].name,
                                   .bound = {bounded ? timing.end_to_end[i] : ticks{}, bounded},
                                   .evaluated = true,
                                   .meets = bounded,
                                   .limited = false});
  }
  for (std::size_t v = 0; bounded && v < refined.nodes.size(); ++v) {
    const auto& n = refined.nodes[v];
    out.visits.unchecked_push_back({n.name, n.graph, n.segment, static_cast<std::uint8_t>(n.part), timing.response[v]});
    out.plan.offsets.unchecked_push_back(timing.offset[v]);
    out.plan.instances.unchecked_push_back(jobs_at_once(timing.response[v], refined.period_of(v)));
  }
}

/// Checks whether offsets that were chosen leave each node the time that its bound asks for. Bounds do not depend on
/// offsets, so such a plan is as good as the least one; ends follow from it.
template <class Verdict, class Table, std::size_t N, std::size_t V>
constexpr void check_offsets(Verdict& out, const Table& refined, const plan<N, V>& p) {
  constexpr model_error mismatch{.fault = model_fault::plan_does_not_fit};
  if (p.offsets.empty() || !out.bounded()) { return; }
  for (std::uint32_t e = 0; e < refined.edges.size(); ++e) {
    const graph_edge& edge = refined.edges[e];
    const std::uint32_t graph = refined.nodes[edge.from].graph;
    ticks ready = 0;
    ticks back = 0;
    if (p.offsets[edge.from] < 0 || !checked_add(p.offsets[edge.from], out.visits[edge.from].response, ready) ||
        !checked_multiply(refined.graphs[graph].period, static_cast<ticks>(edge.lag), back)) {
      return out.refuse(mismatch);
    }
    if (p.offsets[edge.to] < ready - back) {
      return out.refuse({.fault = model_fault::plan_does_not_fit, .task = graph, .visit = edge.to});
    }
  }
  for (auto& t : out.tasks) { t.bound.value = 0; }
  for (std::size_t v = 0; v < refined.nodes.size(); ++v) {
    auto& end = out.tasks[refined.nodes[v].graph].bound.value;
    ticks finish = 0;
    if (p.offsets[v] < 0 || !checked_add(p.offsets[v], out.visits[v].response, finish)) { return out.refuse(mismatch); }
    end = end < finish ? finish : end;
  }
  for (std::size_t v = 0; v < refined.nodes.size(); ++v) { out.plan.offsets[v] = p.offsets[v]; }
}

/// Writes what is known of refined graphs under a plan for their nodes.
template <class Verdict, class Table, std::size_t N, std::size_t V>
constexpr void judge_refined(Verdict& out, const Table& refined, const graph_platform& record, const fine_options& how,
                             const plan<N, V>& p) {
  constexpr plan_parts used{.offsets = true, .instances = true};
  if (const auto error = parts_fault(p, used, refined.graphs.size(), refined.nodes.size())) {
    return out.refuse(error);
  }
  report(out, refined, fine_bounds(refined, record, how));
  if (!p.offsets.empty()) { check_offsets(out, refined, p); }
  for (std::size_t v = 0; !out.error && v < p.instances.size() && v < out.plan.instances.size(); ++v) {
    if (p.instances[v] < out.plan.instances[v]) { out.refuse({.fault = model_fault::plan_does_not_fit}); }
    out.plan.instances[v] = p.instances[v];
  }
  for (std::uint32_t g = 0; g < out.tasks.size() && out.bounded(); ++g) { say_path(refined, g, out); }
}

}  // namespace detail

/// Bounds the time from each invocation of a graph to its end, when every node is a task of its own whose jobs may
/// overlap. Copies are tasks on the copy engines, or execution of CPU nodes if the platform has no pool of engines.
/// `schedulable` says that every graph has a bound; the plan of the verdict holds the offsets of the nodes and how many
/// jobs of each can be under way. A plan that is given may place nodes later, and give them more instances. Without
/// preemption there is a bound where no node limits its parallelism. Cost: see `fine_bounds`. Source: Yang et al. 2018.
template <bool Preemptive>
struct overlapping_nodes_method {
  static constexpr std::string_view name = Preemptive ? "overlapping-nodes" : "overlapping-nodes-nonpreemptive";
  template <class T>
  static constexpr bool judges = GraphSet<T>;

  template <GraphPlatform P, GraphSet T, std::size_t N, std::size_t V>
  [[nodiscard]] static constexpr auto judge(const P& platform, const T& graphs, const plan<N, V>& p) {
    const auto& table = graphs.template flat<ticks>();
    using flat = std::remove_cvref_t<decltype(table)>;
    using refined_type = refined_table<flat>;
    verdict<ticks, flat::max_graphs, refined_type::max_nodes> out;
    out.method = name;
    const graph_platform record = graph_platform_of(platform);
    model_error error = fault_of_graphs(graphs);
    if (!error) { error = located(fits(table, record), table.graphs); }
    refined_type refined;
    if (!error && !refine_for(platform, table, refined)) { error = {.fault = model_fault::time_overflow}; }
    if (error) {
      out.refuse(error);
      return out;
    }
    detail::judge_refined(out, refined, record, detail::fine_options_of<P>(), p);
    return out;
  }
};
/// Knows graphs whose jobs may overlap.
struct overlapping_graphs : method_family {
  template <GraphPlatform P>
    requires(!std::is_const_v<P> && takt::detail::graph_gap_of<P>() == takt::detail::graph_gap::none)
  using on = overlapping_nodes_method<is_preemptive<takt::detail::global_rule_of<P>>>;
};

}  // namespace takt::inline TAKT_ABI::analysis
