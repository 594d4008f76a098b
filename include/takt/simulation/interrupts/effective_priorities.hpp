// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/rules/locking/priority_graph.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::simulation {

/// Effective priorities of tasks of which each passes its own on to at most one other.
template <std::size_t MaxTasks>
class effective_priorities {
 public:
  constexpr effective_priorities() noexcept {
    heirs_.fill(no_request);
    edges_.fill(no_edge);
  }

  [[nodiscard]] constexpr auto operator[](request_id t) const noexcept -> const priority_point& {
    return graph_.effective(t);
  }
  constexpr void set_base(request_id t, const priority_point& p) noexcept { graph_.set_base(t, p); }

  /// From now on each of `tasks` passes its priority on to `heir(t)`. Tasks that wait for each other in a circle, which
  /// is a deadlock, pass on nothing along the edge that would close it.
  template <class Heir>
  constexpr void link(std::span<const request_id> tasks, Heir heir) {
    for (const request_id t : tasks) {
      const request_id to = heir(t);
      if (to != heirs_[index(t)]) { cut(t); }
      heirs_[index(t)] = to;
    }
    for (const request_id t : tasks) {
      if (heirs_[index(t)] == no_request || edges_[index(t)] != no_edge) { continue; }
      edges_[index(t)] = graph_.add_edge(t, heirs_[index(t)]).edge;
    }
  }
  /// t has nothing to pass on and no base priority any more.
  constexpr void forget(request_id t) noexcept {
    cut(t);
    heirs_[index(t)] = no_request;
    graph_.set_base(t, lowest_priority);
  }
  /// Calls `visit(t, priority)` for tasks whose effective priority has changed.
  template <class Visitor>
  constexpr void report_changes(Visitor&& visit) {
    graph_.report_changes(visit);
  }

 private:
  [[nodiscard]] static constexpr auto index(request_id t) noexcept -> std::size_t {
    return static_cast<std::size_t>(t);
  }
  constexpr void cut(request_id t) noexcept {
    if (edges_[index(t)] != no_edge) { graph_.remove_edge(edges_[index(t)]); }
    edges_[index(t)] = no_edge;
  }

  priority_graph<MaxTasks, MaxTasks> graph_;
  std::array<request_id, MaxTasks> heirs_{};
  std::array<priority_edge, MaxTasks> edges_{};
};

}  // namespace takt::simulation
