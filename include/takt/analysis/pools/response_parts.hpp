// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/rules/bound_parts.hpp>
#include <takt/rules/demand.hpp>

// What responses consist of. Each right-hand side of a fixed point is added up once more, at the response.

namespace takt::inline TAKT_ABI::analysis::detail {

/// Says whether the parts of a response are asked for, and there is a response.
[[nodiscard]] constexpr auto wants_parts(const visit_demand& v) noexcept -> bool {
  return v.parts != nullptr && v.response < unbounded_response;
}

/// Finds the longest visit, or region, behind which others wait.
struct longest_blocker {
  ticks time = 0;
  std::uint32_t by = no_index;

  constexpr void look_at(const visit_demand& u, ticks length) noexcept {
    if (time < length) { *this = {length, u.task}; }
  }
};

/// Says what a visit waits for in the order of fixed priorities on one unit: behind a blocker, or behind an own region
/// of `before` that kept others waiting. [first, own) are more important, [own, end) are of its task. `jobs(u, window)`
/// counts in the time until the visit starts if it `starts` once, else until it is done.
template <class Jobs>
constexpr void say_priority_parts(visit_demand& v, const visit_demand* first, const visit_demand* own,
                                  const visit_demand* end, const longest_blocker& blocker, ticks before, bool starts,
                                  const Jobs& jobs) {
  if (!wants_parts(v)) { return; }
  const ticks window = starts ? v.response - v.wcet : v.response;
  const auto say = [&](const longest_blocker& behind, ticks time) {
    v.parts->clear();
    v.parts->add(term_kind::own_work, v.task, v.wcet);
    v.parts->add(term_kind::blocking, behind.by, behind.time);
    for (const visit_demand* u = first; u != end; ++u) {
      if (u < own || concurrent(*u, v)) { v.parts->add(term_kind::interference, u->task, jobs(*u, time) * u->wcet); }
    }
    return v.parts->sum() == v.response;
  };
  if (say(blocker, window) || before == 0) { return; }
  static_cast<void>(say({}, window + before));
}

/// Says what a visit waits for under EDF on one unit, if all that delays it came with it or later. `due(u, d)` counts
/// jobs with deadlines up to d, `come(u, window)` as `jobs` above; `length(u)`: how long u keeps the unit.
template <class Due, class Come, class Length>
constexpr void say_deadline_parts(std::span<const visit_demand> visits, visit_demand& v, bool starts, const Due& due,
                                  const Come& come, const Length& length) {
  if (!wants_parts(v)) { return; }
  const ticks window = starts ? v.response - v.wcet : v.response;
  longest_blocker blocker;
  v.parts->clear();
  v.parts->add(term_kind::own_work, v.task, v.wcet);
  for (const visit_demand& u : visits) {
    const ticks most = due(u, v.deadline);
    if (most == 0) { blocker.look_at(u, length(u)); }
    const ticks jobs = &u == &v ? most - 1 : most;
    const ticks meanwhile = &u == &v ? jobs : come(u, window);
    v.parts->add(term_kind::interference, u.task, (jobs < meanwhile ? jobs : meanwhile) * u.wcet);
  }
  v.parts->add(term_kind::blocking, blocker.by, blocker.time);
}

}  // namespace takt::inline TAKT_ABI::analysis::detail
