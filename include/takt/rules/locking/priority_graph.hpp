// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/to_index.hpp>
#include <takt/rules/locking/priority_heaps.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI {

/// Names a job, a helper thread or a daemon, which runs at an effective priority.
using priority_node = std::int32_t;

enum class edge_status : std::uint8_t {
  added,
  cycle,  ///< refused: the two would wait for each other, which is a deadlock
  full,   ///< refused: all edges are in use
};

struct added_edge {
  edge_status status = edge_status::added;
  priority_edge edge = no_edge;  ///< `no_edge` when refused

  [[nodiscard]] friend constexpr auto operator==(const added_edge&, const added_edge&) noexcept -> bool = default;
};

/// Effective priorities along chains of waiting, donation and help. That of a node is the best of its base priority and
/// the effective priorities of the nodes with an edge to it. Edges come and go and base priorities rise and fall in any
/// order, as stealing, budgets and releases demand; several edges may leave a node.
///
/// A change first updates a heap over the edges into a node and goes on only where the best of the node changes. One
/// change moves each node at most once. A better value arrives everywhere as the same value. A node keeps an outdated
/// value until the last edge that brought it has been updated. Cost: per node whose priority changes, one heap update
/// (amortized logarithmic in the edges into the target) for each edge out of it; `add_edge` besides visits what can be
/// reached from `to`, unless nothing leads to `from`. Source: Elliott 2015, section 3.3.3, steps P1 to P3.
template <std::size_t Nodes, std::size_t Edges>
class priority_graph {
 public:
  constexpr priority_graph() noexcept {
    base_.fill(lowest_priority);
    effective_.fill(lowest_priority);
    reported_.fill(lowest_priority);
    first_out_.fill(no_edge);
    for (std::size_t e = 0; e < Edges; ++e) {
      next_out_[e] = e + 1 < Edges ? static_cast<priority_edge>(e + 1) : no_edge;
    }
    free_ = Edges > 0 ? 0 : no_edge;
  }

  [[nodiscard]] static constexpr auto nodes() noexcept -> priority_node { return static_cast<priority_node>(Nodes); }

  /// `lowest_priority` takes the base priority away.
  constexpr void set_base(priority_node n, const priority_point& p) noexcept {
    base_[to_index(n)] = p;
    settle(n);
  }

  /// From now on `to` runs at least at the effective priority of `from`.
  [[nodiscard]] constexpr auto add_edge(priority_node from, priority_node to) noexcept -> added_edge {
    if (free_ == no_edge) { return {edge_status::full, no_edge}; }
    if (reaches(to, from)) { return {edge_status::cycle, no_edge}; }
    const priority_edge e = free_;
    free_ = next_out_[to_index(e)];
    from_[to_index(e)] = from;
    to_[to_index(e)] = to;
    const priority_edge first = first_out_[to_index(from)];
    next_out_[to_index(e)] = first;
    previous_out_[to_index(e)] = no_edge;
    if (first != no_edge) { previous_out_[to_index(first)] = e; }
    first_out_[to_index(from)] = e;
    sources_.insert(to, e, effective_[to_index(from)]);
    settle(to);
    return {edge_status::added, e};
  }

  /// Pre: e was added and not removed since.
  constexpr void remove_edge(priority_edge e) noexcept {
    TAKT_EXPECTS(is_used(e));
    const priority_node to = to_[to_index(e)];
    const priority_edge before = previous_out_[to_index(e)];
    const priority_edge after = next_out_[to_index(e)];
    if (before == no_edge) {
      first_out_[to_index(from_[to_index(e)])] = after;
    } else {
      next_out_[to_index(before)] = after;
    }
    if (after != no_edge) { previous_out_[to_index(after)] = before; }
    sources_.remove(to, e);
    next_out_[to_index(e)] = free_;
    free_ = e;
    settle(to);
  }

  [[nodiscard]] constexpr auto base(priority_node n) const noexcept -> const priority_point& {
    return base_[to_index(n)];
  }
  [[nodiscard]] constexpr auto effective(priority_node n) const noexcept -> const priority_point& {
    return effective_[to_index(n)];
  }
  [[nodiscard]] constexpr auto source(priority_edge e) const noexcept -> priority_node { return from_[to_index(e)]; }
  [[nodiscard]] constexpr auto target(priority_edge e) const noexcept -> priority_node { return to_[to_index(e)]; }
  /// Returns the node next to n from which its effective priority comes; n itself where its base priority is the best.
  [[nodiscard]] constexpr auto giver(priority_node n) const noexcept -> priority_node {
    const priority_edge e = sources_.best(n);
    return e == no_edge || !(sources_.key(e) < base_[to_index(n)]) ? n : from_[to_index(e)];
  }

  /// Calls `visit(node, priority)` for every node whose effective priority differs from the one last reported, at first
  /// from `lowest_priority`. A priority that fell and rose again in between is not reported.
  /// Cost: one step per node that changed.
  template <class Visitor>
  constexpr void report_changes(Visitor&& visit) {
    while (changes_ > 0) {
      const priority_node n = changed_[--changes_];
      is_changed_[to_index(n)] = false;
      if (reported_[to_index(n)] == effective_[to_index(n)]) { continue; }
      reported_[to_index(n)] = effective_[to_index(n)];
      visit(n, reported_[to_index(n)]);
    }
  }

 private:
  /// Returns whether e is among the edges out of its node, as far as those next to it know.
  [[nodiscard]] constexpr auto is_used(priority_edge e) const noexcept -> bool {
    if (e < 0 || to_index(e) >= Edges) { return false; }
    const priority_edge before = previous_out_[to_index(e)];
    return (before == no_edge ? first_out_[to_index(from_[to_index(e)])] : next_out_[to_index(before)]) == e;
  }

  /// Gives n the best of its base priority and its sources. True if that is another one than before.
  constexpr auto apply(priority_node n) noexcept -> bool {
    priority_point best = base_[to_index(n)];
    const priority_edge e = sources_.best(n);
    if (e != no_edge && sources_.key(e) < best) { best = sources_.key(e); }
    if (best == effective_[to_index(n)]) { return false; }
    effective_[to_index(n)] = best;
    if (!is_changed_[to_index(n)]) {
      is_changed_[to_index(n)] = true;
      changed_[changes_++] = n;
    }
    return true;
  }

  constexpr void settle(priority_node start) noexcept {
    if (!apply(start)) { return; }
    std::size_t pending = 0;
    work_[pending++] = start;
    while (pending > 0) {
      const priority_node n = work_[--pending];
      for (priority_edge e = first_out_[to_index(n)]; e != no_edge; e = next_out_[to_index(e)]) {
        const priority_node to = to_[to_index(e)];
        sources_.update(to, e, effective_[to_index(n)]);
        if (apply(to)) { work_[pending++] = to; }
      }
    }
  }

  [[nodiscard]] constexpr auto reaches(priority_node start, priority_node goal) noexcept -> bool {
    if (start == goal) { return true; }
    if (sources_.best(goal) == no_edge) { return false; }
    std::size_t seen = 0;
    is_seen_[to_index(start)] = true;
    work_[seen++] = start;
    for (std::size_t i = 0; i < seen && !is_seen_[to_index(goal)]; ++i) {
      for (priority_edge e = first_out_[to_index(work_[i])]; e != no_edge; e = next_out_[to_index(e)]) {
        const priority_node to = to_[to_index(e)];
        if (is_seen_[to_index(to)]) { continue; }
        is_seen_[to_index(to)] = true;
        work_[seen++] = to;
      }
    }
    const bool found = is_seen_[to_index(goal)];
    for (std::size_t i = 0; i < seen; ++i) { is_seen_[to_index(work_[i])] = false; }
    return found;
  }

  detail::priority_heaps<Nodes, Edges> sources_;  ///< per node, the edges into it
  std::array<priority_point, Nodes> base_{};
  std::array<priority_point, Nodes> effective_{};
  std::array<priority_point, Nodes> reported_{};
  std::array<priority_edge, Nodes> first_out_{};
  std::array<priority_node, Edges> from_{};
  std::array<priority_node, Edges> to_{};
  std::array<priority_edge, Edges> next_out_{};  ///< also chains the edges that are not in use
  std::array<priority_edge, Edges> previous_out_{};
  std::array<priority_node, Nodes> changed_{};
  std::array<priority_node, Nodes> work_{};
  std::array<bool, Nodes> is_changed_{};
  std::array<bool, Nodes> is_seen_{};
  std::size_t changes_ = 0;
  priority_edge free_ = no_edge;
};

}  // namespace takt::inline TAKT_ABI
