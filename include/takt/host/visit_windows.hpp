// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/early_start.hpp>

namespace takt::host {

/// When visits may start under guards, from the nominal release: a section asks for its token when the visits before it
/// are due, a visit outside of sections starts at its offset, or at once where the rule of its station lets it.
template <std::size_t V>
struct visit_windows {
  ticks opens[V]{};        ///< until when a visit is held back, or the request for its token
  ticks counts_from[V]{};  ///< from when on its response counts at the earliest
  ticks shifts[V]{};       ///< of its deadline, after that of the job

  /// Pre: as many local deadlines as offsets, none or one for each visit.
  template <std::size_t N, class Stations>
  constexpr visit_windows(const visit_table<N, V>& table, const Stations& stations, std::span<const ticks> offsets,
                          std::span<const ticks> local_deadlines) {
    if (offsets.empty()) { return; }
    for (std::size_t v = 0; v < table.visits.size(); ++v) {
      shifts[v] = offsets[v] + local_deadlines[v] - table.tasks[table.visits[v].task].deadline;
      if (takt::detail::begins_section(table, v)) {
        opens[v] = takt::detail::earliest_window(table, v, offsets.data(), local_deadlines.data());
      } else if (takt::detail::section_of(table, v) < table.sections.size()) {
        opens[v] = 0;
      } else if (takt::detail::drops_guards(table, stations, table.visits[v].station)) {
        counts_from[v] = offsets[v];
      } else {
        opens[v] = offsets[v];
      }
    }
  }
};

}  // namespace takt::host
