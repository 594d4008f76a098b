// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/demand.hpp>

namespace takt::inline v0::analysis {

namespace detail {

/// Jobs of a visit that can become ready within a closed window that begins with one of them.
[[nodiscard]] constexpr auto jobs_within(const visit_demand& u, ticks window) noexcept -> ticks {
  return (window + u.jitter) / u.period + 1;
}
/// Within a half-open window. Pre: window >= 0.
[[nodiscard]] constexpr auto jobs_before(const visit_demand& u, ticks window) noexcept -> ticks {
  return (window + u.jitter + u.period - 1) / u.period;
}

struct wcet_of {
  [[nodiscard]] constexpr auto operator()(const visit_demand& u) const noexcept -> ticks { return u.wcet; }
};

/// Work of one task that can be pending at one instant beside v: of ordered visits the longest, else their sum. Pre:
/// [first, last) are the visits of the task.
template <class Work = wcet_of>
[[nodiscard]] constexpr auto pending_work(const visit_demand* first, const visit_demand* last,
                                          const Work& work = {}) noexcept {
  decltype(work(*first)) longest{};
  decltype(work(*first)) sum{};
  bool chain = true;
  for (const visit_demand* u = first; u != last; ++u) {
    const auto own = work(*u);
    longest = longest < own ? own : longest;
    sum = sum + own;
    for (const visit_demand* w = first; chain && w != u; ++w) { chain = ordered(*u, *w); }
  }
  return chain ? longest : sum;
}

/// Work of the own task that can be pending while v is.
template <class Work = wcet_of>
[[nodiscard]] constexpr auto own_pending_work(const visit_demand* first, const visit_demand* last,
                                              const visit_demand& v, const Work& work = {}) noexcept {
  decltype(work(v)) sum{};
  for (const visit_demand* u = first; u != last; ++u) {
    if (concurrent(*u, v)) { sum = sum + work(*u); }
  }
  return sum;
}

/// Work of the `count` other tasks of which most can be pending. Pre: visits of a task stand together.
[[nodiscard]] constexpr auto longest_pending(std::span<const visit_demand> visits, std::uint32_t task,
                                             std::int32_t count) noexcept -> ticks {
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

}  // namespace detail

/// After so many rounds a fixed point is given up: where others leave next to nothing of a unit, and a deadline is far
/// away, they would not end in a lifetime.
inline constexpr std::int32_t most_rounds = 100'000;

/// Nothing is known.
constexpr void no_responses(std::span<visit_demand> visits) {
  for (visit_demand& v : visits) { v.response = unbounded_response; }
}

/// Responses on one unit that always serves the visit with the least point, preempting. Visits of one job have equal
/// points and are served in any order among themselves. Cost: a fixed point per visit whose jitter, or that of a more
/// important one, has moved, each of at most `most_rounds`.
/// Source: Joseph and Pandya 1986; with release jitter Audsley et al. 1993; own ordered visits left out: the jobs of a
/// task do not overlap.
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
    std::int32_t rounds = 0;
    for (ticks w = v.response < v.wcet ? v.wcet : v.response;; ++rounds) {
      ticks sum = v.wcet;
      for (const visit_demand* u = d; u != d + own && sum <= v.limit; ++u) {
        sum += detail::jobs_before(*u, w) * u->wcet;
      }
      for (const visit_demand* u = d + own; u != d + end && sum <= v.limit; ++u) {
        if (concurrent(*u, v)) { sum += detail::jobs_before(*u, w) * u->wcet; }
      }
      if (sum > v.limit || rounds == most_rounds) { w = unbounded_response; }
      if (sum <= w) {
        v.response = w;
        break;
      }
      w = sum;
    }
  }
}

/// Responses on one unit that serves the visit with the least point and lets it finish. Longest wait: behind the
/// longest less important visit, or behind an own earlier one whose job kept others waiting.
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
    ticks blocker = 0;
    ticks before = v.wcet;
    for (std::size_t k = end; k < n; ++k) { blocker = blocker < d[k].wcet ? d[k].wcet : blocker; }
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
        if (sum > v.limit + x || rounds == most_rounds) { return unbounded_response; }
        if (sum <= s) { return s; }
        s = sum;
      }
    };
    const ticks after_blocker = start_after(blocker);
    const ticks after_own = start_after(before);
    if (after_blocker == unbounded_response || after_own == unbounded_response) {
      v.response = unbounded_response;
      continue;
    }
    const ticks wait = after_blocker < after_own - before ? after_own - before : after_blocker;
    const ticks response = v.wcet + wait;
    v.response = response > v.limit ? unbounded_response : response < v.response ? v.response : response;
  }
}

/// Responses on equal units with one queue in which nobody is overtaken. Pre: units >= 1. Whatever the jitter: of each
/// other task at most one job is pending, and where all hold tokens, no more tasks than there are tokens.
/// Source: for one unit see docs/composition.md; for several Graham 1969.
constexpr void arrival_order_responses(std::span<visit_demand> visits, std::int32_t units) {
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
    }
  }
}

/// Responses on units that no other task uses, which serve the own visits one after the other.
constexpr void dedicated_responses(std::span<visit_demand> visits) {
  const std::size_t n = visits.size();
  visit_demand* const d = visits.data();
  for (std::size_t i = 0, end = 0; i < n; i = end) {
    for (end = i; end < n && d[end].task == d[i].task;) { ++end; }
    for (std::size_t k = i; k < end; ++k) {
      const ticks response = d[k].wcet + detail::own_pending_work(d + i, d + end, d[k]);
      d[k].response = response > d[k].limit ? unbounded_response : response;
    }
  }
}

}  // namespace takt::inline v0::analysis
