// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/pools/edf_responses.hpp>
#include <takt/analysis/pools/responses.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/demand.hpp>

// Responses on one unit that preempts, but not inside of non-preemptive regions, which may begin at any instant.

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Returns whether no other visit takes the unit from a visit between its start and its end.
[[nodiscard]] constexpr auto keeps_unit(const visit_demand& v) noexcept -> bool { return v.region == v.wcet; }

[[nodiscard]] constexpr auto any_region(std::span<const visit_demand> visits) noexcept -> bool {
  for (const visit_demand& v : visits) {
    if (v.region > 0) { return true; }
  }
  return false;
}
[[nodiscard]] constexpr auto all_keep_unit(std::span<const visit_demand> visits) noexcept -> bool {
  for (const visit_demand& v : visits) {
    if (!keeps_unit(v)) { return false; }
  }
  return true;
}
[[nodiscard]] constexpr auto longest_region_of(const visit_demand* first, const visit_demand* last) noexcept
    -> longest_blocker {
  longest_blocker longest;
  for (; first != last; ++first) { longest.look_at(*first, first->region); }
  return longest;
}

/// Returns the longest wait of v behind `x`. [first, own) are more important, [own, end) are of its task. It lasts
/// until v starts if v keeps the unit, else until it is done, less its own time. Unbounded above the limit.
[[nodiscard]] constexpr auto wait_behind(const visit_demand& v, const visit_demand* first, const visit_demand* own,
                                         const visit_demand* end, ticks x) -> ticks {
  const bool starts = keeps_unit(v);
  const ticks work = starts ? x : x + v.wcet;
  std::int32_t rounds = 0;
  for (ticks w = work;; ++rounds) {
    ticks sum = work;
    for (const visit_demand* u = first; u != end && sum <= v.limit + x; ++u) {
      if (u < own || concurrent(*u, v)) { sum += (starts ? jobs_within(*u, w) : jobs_before(*u, w)) * u->wcet; }
    }
    if (sum > v.limit + x) { return unbounded_response; }
    if (rounds == most_rounds) { return given_up_response; }
    if (sum <= w) { return starts ? w : w - v.wcet; }
    w = sum;
  }
}

}  // namespace detail

/// Computes responses in the order of fixed priorities. Longest wait: behind one region of a less important visit, or
/// behind an own one of an earlier job or visit that kept others waiting. Cost: two fixed points a visit.
/// Source: Bril, Lukkien and Verhaegh 2009; Yao, Buttazzo and Bertogna 2009; own visits: docs/composition.md.
constexpr void region_priority_responses(std::span<visit_demand> visits) {
  if (detail::all_keep_unit(visits)) { return nonpreemptive_priority_responses(visits); }
  const std::size_t n = visits.size();
  visit_demand* const d = visits.data();
  for (std::size_t i = 0, own = 0, end = 0; i < n; ++i) {  // [own, end): the visits of the same task
    visit_demand& v = d[i];
    if (i == end) {
      own = end;
      for (; end < n && d[end].task == v.task;) { ++end; }
    }
    const detail::longest_blocker blocker = detail::longest_region_of(d + end, d + n);
    const ticks before = detail::longest_region_of(d + own, d + end).time;
    const ticks last = v.response;
    const ticks after_blocker = detail::wait_behind(v, d, d + own, d + end, blocker.time);
    const ticks after_own = detail::wait_behind(v, d, d + own, d + end, before);
    const ticks longer = takt::detail::longer_response(after_blocker, after_own);
    if (longer >= unbounded_response) {
      v.response = longer;
    } else {
      const ticks wait = after_blocker < after_own - before ? after_own - before : after_blocker;
      const ticks response = v.wcet + wait;
      v.response = response > v.limit ? unbounded_response : response < v.response ? v.response : response;
    }
    const bool starts = detail::keeps_unit(v);
    if (v.may_queue) { detail::count_queued_jobs(v, last, d, d + own, blocker.time, !starts); }
    const auto jobs = [&](const visit_demand& u, ticks window) {
      return starts ? detail::jobs_within(u, window) : detail::jobs_before(u, window);
    };
    detail::say_priority_parts(v, d, d + own, d + end, blocker, before, starts, jobs);
  }
}

/// Computes responses under EDF: behind one region of a visit that is due later. Source: Baruah 2005; George, Rivierre
/// and Spuri 1996. Cost: see `edf_responses`.
constexpr void region_edf_responses(std::span<visit_demand> visits) {
  if (detail::all_keep_unit(visits)) { return nonpreemptive_edf_responses(visits); }
  const ticks blocker = detail::longest_region_of(visits.data(), visits.data() + visits.size()).time;
  const ticks busy = detail::busy_period(visits, blocker);
  for (visit_demand& v : visits) {
    if (busy >= unbounded_response) {
      detail::note_longest(v, {busy, busy});
      continue;
    }
    std::int32_t rounds = 0;
    const ticks rest = detail::keeps_unit(v) ? v.wcet : 0;  // what follows when it has started
    const auto finish = [&](ticks d, ticks limit) {
      ticks held = 0;
      for (const visit_demand& u : visits) { held = detail::jobs_due(u, d) == 0 && held < u.region ? u.region : held; }
      for (ticks w = rest > 0 ? held : held + v.wcet; rounds < detail::most_edf_rounds; ++rounds) {
        ticks sum = held - rest;
        for (const visit_demand& u : visits) {
          const ticks due = detail::jobs_due(u, d);
          const ticks come = rest > 0 ? detail::jobs_within(u, w) : detail::jobs_before(u, w);
          sum += (&u == &v || due < come ? due : come) * u.wcet;
          if (sum > limit) { return unbounded_response; }
        }
        if (sum <= w) { return w + rest; }
        w = sum;
      }
      return given_up_response;
    };
    detail::note_longest(v, detail::longest_over_deadlines(visits, v, busy, finish));
    const auto come = [&](const visit_demand& u, ticks window) {
      return rest > 0 ? detail::jobs_within(u, window) : detail::jobs_before(u, window);
    };
    detail::say_deadline_parts(visits, v, rest > 0, detail::jobs_due, come,
                               [](const visit_demand& u) { return u.region; });
  }
}

}  // namespace takt::inline TAKT_ABI::analysis
