// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/model/visit_table.hpp>

namespace takt::host {

/// Gives back what sections hold that are over with a visit, inner ones first. `done`: visits of the job that are over.
template <class Table, class Locks>
constexpr void release_over(const Table& table, const visit_record& x, visit_mask done, Locks& locks) {
  const std::size_t none = table.sections.size();
  for (std::size_t best = 0; best != none;) {
    best = none;
    for (std::size_t s = 0; s < none; ++s) {
      const visit_mask visits = table.sections[s].visits;
      const bool over = contains(table.sections[s], x) && (visits & ~done) == 0 && locks.holds(s);
      const bool lies_inside =
          over && best != none && visits != table.sections[best].visits && (visits & ~table.sections[best].visits) == 0;
      if (over && (best == none || lies_inside)) { best = s; }
    }
    if (best != none) { locks.release(static_cast<std::uint32_t>(best)); }
  }
}

/// Whether all sections of a visit hold their tokens.
template <class Table, class Locks>
[[nodiscard]] constexpr auto holds_around(const Table& table, const visit_record& x, const Locks& locks) -> bool {
  for (std::size_t s = 0; s < table.sections.size(); ++s) {
    if (contains(table.sections[s], x) && !locks.holds(s)) { return false; }
  }
  return true;
}

/// Whether a section of a visit holds a token of another unit than the one before of its task.
template <class Table, class Locks>
[[nodiscard]] constexpr auto has_moved_around(const Table& table, const visit_record& x, const Locks& locks) -> bool {
  for (std::size_t s = 0; s < table.sections.size(); ++s) {
    if (contains(table.sections[s], x) && locks.has_moved(s)) { return true; }
  }
  return false;
}

}  // namespace takt::host
