// SPDX-License-Identifier: Apache-2.0
// Mechanisms of progress as edges of a graph: what they say of a lock becomes effective priorities.
#pragma once

#include <array>
#include <cstddef>

#include <takt/rules/locking/priority_graph.hpp>
#include <takt/rules/locking/progress.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt_tests {

using takt::added_edge;
using takt::edge_status;
using takt::no_edge;
using takt::no_request;
using takt::priority_edge;
using takt::priority_graph;
using takt::priority_node;
using takt::ProgressMechanism;
using takt::request_id;
using takt::detail::Contended;

/// The edges of one lock in a graph of effective priorities, kept in step with the lock's state. Client c of the lock
/// is node c of the graph; a boost is an edge from a node with the base priority `boosted_priority`.
template <std::size_t Clients>
class progress_edges {
 public:
  constexpr progress_edges() noexcept { edges_.fill(no_edge); }

  /// To be called after every event of the lock. `cycle`: the holders of several locks wait for each other, a deadlock;
  /// `full`: the graph has too few edges. In both cases the edges that could be added are there, and the next call
  /// tries again.
  /// Cost: one step per client, and the graph's for each edge that changes.
  template <takt::detail::Contended Lock, ProgressMechanism<Lock> Mechanism, std::size_t Nodes, std::size_t Edges>
  [[nodiscard]] constexpr auto follow(const Lock& lock, const Mechanism& mechanism, priority_graph<Nodes, Edges>& graph,
                                      priority_node booster) noexcept -> edge_status {
    static_assert(Clients <= Nodes);
    for (request_id c = 0; c < capacity; ++c) {
      const priority_edge e = edges_[index(c)];
      if (e == no_edge) { continue; }
      const bool is_boost = graph.source(e) == booster;
      const bool stays = is_boost ? mechanism.boosted(lock, c) : mechanism.inheritor(lock, c) == graph.target(e);
      if (stays) { continue; }
      graph.remove_edge(e);
      edges_[index(c)] = no_edge;
    }
    edge_status status = edge_status::added;
    for (request_id c = 0; c < capacity; ++c) {
      if (edges_[index(c)] != no_edge) { continue; }
      const request_id inheritor = mechanism.inheritor(lock, c);
      if (inheritor == no_request && !mechanism.boosted(lock, c)) { continue; }
      const added_edge added = inheritor != no_request ? graph.add_edge(c, inheritor) : graph.add_edge(booster, c);
      edges_[index(c)] = added.edge;
      if (added.status != edge_status::added) { status = added.status; }
    }
    return status;
  }

 private:
  static constexpr auto capacity = static_cast<request_id>(Clients);

  [[nodiscard]] static constexpr auto index(request_id c) noexcept -> std::size_t {
    return static_cast<std::size_t>(c);
  }

  std::array<priority_edge, Clients> edges_{};  ///< out of a client that waits, into one that is boosted
};

}  // namespace takt_tests
