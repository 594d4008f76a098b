// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/model/visit_table.hpp>

namespace takt::host {

/// Which visits of a job may become ready when it begins, and when a visit ends.
template <std::size_t N, std::size_t V>
struct visit_edges {
  visit_mask first[N]{};   ///< of a task
  visit_mask after[V]{};   ///< some predecessors may still be missing
  bool has_steps = false;  ///< some visits take a unit for no time

  /// `in_turn`: jobs do one visit after the other, in the order of the table.
  constexpr visit_edges(const visit_table<N, V>& table, bool in_turn) {
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      const flow_record& t = table.tasks[i];
      for (std::uint32_t p = 0; p < t.visit_count; ++p) {
        const visit_mask own = visit_mask{1} << p;
        visit_mask before = table.visit(i, p).predecessors;
        has_steps = has_steps || table.visit(i, p).need != unit_need::time;
        if (in_turn) { before = p == 0 ? 0 : own >> 1U; }
        if (before == 0) { first[i] |= own; }
        for (std::uint32_t q = 0; q < t.visit_count; ++q) {
          after[t.first_visit + q] |= (before >> q & 1U) != 0 ? own : 0;
        }
      }
    }
  }
};

}  // namespace takt::host
