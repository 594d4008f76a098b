// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI::host {

namespace detail {

/// Where the sections of each task are among all.
template <std::size_t N>
class task_sections {
 public:
  struct range {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
  };

  template <std::size_t V>
  constexpr explicit task_sections(const visit_table<N, V>& table) {
    for (std::uint32_t s = 0; s < table.sections.size(); ++s) {
      range& r = of_[table.sections[s].task];
      if (r.end == 0) { r.first = s; }
      r.end = s + 1;
    }
  }
  /// Pre: task < N.
  [[nodiscard]] constexpr auto operator[](std::uint32_t task) const noexcept -> const range& {
    TAKT_EXPECTS(task < N);
    return of_[task];
  }

 private:
  range of_[N]{};
};

}  // namespace detail

/// Gives back what sections hold that are over with a visit, inner ones first. `done`: visits of the job that are over;
/// `f` of each section, behind it.
template <class Table, class Locks, class F>
constexpr void release_over(const Table& table, const visit_record& x, visit_mask done, Locks& locks, const F& f) {
  if (!locks.holds_some(x.task)) { return; }
  const auto own = locks.sections_of(x.task);
  const std::uint32_t none = own.end;
  for (std::uint32_t best = own.first; best != none;) {
    best = none;
    for (std::uint32_t s = own.first; s < none; ++s) {
      if (!locks.holds(s)) { continue; }
      const visit_mask visits = table.sections[s].visits;
      if (!contains(table.sections[s], x) || (visits & ~done) != 0) { continue; }
      const visit_mask around = best == none ? ~visit_mask{0} : table.sections[best].visits;
      if (best == none || (visits != around && (visits & ~around) == 0)) { best = s; }
    }
    if (best != none) {
      locks.release(best);
      f(best);
    }
  }
}

namespace detail {

/// Returns whether all sections of a visit hold their tokens.
template <class Table, class Locks>
[[nodiscard]] constexpr auto holds_around(const Table& table, const visit_record& x, const Locks& locks) -> bool {
  const auto own = locks.sections_of(x.task);
  for (std::uint32_t s = own.first; s < own.end; ++s) {
    if (contains(table.sections[s], x) && !locks.holds(s) && locks.is_needed(s)) { return false; }
  }
  return true;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::host
