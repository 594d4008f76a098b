// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/gel_task.hpp>
#include <takt/model/mutex_key.hpp>

namespace takt::inline TAKT_ABI {

enum class node_kind : std::uint8_t {
  processor,  ///< runs on a CPU of the graph's cluster
  kernel,     ///< thread blocks on the GPU
  copy,       ///< a copy engine
  junction,   ///< takes no time and no resource: holds edges together
};
[[nodiscard]] constexpr auto last_of(node_kind) noexcept -> node_kind { return node_kind::junction; }

/// Says what a node of a refined graph is of the node that was described.
enum class node_part : std::uint8_t {
  whole,
  launch,  ///< CPU time that hands a kernel to the GPU
  kernel,
  await,   ///< CPU time after the kernel
  source,  ///< added before several nodes without predecessors
  sink,    ///< added after several nodes without successors
};
[[nodiscard]] constexpr auto last_of(node_part) noexcept -> node_part { return node_part::sink; }

/// Says what a node's `parallelism` P limits.
enum class job_limit : std::uint8_t {
  slots,     ///< the P oldest unfinished jobs may run
  distance,  ///< job j starts after job j - P
};
[[nodiscard]] constexpr auto last_of(job_limit) noexcept -> job_limit { return job_limit::distance; }

/// One step of a graph. A run-time node whose chain has several segments is several nodes with one `owner`, joined by
/// edges in the order of the chain.
template <ExactNumber Number>
struct graph_node {
  std::string_view name;
  node_kind kind = node_kind::processor;
  node_part part = node_part::whole;
  bool split = false;  ///< a kernel that CPU nodes launch and await
  job_limit limit = job_limit::slots;
  std::int64_t parallelism = unrestricted_parallelism;
  std::uint32_t graph = 0;         ///< position of its graph
  std::uint32_t owner = 0;         ///< position of its run-time node, counted over all graphs
  std::uint32_t segment = 0;       ///< position in the chain of its run-time node
  Number wcet{};                   ///< `processor`, `copy`
  Number point{};                  ///< relative priority point, where the scheduler takes it from the nodes
  Number block_length{};           ///< `kernel`: time of one block, from its start to its end
  std::int64_t blocks = 0;         ///< `kernel`: per job
  std::int32_t block_threads = 0;  ///< `kernel`: threads of one block
  Number launch{};                 ///< CPU times of a kernel that is `split`
  Number await{};
  mutex_key mutex{};          ///< that it holds, if any, with what of its run-time node is of the same `section`
  std::uint32_t section = 0;  ///< of those of its run-time node
};

/// Job j of `to` starts after job j - `lag` of `from`. Edges with a lag are the history edges.
struct graph_edge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int32_t lag = 0;

  [[nodiscard]] friend constexpr auto operator==(const graph_edge&, const graph_edge&) noexcept -> bool = default;
};

template <ExactNumber Number>
struct graph_record {
  std::string_view name;
  Number period{};           ///< shortest time between two invocations, and period of every node
  std::int32_t cluster = 0;  ///< of the CPUs that run its CPU nodes
  std::uint32_t first_node = 0;
  std::uint32_t nodes = 0;
  std::uint32_t first_edge = 0;
  std::uint32_t edges = 0;
};

/// Graphs whose nodes and edges lie back to back. Nodes and edges are named by their position in the whole table.
template <ExactNumber Number, std::size_t MaxNodes, std::size_t MaxEdges, std::size_t MaxGraphs = MaxNodes>
struct graph_table {
  using number = Number;
  static constexpr std::size_t max_nodes = MaxNodes;
  static constexpr std::size_t max_edges = MaxEdges;
  static constexpr std::size_t max_graphs = MaxGraphs;

  inline_vector<graph_record<Number>, MaxGraphs> graphs;
  inline_vector<graph_node<Number>, MaxNodes> nodes;
  inline_vector<graph_edge, MaxEdges> edges;
  std::uint32_t owners = 0;  ///< run-time nodes

  /// Begins a graph; nodes and edges that are added belong to the last one. False when full.
  constexpr auto add_graph(std::string_view name, const Number& period, std::int32_t cluster = 0) -> bool {
    graph_record<Number> g;
    g.name = name;
    g.period = period;
    g.cluster = cluster;
    g.first_node = static_cast<std::uint32_t>(nodes.size());
    g.first_edge = static_cast<std::uint32_t>(edges.size());
    return graphs.try_push_back(g);
  }
  /// Adds a run-time node. Pre: a graph has been begun. False when full.
  constexpr auto add_node(graph_node<Number> n) -> bool {
    TAKT_EXPECTS(!graphs.empty());
    n.owner = owners;
    n.segment = 0;
    if (!append(n)) { return false; }
    ++owners;
    return true;
  }
  /// Adds the next segment of the last node's chain, and its edge. Pre: a node has been added. False when full.
  constexpr auto extend_node(graph_node<Number> n) -> bool {
    TAKT_EXPECTS(!nodes.empty());
    const auto last = static_cast<std::uint32_t>(nodes.size() - 1);
    n.owner = nodes[last].owner;
    n.segment = nodes[last].segment + 1;
    return append(n) && add_edge(last, last + 1);
  }
  /// Adds a node as it is, but for its graph: `owner` and `segment` are the caller's. Pre: a graph has been begun.
  /// False when full.
  constexpr auto append(graph_node<Number> n) -> bool {
    TAKT_EXPECTS(!graphs.empty());
    n.graph = static_cast<std::uint32_t>(graphs.size() - 1);
    if (!nodes.try_push_back(n)) { return false; }
    ++graphs.back().nodes;
    return true;
  }
  /// Pre: a graph has been begun. False when full.
  constexpr auto add_edge(std::uint32_t from, std::uint32_t to, std::int32_t lag = 0) -> bool {
    TAKT_EXPECTS(!graphs.empty());
    if (!edges.try_push_back({from, to, lag})) { return false; }
    ++graphs.back().edges;
    return true;
  }

  /// Pre: node < nodes.size().
  [[nodiscard]] constexpr auto period_of(std::size_t node) const -> const Number& {
    TAKT_EXPECTS(node < nodes.size());
    return graphs[nodes[node].graph].period;
  }

  /// A table stands wherever typed graphs do.
  template <std::same_as<Number> N = Number>
  [[nodiscard]] constexpr auto flat() const -> const graph_table& {
    return *this;
  }
};

}  // namespace takt::inline TAKT_ABI
