// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/pools/response_parts.hpp>
#include <takt/analysis/pools/responses.hpp>
#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/demand.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Deadlines that are looked at for each visit; with more of them a visit is given up.
inline constexpr std::int64_t most_edf_deadlines = 20'000;
/// Rounds of the fixed points at all of them together; with more of them a visit is given up.
inline constexpr std::int32_t most_edf_rounds = 5 * most_rounds;

/// Counts instances of u with deadlines up to d, if the first becomes ready at 0 as late as its jitter lets it.
[[nodiscard]] constexpr auto jobs_due(const visit_demand& u, ticks d) noexcept -> ticks {
  const ticks latest = d + u.jitter - u.deadline;
  return latest < 0 ? 0 : latest / u.period + 1;
}

/// Returns the longest time for which one unit is busy, behind `blocker`; `unbounded_response` above all times of a
/// table, `given_up_response` after `most_rounds`.
[[nodiscard]] constexpr auto busy_period(std::span<const visit_demand> visits, ticks blocker) -> ticks {
  ticks t = 1;
  for (std::int32_t round = 0; round < most_rounds; ++round) {
    ticks sum = blocker;
    for (const visit_demand& u : visits) {
      sum += jobs_before(u, t) * u.wcet;
      if (sum > longest_visit_time) { return unbounded_response; }
    }
    if (sum <= t) { return t; }
    t = sum;
  }
  return given_up_response;
}

/// Longest times from ready to done, and from the latest instant of becoming ready.
struct longest_responses {
  ticks of_ready = 0;
  ticks of_latest = 0;
};

/// Returns the longest responses of v over all deadlines d of its instances in a busy period. `finish(d, limit)` is
/// when the instance with deadline d is done, from the start of the period.
template <class Finish>
[[nodiscard]] constexpr auto longest_over_deadlines(std::span<const visit_demand> visits, const visit_demand& v,
                                                    ticks busy, const Finish& finish) -> longest_responses {
  const ticks first = v.deadline - v.jitter;
  const ticks last = busy + v.deadline;
  std::int64_t steps = most_edf_deadlines;
  longest_responses out;
  for (ticks d = first; d <= last;) {
    if (--steps < 0) { return {given_up_response, given_up_response}; }
    const ticks ready = d > v.deadline ? d - v.deadline : 0;
    const ticks latest = d - first;
    const ticks done = finish(d, v.limit + (v.may_queue ? latest : ready));
    if (done >= unbounded_response) { return {done, done}; }
    out.of_ready = out.of_ready < done - ready ? done - ready : out.of_ready;
    out.of_latest = out.of_latest < done - latest ? done - latest : out.of_latest;
    ticks next = longest_visit_time * 4;
    for (const visit_demand& u : visits) {  // the next deadline at which one more instance counts
      const ticks step = u.deadline - u.jitter + jobs_due(u, d) * u.period;
      next = step > d && step < next ? step : next;
    }
    d = next;
  }
  return out;
}

/// Writes them, where they prove something.
constexpr void note_longest(visit_demand& v, const longest_responses& found) {
  const ticks measured = v.may_queue ? found.of_latest : found.of_ready;
  const bool proves = measured <= v.limit;
  v.response = !proves                       ? takt::detail::beyond_limit(measured)
               : found.of_ready < v.response ? v.response
                                             : found.of_ready;
  if (v.may_queue) { v.late = !proves ? takt::detail::beyond_limit(measured) : measured < v.late ? v.late : measured; }
}

}  // namespace detail

/// Computes responses under preemptive EDF on one unit, with deadlines before or after the period. All own visits
/// count. Cost: a fixed point per visit and deadline in a busy period, of at most `most_edf_rounds` together. Source:
/// Spuri 1996, with deadlines from the earliest instant of becoming ready.
constexpr void edf_responses(std::span<visit_demand> visits) {
  const ticks busy = detail::busy_period(visits, 0);
  for (visit_demand& v : visits) {
    if (busy >= unbounded_response) {
      detail::note_longest(v, {busy, busy});
      continue;
    }
    std::int32_t rounds = 0;
    ticks done = v.wcet;  // for a later deadline never earlier, so that the next search starts where the last one ended
    const auto finish = [&](ticks d, ticks limit) {
      for (; rounds < detail::most_edf_rounds; ++rounds) {
        ticks sum = 0;
        for (const visit_demand& u : visits) {
          const ticks due = detail::jobs_due(u, d);
          const ticks come = detail::jobs_before(u, done);
          sum += (&u == &v || due < come ? due : come) * u.wcet;
          if (sum > limit) { return unbounded_response; }
        }
        if (sum <= done) { return done; }
        done = sum;
      }
      return given_up_response;
    };
    detail::note_longest(v, detail::longest_over_deadlines(visits, v, busy, finish));
    detail::say_deadline_parts(visits, v, false, detail::jobs_due, detail::jobs_before,
                               [](const visit_demand& /*u*/) { return ticks{0}; });
  }
}

/// Computes responses where no visit is preempted. Source: George, Rivierre and Spuri 1996, with a blocker that counts
/// in full: it may start in the instant in which others come.
constexpr void nonpreemptive_edf_responses(std::span<visit_demand> visits) {
  ticks blocker = 0;
  for (const visit_demand& v : visits) { blocker = blocker < v.wcet ? v.wcet : blocker; }
  const ticks busy = detail::busy_period(visits, blocker);
  for (visit_demand& v : visits) {
    if (busy >= unbounded_response) {
      detail::note_longest(v, {busy, busy});
      continue;
    }
    std::int32_t rounds = 0;
    const auto finish = [&](ticks d, ticks limit) {
      ticks held = 0;
      for (const visit_demand& u : visits) { held = detail::jobs_due(u, d) == 0 && held < u.wcet ? u.wcet : held; }
      for (ticks start = held; rounds < detail::most_edf_rounds; ++rounds) {
        ticks sum = held;
        for (const visit_demand& u : visits) {
          const ticks due = detail::jobs_due(u, d);
          const ticks come = detail::jobs_within(u, start);
          sum += (&u == &v ? due - 1 : due < come ? due : come) * u.wcet;
          if (sum > limit) { return unbounded_response; }
        }
        if (sum <= start) { return start + v.wcet; }
        start = sum;
      }
      return given_up_response;
    };
    detail::note_longest(v, detail::longest_over_deadlines(visits, v, busy, finish));
    detail::say_deadline_parts(visits, v, true, detail::jobs_due, detail::jobs_within,
                               [](const visit_demand& u) { return u.wcet; });
  }
}

}  // namespace takt::inline TAKT_ABI::analysis
