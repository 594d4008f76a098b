// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include <takt/analysis/any_stations.hpp>
#include <takt/core/checked.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/board_stations.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/graph/graph_layout.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

/// Bounds the jobs of nodes that can be under way in a run.
inline constexpr std::size_t most_node_jobs = 1024;
/// Counts clusters, the queues of GPUs and engines, and two for each graph: where its input and its output are called.
inline constexpr std::size_t most_graph_stations = 128;

class placed_stations : public any_stations<most_graph_stations, most_node_jobs, std::size_t{1} << 25, 1> {
 public:
  /// Returns false when full, or when the rule cannot serve it.
  template <class Rule>
  auto add(const Rule& rule, std::int32_t units, const board_station& at) -> bool {
    at_.push_back(at);
    return any_stations::add(rule, units);
  }
  [[nodiscard]] auto operator[](std::size_t s) const -> const board_station& { return at_[s]; }

 private:
  std::vector<board_station> at_;
};

/// Is one of the jobs of a node that can be under way at a time, or of the input or the output of a graph.
struct node_instance {
  std::uint32_t graph = 0;
  std::uint32_t node = 0;  ///< in the graph, as in its waits
  std::int64_t instance = 0;
};

/// Holds laid out graphs on the stations of a board. Each instance of a node is a task of one visit, since jobs of a
/// node overlap. Waits between them are no part of it. Stations of calls are of no pool: they come after the board's.
struct flat_graphs {
  visit_table<most_node_jobs, most_node_jobs> table{};
  placed_stations stations{};
  model_error error{};
  std::vector<node_instance> jobs;  ///< by task
  std::vector<ticks> offsets;       ///< none: releases are named by whoever joins them
  std::vector<ticks> points;        ///< of the visits, from the release of the invocation
};

template <class P>
class graph_flattener {
 public:
  /// Pre: all outlive it.
  template <std::size_t N, std::size_t V>
  graph_flattener(const P& board, const graph_layout& laid, const plan<N, V>& p, flat_graphs& out)
      : board_{&board}, laid_{&laid}, out_{&out} {
    for (std::uint32_t g = 0; g < laid.graphs.size(); ++g) {
      gpus_.push_back(g < p.shares.size() ? p.shares[g].gpu : 0);
    }
  }
  void run() {
    for (std::uint32_t g = 0; g < laid_->graphs.size() && !out_->error; ++g) {
      const laid_graph& own = laid_->graphs[g];
      for (std::uint32_t v = 0; v < own.record.nodes && !out_->error; ++v) { add_node(g, v); }
      add_call(g, own.input(), "input");
      add_call(g, own.output(), "output");
    }
  }

 private:
  template <class Reference>
  using facts_of = takt::detail::pool_facts<std::remove_cvref_t<Reference>>;

  void fail(model_fault fault, std::uint32_t graph, std::uint32_t node) {
    if (!out_->error) { out_->error = fault_at(fault, graph, node); }
  }
  void add_node(std::uint32_t graph, std::uint32_t v) {
    const laid_node& n = laid_->nodes[laid_->graphs[graph].record.first_node + v];
    switch (n.node.kind) {
      case node_kind::junction: return add(graph, v, takt::cpu(duration{0}));
      case node_kind::processor: return add(graph, v, takt::cpu(duration{0}, duration{n.node.wcet}));
      case node_kind::copy: return add(graph, v, takt::copy(duration{0}, duration{n.node.wcet}));
      case node_kind::kernel:
        return add(graph, v,
                   grid_kernel{{n.node.blocks, n.node.block_threads}, duration{n.node.block_length}, {}, {}, false});
    }
  }
  template <class S>
  void add(std::uint32_t graph, std::uint32_t v, const S& asked) {
    const graph_record<ticks>& g = laid_->graphs[graph].record;
    const auto found = takt::detail::route(*board_, asked, gpus_[graph], {.task = graph});
    if (!found.served || found.seen.fault != model_fault::none) {
      return fail(found.served ? found.seen.fault : not_served<S>(found.alike), graph, g.first_node + v);
    }
    board_station at{.pool = found.pool, .unit = 0, .units = found.units};
    if constexpr (std::is_same_v<S, cpu_segment>) {
      at.units = found.names_cores ? found.cluster_size : found.units;
      at.unit = g.cluster * at.units;
      if (at.units < 1 || at.unit + at.units > found.units) {
        return fail(model_fault::cluster_out_of_range, graph, 0);
      }
    }
    enter(graph, v, at, found);
  }
  template <class S>
  [[nodiscard]] static auto not_served(std::int32_t pools) -> model_fault {
    if (std::is_same_v<S, copy_segment>) { return model_fault::copy_without_engine; }
    if (std::is_same_v<S, cpu_segment>) { return model_fault::platform_size_out_of_range; }
    return pools == 0 ? model_fault::kernel_without_gpu : model_fault::plan_does_not_fit;
  }
  void enter(std::uint32_t graph, std::uint32_t v, const board_station& at, const takt::detail::routed_visit& found) {
    const graph_record<ticks>& g = laid_->graphs[graph].record;
    const laid_node& n = laid_->nodes[g.first_node + v];
    const std::uint32_t station = station_of(at);
    if (station == most_graph_stations) { return fail(model_fault::too_many_segments, graph, v); }
    const ticks point = later(n.offset, by_policy_[station] ? n.node.point : g.period);
    for (std::int64_t k = 0; k < n.instances; ++k) {
      const flow_record job{.name = n.node.name, .period = g.period, .deadline = g.period, .priority = n.priority};
      if (!add_task(job, {graph, v, k}, station, found.seen, point)) {
        return fail(model_fault::too_many_segments, graph, v);
      }
    }
  }
  /// Calls of one graph come one after the other, on no processor of the board.
  void add_call(std::uint32_t graph, std::uint32_t node, std::string_view name) {
    if (out_->error) { return; }
    const ticks period = laid_->graphs[graph].record.period;
    const auto station = static_cast<std::uint32_t>(out_->stations.size());
    by_policy_.push_back(false);
    const bool fits = out_->stations.add(takt::fifo, 1, {.pool = P::pool_count, .unit = 0, .units = 0}) &&
                      add_task({.name = name, .period = period, .deadline = period, .priority = 0}, {graph, node, 0},
                               station, {}, period);
    if (!fits) { return fail(model_fault::too_many_segments, graph, 0); }
  }
  [[nodiscard]] auto add_task(const flow_record& job, const node_instance& who, std::uint32_t station,
                              const visit_view& seen, ticks point) -> bool {
    out_->jobs.push_back(who);
    out_->offsets.push_back(0);
    out_->points.push_back(point);
    return out_->table.add_task(job) &&
           out_->table.add_visit(station, seen.time.lower, seen.time.upper, 0, seen.values);
  }

  [[nodiscard]] auto station_of(const board_station& wanted) -> std::uint32_t {
    for (std::uint32_t s = 0; s < out_->stations.size(); ++s) {
      if (out_->stations[s] == wanted) { return s; }
    }
    by_policy_.push_back(false);
    bool fits = false;
    std::uint32_t pool = 0;
    board_->each([&](const auto& p) {
      if (pool++ == wanted.pool) { fits = add_station(p, wanted); }
    });
    return fits ? static_cast<std::uint32_t>(out_->stations.size() - 1)
                : static_cast<std::uint32_t>(most_graph_stations);
  }
  /// Points of a policy are those of the nodes, in whole ticks.
  template <class Pool>
  [[nodiscard]] auto add_station(const Pool& p, const board_station& at) -> bool {
    using rule = typename Pool::rule_type;
    if constexpr (GlobalRule<rule>) {
      by_policy_.back() = true;
      if constexpr (is_preemptive<rule>) {
        return out_->stations.add(takt::g_edf, at.units, at);
      } else {
        return out_->stations.add(takt::nonpreemptive(takt::g_edf), at.units, at);
      }
    } else {
      return out_->stations.add(p.rule, facts_of<Pool>::runs_kernels(p) ? 1 : at.units, at);
    }
  }

  const P* board_;
  const graph_layout* laid_;
  flat_graphs* out_;
  std::vector<std::int32_t> gpus_;  ///< by graph
  std::vector<bool> by_policy_;     ///< by station
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::runtime
