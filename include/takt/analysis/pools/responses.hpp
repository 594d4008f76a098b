// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/pools/response_parts.hpp>
#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/demand.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Returns how many jobs of a visit can become ready within a closed window that begins with one of them.
[[nodiscard]] constexpr auto jobs_within(const visit_demand& u, ticks window) noexcept -> ticks {
  return (window + u.jitter) / u.period + 1;
}
/// Returns the same number for a half-open window. Pre: window >= 0.
[[nodiscard]] constexpr auto jobs_before(const visit_demand& u, ticks window) noexcept -> ticks {
  TAKT_EXPECTS(window >= 0);
  return (window + u.jitter + u.period - 1) / u.period;
}

struct wcet_of {
  [[nodiscard]] constexpr auto operator()(const visit_demand& u) const noexcept -> ticks { return u.wcet; }
};

/// Returns the work of one task that can be pending at one instant beside v: of ordered visits the longest, else their
/// sum. Pre: [first, last) are the visits of the task.
template <class Work = wcet_of>
[[nodiscard]] constexpr auto pending_work(const visit_demand* first, const visit_demand* last,
                                          const Work& work = {}) noexcept {
  decltype(work(*first)) longest{};
  decltype(work(*first)) sum{};
  bool chain = true;
  for (const visit_demand* u = first; u != last; ++u) {
    TAKT_EXPECTS_IN_TESTS(u->task == first->task);
    const auto own = work(*u);
    longest = longest < own ? own : longest;
    sum = sum + own;
    for (const visit_demand* w = first; chain && w != u; ++w) { chain = ordered(*u, *w); }
  }
  return chain ? longest : sum;
}

/// Returns the work of the own task that can be pending while v is.
template <class Work = wcet_of>
[[nodiscard]] constexpr auto own_pending_work(const visit_demand* first, const visit_demand* last,
                                              const visit_demand& v, const Work& work = {}) noexcept {
  decltype(work(v)) sum{};
  for (const visit_demand* u = first; u != last; ++u) {
    if (concurrent(*u, v)) { sum = sum + work(*u); }
  }
  return sum;
}

/// Returns whether no visit of another task stands between two of a task. Cost: visits squared.
[[nodiscard]] constexpr auto stand_together(std::span<const visit_demand> visits) noexcept -> bool {
  for (std::size_t i = 1; i < visits.size(); ++i) {
    for (std::size_t j = 0; j + 1 < i && visits[i].task != visits[i - 1].task; ++j) {
      if (visits[j].task == visits[i].task) { return false; }
    }
  }
  return true;
}

/// Returns the work of the `count` other tasks of which most can be pending. Pre: visits of a task stand together.
[[nodiscard]] constexpr auto longest_pending(std::span<const visit_demand> visits, std::uint32_t task,
                                             std::int32_t count) noexcept -> ticks {
  TAKT_EXPECTS_IN_TESTS(stand_together(visits));
  ticks sum = 0;
  ticks below = longest_visit_time * static_cast<ticks>(max_visits_of_task) + 1;  // work is taken in descending order
  while (count > 0) {
    ticks next = 0;
    std::int32_t of_it = 0;
    for (std::size_t i = 0, end = 0; i < visits.size(); i = end) {
      for (end = i; end < visits.size() && visits[end].task == visits[i].task;) { ++end; }
      const ticks work = pending_work(visits.data() + i, visits.data() + end);
      if (visits[i].task == task || work >= below || work < next) { continue; }
      of_it = work > next ? 1 : of_it + 1;
      next = work;
    }
    if (next == 0) { break; }
    for (; of_it > 0 && count > 0; --of_it, --count) { sum += next; }
    below = next;
  }
  return sum;
}

/// Says own time and that of own visits that can be pending beside v.
constexpr void say_own_parts(const visit_demand* first, const visit_demand* last, visit_demand& v) {
  if (!wants_parts(v)) { return; }
  v.parts->clear();
  v.parts->add(term_kind::own_work, v.task, v.wcet);
  v.parts->add(term_kind::interference, v.task, own_pending_work(first, last, v));
}

/// Says what a visit waits for in the order of arrival: of each other task what can be pending on one unit; on several
/// units, and among holders of tokens, the share of `ahead` that one of them serves. [first, last): own visits.
constexpr void say_queue_parts(std::span<const visit_demand> visits, const visit_demand* first,
                               const visit_demand* last, visit_demand& v, std::int32_t units, ticks ahead) {
  if (!wants_parts(v)) { return; }
  if (units > 1 || v.holders > 0) {
    v.parts->clear();
    v.parts->add(term_kind::own_work, v.task, v.wcet);
    v.parts->add(term_kind::queue, no_index, ahead / units);
    return;
  }
  say_own_parts(first, last, v);
  const visit_demand* const d = visits.data();
  for (std::size_t i = 0, end = 0; i < visits.size(); i = end) {
    for (end = i; end < visits.size() && d[end].task == d[i].task;) { ++end; }
    if (d[i].task != v.task) { v.parts->add(term_kind::queue, d[i].task, pending_work(d + i, d + end)); }
  }
}

}  // namespace detail

/// After so many rounds the search for a fixed point gives up. Where others leave next to nothing of a unit, and a
/// deadline is far away, it would take more than a lifetime.
inline constexpr std::int32_t most_rounds = 100'000;

/// Rounds of the fixed points of all jobs of a busy period together; with more of them a visit is given up.
inline constexpr std::int32_t most_busy_rounds = 5 * most_rounds;

namespace detail {

/// Notes when job q of a busy period is done, counted from its start. The job nominally became ready q periods after
/// the first, which came as late as its jitter lets it. False where the visit has no bound.
[[nodiscard]] constexpr auto note_job(visit_demand& v, ticks q, ticks done) -> bool {
  const ticks nominal = q * v.period;
  const ticks ready = nominal > v.jitter ? nominal - v.jitter : 0;
  const ticks late = done - nominal;
  if (late > v.limit) {
    v.response = v.late = unbounded_response;
    return false;
  }
  v.late = v.late < late ? late : v.late;
  v.response = v.response < done - ready ? done - ready : v.response;
  return true;
}

/// Computes responses of a visit whose jobs may be late for the next ones, on one unit that preempts: all jobs of the
/// busy period. [first, last): more important visits. `blocker`: how long a less important one can keep the unit first.
/// Source: Lehoczky 1990; with release jitter Tindell, Burns and Wellings 1994.
constexpr void busy_period_responses(visit_demand& v, const visit_demand* first, const visit_demand* last,
                                     ticks blocker) {
  std::int32_t rounds = 0;
  ticks w = blocker;
  for (ticks q = 0;; ++q) {
    for (w += v.wcet;;) {
      ticks sum = blocker + (q + 1) * v.wcet;
      const ticks most = v.limit + q * v.period;
      for (const visit_demand* u = first; u != last && sum <= most; ++u) { sum += jobs_before(*u, w) * u->wcet; }
      if (sum > most) {
        w = unbounded_response;
      } else if (++rounds > most_busy_rounds) {
        w = given_up_response;
      }
      if (sum <= w) { break; }
      w = sum;
    }
    if (w >= unbounded_response) { v.response = v.late = w; }
    if (w >= unbounded_response || !note_job(v, q, w) || w + v.jitter <= (q + 1) * v.period) { return; }
  }
}

/// Computes responses where a visit that has started keeps the unit. The blocker counts in full: it may start in the
/// instant in which others come.
/// Source: Davis, Burns, Bril and Lukkien 2007.
constexpr void nonpreemptive_busy_period_responses(visit_demand& v, const visit_demand* first, const visit_demand* last,
                                                   ticks blocker) {
  std::int32_t rounds = 0;
  const auto give_up = [&v](bool exceeds) {
    v.response = v.late = exceeds ? unbounded_response : given_up_response;
    return false;
  };
  ticks start = blocker;
  const auto note = [&](ticks q) {
    const ticks most = v.limit + q * v.period;
    for (;;) {
      ticks sum = blocker + q * v.wcet;
      for (const visit_demand* u = first; u != last && sum <= most; ++u) { sum += jobs_within(*u, start) * u->wcet; }
      if (sum > most || ++rounds > most_busy_rounds) { return give_up(sum > most); }
      if (sum <= start) { break; }
      start = sum;
    }
    return note_job(v, q, start + v.wcet);
  };
  if (!note(0)) { return; }  // one that is late says more than a busy period of which no end is found
  ticks busy = blocker + v.wcet;
  for (;;) {
    ticks sum = blocker + jobs_before(v, busy) * v.wcet;
    for (const visit_demand* u = first; u != last && sum <= longest_visit_time; ++u) {
      sum += jobs_before(*u, busy) * u->wcet;
    }
    if (sum > longest_visit_time || ++rounds > most_busy_rounds) {
      give_up(sum > longest_visit_time);
      return;
    }
    if (sum <= busy) { break; }
    busy = sum;
  }
  for (ticks q = 1; q < jobs_before(v, busy); ++q) {
    if (!note(q)) { return; }
  }
}

/// Takes the lesser of `response`, where no job then waits for the one before, and of what all jobs of a busy period
/// take. `last`: a lower bound of the answer. `preempts`: visits that have started may lose the unit. Pre: v may queue.
constexpr void count_queued_jobs(visit_demand& v, ticks last, const visit_demand* first, const visit_demand* own,
                                 ticks blocker, bool preempts) {
  TAKT_EXPECTS(v.may_queue);
  const bool waits_for_none = v.response <= v.period;
  visit_demand queued = v;
  queued.response = last;
  if (preempts) {
    busy_period_responses(queued, first, own, blocker);
  } else {
    nonpreemptive_busy_period_responses(queued, first, own, blocker);
  }
  if (!waits_for_none || (queued.response < unbounded_response && queued.late < v.response)) {
    v = queued;
  } else {
    v.late = v.response;
  }
}

/// Writes that no response is known.
constexpr void no_responses(std::span<visit_demand> visits) {
  for (visit_demand& v : visits) { v.response = unbounded_response; }
}

}  // namespace detail

/// Computes responses on one unit that always serves the visit with the least point, preempting. Visits of one job have
/// equal points and are served in any order among themselves. Cost: a fixed point per visit whose jitter, or that of a
/// more important one, has moved, each of at most `most_rounds`. Of visits that may queue it is one for each job of a
/// busy period. Source: Joseph and Pandya 1986; with release jitter Audsley et al. 1993; own ordered visits left out:
/// the jobs of a task do not overlap. Visits that may queue: `busy_period_responses`.
constexpr void preemptive_priority_responses(std::span<visit_demand> visits) {
  const std::size_t n = visits.size();
  visit_demand* const d = visits.data();
  bool stale = false;
  for (std::size_t i = 0, own = 0, end = 0; i < n; ++i) {  // [own, end): the visits of the same task
    visit_demand& v = d[i];
    if (i == end) {
      own = end;
      for (; end < n && d[end].task == v.task; ++end) { stale = stale || d[end].moved; }
    }
    if (!stale) { continue; }
    if (v.may_queue) {
      detail::busy_period_responses(v, d, d + own, 0);
      detail::say_priority_parts(v, d, d + own, d + own, {}, 0, false, detail::jobs_before);
      continue;
    }
    std::int32_t rounds = 0;
    for (ticks w = v.response < v.wcet ? v.wcet : v.response;; ++rounds) {
      ticks sum = v.wcet;
      for (const visit_demand* u = d; u != d + own && sum <= v.limit; ++u) {
        sum += detail::jobs_before(*u, w) * u->wcet;
      }
      for (const visit_demand* u = d + own; u != d + end && sum <= v.limit; ++u) {
        if (concurrent(*u, v)) { sum += detail::jobs_before(*u, w) * u->wcet; }
      }
      if (sum > v.limit) {
        w = unbounded_response;
      } else if (rounds == most_rounds) {
        w = given_up_response;
      }
      if (sum <= w) {
        v.response = w;
        break;
      }
      w = sum;
    }
    detail::say_priority_parts(v, d, d + own, d + end, {}, 0, false, detail::jobs_before);
  }
}

/// Computes responses on one unit that serves the visit with the least point and lets it finish. Longest wait: behind
/// the longest less important visit, or behind an own earlier one whose job kept others waiting. Visits that may queue
/// have the lesser of this, where no job then waits for the one before, and of what all jobs of a busy period take.
/// Source: George, Rivierre and Spuri 1996; own visits: docs/composition.md.
constexpr void nonpreemptive_priority_responses(std::span<visit_demand> visits) {
  const std::size_t n = visits.size();
  visit_demand* const d = visits.data();
  for (std::size_t i = 0, own = 0, end = 0; i < n; ++i) {
    visit_demand& v = d[i];
    if (i == end) {
      own = end;
      for (; end < n && d[end].task == v.task;) { ++end; }
    }
    detail::longest_blocker blocker;
    ticks before = v.wcet;
    for (std::size_t k = end; k < n; ++k) { blocker.look_at(d[k], d[k].wcet); }
    for (std::size_t k = own; k < end; ++k) {
      if (before < d[k].wcet) { before = d[k].wcet; }
    }
    const auto start_after = [&](ticks x) {
      std::int32_t rounds = 0;
      for (ticks s = x;; ++rounds) {
        ticks sum = x;
        for (const visit_demand* u = d; u != d + own && sum <= v.limit + x; ++u) {
          sum += detail::jobs_within(*u, s) * u->wcet;
        }
        for (const visit_demand* u = d + own; u != d + end && sum <= v.limit + x; ++u) {
          if (concurrent(*u, v)) { sum += detail::jobs_within(*u, s) * u->wcet; }
        }
        if (sum > v.limit + x) { return unbounded_response; }
        if (rounds == most_rounds) { return given_up_response; }
        if (sum <= s) { return s; }
        s = sum;
      }
    };
    const ticks last = v.response;
    const ticks after_blocker = start_after(blocker.time);
    const ticks after_own = start_after(before);
    const ticks longer = takt::detail::longer_response(after_blocker, after_own);
    if (longer >= unbounded_response) {
      v.response = longer;
    } else {
      const ticks wait = after_blocker < after_own - before ? after_own - before : after_blocker;
      const ticks response = v.wcet + wait;
      v.response = response > v.limit ? unbounded_response : response < v.response ? v.response : response;
    }
    if (v.may_queue) { detail::count_queued_jobs(v, last, d, d + own, blocker.time, false); }
    detail::say_priority_parts(v, d, d + own, d + end, blocker, before, true, detail::jobs_within);
  }
}

/// Computes responses on equal units with one queue that keeps the order of arrival. Pre: units >= 1. Whatever the
/// jitter: of each other task at most one job is pending, and where all hold tokens, no more tasks than there are
/// tokens. Source: for one unit see docs/composition.md; for several Graham 1969.
constexpr void arrival_order_responses(std::span<visit_demand> visits, std::int32_t units) {
  TAKT_EXPECTS(units >= 1);
  const std::size_t n = visits.size();
  visit_demand* const d = visits.data();
  ticks all = 0;
  for (std::size_t i = 0, end = 0; i < n; i = end) {
    for (end = i; end < n && d[end].task == d[i].task;) { ++end; }
    all += detail::pending_work(d + i, d + end);
  }
  for (std::size_t i = 0, end = 0; i < n; i = end) {
    for (end = i; end < n && d[end].task == d[i].task;) { ++end; }
    const ticks others = d[i].holders > 0 ? detail::longest_pending(visits, d[i].task, d[i].holders - 1)
                                          : all - detail::pending_work(d + i, d + end);
    for (std::size_t k = i; k < end; ++k) {
      const ticks ahead = others + detail::own_pending_work(d + i, d + end, d[k]);
      const ticks response = d[k].wcet + ahead / units;
      d[k].response = response > d[k].limit ? unbounded_response : response;
      detail::say_queue_parts(visits, d + i, d + end, d[k], units, ahead);
    }
  }
}

/// Computes responses on units that no other task uses, which serve the own visits one after the other.
constexpr void dedicated_responses(std::span<visit_demand> visits) {
  const std::size_t n = visits.size();
  visit_demand* const d = visits.data();
  for (std::size_t i = 0, end = 0; i < n; i = end) {
    for (end = i; end < n && d[end].task == d[i].task;) { ++end; }
    for (std::size_t k = i; k < end; ++k) {
      const ticks response = d[k].wcet + detail::own_pending_work(d + i, d + end, d[k]);
      d[k].response = response > d[k].limit ? unbounded_response : response;
      detail::say_own_parts(d + i, d + end, d[k]);
    }
  }
}

}  // namespace takt::inline TAKT_ABI::analysis
