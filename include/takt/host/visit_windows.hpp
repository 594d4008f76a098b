// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/early_start.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI::host {

/// Holds until when visits are held back. Cost: that of the visits, at instants at which one may start.
template <std::size_t V>
class held_visits {
 public:
  constexpr held_visits() noexcept {
    for (ticks& at : until_) { at = no_event; }
  }

  constexpr void hold(std::uint32_t v, ticks until) noexcept {
    until_[v] = until;
    next_ = until < next_ ? until : next_;
  }
  /// After this, `next` may name an instant at which no visit starts, until `settle`.
  constexpr void drop(std::uint32_t v) noexcept {
    stale_ = stale_ || until_[v] != no_event;
    until_[v] = no_event;
  }
  [[nodiscard]] constexpr auto next() const noexcept -> ticks { return next_; }
  [[nodiscard]] constexpr auto until(std::uint32_t v) const noexcept -> ticks { return until_[v]; }
  constexpr void settle(std::size_t visits) noexcept {
    if (!stale_) { return; }
    stale_ = false;
    next_ = no_event;
    for (std::size_t v = 0; v < visits; ++v) { next_ = until_[v] < next_ ? until_[v] : next_; }
  }

 private:
  ticks until_[V];
  ticks next_ = no_event;
  bool stale_ = false;
};

/// Says which visits of a job may become ready when it begins, and when a visit ends.
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

/// Says when visits may start under guards, from the nominal release. A section asks for its token when the visits
/// before it are due; a visit outside of sections starts at its offset, or at once where its station lets it.
template <std::size_t V>
struct visit_windows {
  ticks opens[V]{};        ///< until when a visit is held back, or the request for its token
  ticks counts_from[V]{};  ///< from when on its response counts at the earliest
  ticks shifts[V]{};       ///< of its deadline, after that of the job

  /// Pre: as many local deadlines as offsets, none or one for each visit.
  template <std::size_t N, class Stations>
  constexpr visit_windows(const visit_table<N, V>& table, const Stations& stations, std::span<const ticks> offsets,
                          std::span<const ticks> local_deadlines) {
    TAKT_EXPECTS(local_deadlines.size() == offsets.size());
    if (offsets.empty()) { return; }
    TAKT_EXPECTS(offsets.size() == table.visits.size());
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

}  // namespace takt::inline TAKT_ABI::host
