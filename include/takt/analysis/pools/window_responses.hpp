// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/pools/deadlines.hpp>
#include <takt/analysis/pools/region_responses.hpp>
#include <takt/analysis/pools/responses.hpp>
#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/demand.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Steps of a fixed point on several units, over all visits together; a pool that needs more is given up.
inline constexpr std::int32_t most_window_steps = 200'000;

namespace detail {

/// Says what others may do on the units while one visit waits for them.
struct window_work {
  ticks before = 0;  ///< work that comes before it
  ticks ahead = 0;   ///< of one visit that comes after it and cannot be displaced
};

/// Returns the most work of u in a window of that length, if each job is done within the response of u. The first job
/// ends as late as it can where the window begins, and all others run as soon as they may.
/// Source: Bertogna and Cirinei 2007, with release jitter.
[[nodiscard]] constexpr auto work_within(const visit_demand& u, ticks window) noexcept -> ticks {
  if (u.response >= unbounded_response || u.wcet > u.period) { return unbounded_response; }
  const ticks span = window + u.jitter + u.response - u.wcet;
  const ticks rest = span % u.period;
  return span / u.period * u.wcet + (rest < u.wcet ? rest : u.wcet);
}

/// Returns the most work of u that comes before v after v has become ready, where points grow by `slope` with the
/// instant of becoming ready. Only jobs of u count that nominally become ready at most so much later than v.
/// Source: Bertogna, Cirinei and Lipari 2009, with release jitter and any such points.
[[nodiscard]] constexpr auto work_due(const visit_demand& u, const visit_demand& v, ticks slope) noexcept -> ticks {
  if (u.response >= unbounded_response || u.wcet > u.period) { return unbounded_response; }
  const auto point_of = [slope](const visit_demand& d, ticks& out) {  // of one that nominally becomes ready at 0
    return checked_multiply(d.deadline - d.job_deadline, slope, out) && checked_add(out, d.point.point, out);
  };
  ticks of_u = 0;
  ticks of_v = 0;
  if (!point_of(u, of_u) || !point_of(v, of_v) || !checked_subtract(of_v, of_u, of_v)) { return unbounded_response; }
  const ticks later = takt::detail::floor_divide(of_v, slope);
  if (later >= unbounded_response) { return unbounded_response; }
  if (later <= -unbounded_response || later + u.jitter + u.response <= 0) { return 0; }
  const ticks span = later + u.jitter + u.response;
  const ticks rest = span % u.period;
  return span / u.period * u.wcet + (rest < u.wcet ? rest : u.wcet);
}

/// Returns the most work in non-preemptive regions of a less important visit u, while another visit waits. It is one
/// region each time the other begins to wait, which happens `waits` times. Source: after Davis, Burns, Marinho, Nelis,
/// Petters and Bertogna 2013, without their bound on the number of regions of all.
[[nodiscard]] constexpr auto work_in_regions(const visit_demand& u, ticks within, ticks waits) noexcept -> ticks {
  if (u.region == 0) { return 0; }
  ticks held = 0;
  if (!checked_multiply(u.region, waits, held) || held > unbounded_response) { return within; }
  return held < within ? held : within;
}
/// Returns how often a visit begins to wait in a window, displaced by each job that becomes ready there and `counts`.
template <class Counts>
[[nodiscard]] constexpr auto waits_within(std::span<const visit_demand> visits, ticks window, const Counts& counts)
    -> ticks {
  ticks out = 1;
  for (const visit_demand& u : visits) {
    if (counts(u)) { out += jobs_before(u, window); }
  }
  return out;
}
/// Work of others, one number for those that never run beside each other. In y units of time each of them is served at
/// most y.
class parallel_work {
 public:
  constexpr void add(ticks work) noexcept {
    if (work > 0) { each_[count_++] = work < unbounded_response ? work : unbounded_response; }
  }
  /// Adds the longest of these, at most `most` of them.
  constexpr void add_longest(ticks* works, std::size_t count, std::int32_t most) noexcept {
    for (std::int32_t k = 0; k < most && count > 0; ++k) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < count; ++i) { best = works[best] < works[i] ? i : best; }
      add(works[best]);
      works[best] = works[--count];
    }
  }
  /// Returns the least y >= from in which they cannot keep all units busy; `unbounded_response` above all times of a
  /// table. Pre: from >= 1.
  [[nodiscard]] constexpr auto least_free(ticks from, std::int32_t units) const noexcept -> ticks {
    TAKT_EXPECTS(from >= 1);
    for (ticks y = from; y <= longest_visit_time + 1;) {
      ticks served = 0;  // of those that end before y
      ticks next = unbounded_response;
      std::int64_t open = 0;
      for (std::size_t i = 0; i < count_; ++i) {
        if (each_[i] <= y) {
          served += each_[i];
        } else {
          ++open;
          next = each_[i] < next ? each_[i] : next;
        }
      }
      const std::int64_t idle = units - open;
      if (idle > 0) {
        const ticks free = served / idle + 1;
        if (free <= y) { return y; }
        if (free <= next) { return free; }
      }
      y = next;
    }
    return unbounded_response;
  }

 private:
  ticks each_[2 * most_decided_visits]{};
  std::size_t count_ = 0;
};

/// Returns what keeps v from a unit during a window, where `work(u, window)` says it of one visit of another task.
template <class Work>
[[nodiscard]] constexpr auto rivals_of(std::span<const visit_demand> visits, const visit_demand& v, ticks window,
                                       std::int32_t units, const Work& work) -> parallel_work {
  parallel_work out;
  ticks ahead[most_decided_visits]{};
  std::size_t count = 0;
  for (std::size_t i = 0, end = 0; i < visits.size(); i = end) {
    const std::uint32_t task = visits[i].task;
    bool chain = true;
    for (end = i; end < visits.size() && visits[end].task == task; ++end) {
      for (std::size_t k = i; chain && k < end; ++k) { chain = ordered(visits[end], visits[k]); }
    }
    ticks sum = 0;
    for (const visit_demand& u : visits.subspan(i, end - i)) {
      window_work of_u;
      if (task != v.task) {
        of_u = work(u, window);
      } else if (concurrent(u, v)) {
        of_u.before = u.wcet;  // of the same job: jobs of a task do not overlap
      }
      sum = !chain ? 0 : sum + of_u.before < unbounded_response ? sum + of_u.before : unbounded_response;
      if (!chain) { out.add(of_u.before); }
      if (of_u.ahead > 0) { ahead[count++] = of_u.ahead; }
    }
    out.add(sum);
  }
  out.add_longest(ahead, count, units);
  return out;
}

/// Says for how long all units serve others. Which of them that is depends on how their work falls on the units.
constexpr void say_competition(const visit_demand& v, ticks busy) {
  if (v.parts == nullptr) { return; }
  v.parts->clear();
  v.parts->add(term_kind::own_work, v.task, v.wcet);
  v.parts->add(term_kind::competition, no_index, busy);
}

/// Computes responses on equal units that never idle while a visit waits, as a fixed point over all visits: while v
/// waits, all units serve others. `known` are bounds from elsewhere, or none.
template <bool Preemptive, class Work>
constexpr void window_responses(std::span<visit_demand> visits, std::int32_t units, const ticks* known,
                                const Work& work) {
  bool stale = false;
  for (const visit_demand& v : visits) { stale = stale || v.moved; }
  if (!stale) { return; }
  if (visits.size() > most_decided_visits) { return no_responses(visits); }
  std::int32_t steps = 0;
  for (bool grew = true; grew;) {
    grew = false;
    for (visit_demand& v : visits) {
      ticks w = v.response < v.wcet ? v.wcet : v.response;
      while (w < unbounded_response) {
        const ticks most = known == nullptr ? unbounded_response : known[&v - visits.data()];
        if (w >= most) { break; }
        if (++steps > most_window_steps) {
          for (visit_demand& u : visits) { u.response = given_up_response; }
          return;
        }
        const ticks waits = w - v.wcet + 1;
        const auto rivals = rivals_of(visits, v, Preemptive ? w : waits, units,
                                      [&](const visit_demand& u, ticks window) { return work(u, v, window); });
        const ticks free = rivals.least_free(waits, units);
        const ticks found = free < unbounded_response ? v.wcet + free - 1 : free;
        const ticks next = found < most ? found : most;
        if (next == w) {
          say_competition(v, free - 1);
          break;
        }
        w = next > v.limit ? unbounded_response : next;
      }
      grew = grew || w != v.response;
      v.response = w;
    }
  }
}

}  // namespace detail

/// Computes responses on units under any preemptive order that leaves no unit idle while a visit waits. Visits of one
/// task need not be neighbours. Cost: a fixed point per visit, repeated until none grows.
/// Source: Bertogna and Cirinei 2007; own visits that a path joins are never pending together.
constexpr void global_responses(std::span<visit_demand> visits, std::int32_t units) {
  detail::window_responses<true>(visits, units, nullptr,
                                 [](const visit_demand& u, const visit_demand& /*v*/, ticks window) {
                                   return detail::window_work{detail::work_within(u, window), 0};
                                 });
}
/// Computes responses where no visit is preempted: a visit waits until it starts.
constexpr void nonpreemptive_global_responses(std::span<visit_demand> visits, std::int32_t units) {
  detail::window_responses<false>(visits, units, nullptr,
                                  [](const visit_demand& u, const visit_demand& /*v*/, ticks window) {
                                    return detail::window_work{detail::work_within(u, window), 0};
                                  });
}

/// Responses on units that always serve the visits with the least points, which are the same for all jobs of a task. A
/// less important visit keeps its unit for a non-preemptive region whenever a more important one begins to wait.
constexpr void global_priority_responses(std::span<visit_demand> visits, std::int32_t units) {
  const std::span<const visit_demand> all = visits;
  detail::window_responses<true>(
      visits, units, nullptr, [all](const visit_demand& u, const visit_demand& v, ticks window) {
        if (u.point < v.point) { return detail::window_work{detail::work_within(u, window), 0}; }
        if (u.region == 0) { return detail::window_work{}; }
        const ticks waits =
            detail::waits_within(all, window, [&v](const visit_demand& h) { return !(v.point < h.point); });
        return detail::window_work{detail::work_in_regions(u, detail::work_within(u, window), waits), 0};
      });
}
/// Computes responses where no visit is preempted: of less important visits at most one is ahead on each unit.
constexpr void nonpreemptive_global_priority_responses(std::span<visit_demand> visits, std::int32_t units) {
  detail::window_responses<false>(visits, units, nullptr,
                                  [](const visit_demand& u, const visit_demand& v, ticks window) {
                                    return u.point < v.point ? detail::window_work{detail::work_within(u, window), 0}
                                                             : detail::window_work{0, u.wcet};
                                  });
}

namespace detail {

template <bool Preemptive>
constexpr void point_responses(std::span<visit_demand> visits, std::int32_t units, ticks slope, const ticks* known) {
  const std::span<const visit_demand> all = visits;
  window_responses<Preemptive>(visits, units, known,
                               [slope, all](const visit_demand& u, const visit_demand& v, ticks window) {
                                 const ticks within = work_within(u, window);
                                 const ticks due = work_due(u, v, slope);
                                 const ticks before = within < due ? within : due;
                                 if (Preemptive && u.region > 0) {
                                   const ticks waits = waits_within(all, window, [](const auto&) { return true; });
                                   return window_work{before + work_in_regions(u, within - before, waits), 0};
                                 }
                                 const ticks longest = Preemptive || u.wcet <= before ? 0 : u.wcet - before;
                                 return window_work{before, longest};
                               });
}

}  // namespace detail

/// Responses on units that always serve the visits with the least points, which grow by `slope` with the release, as
/// under EDF (1) and fair lateness on c processors (c). Non-preemptive regions as in `global_priority_responses`.
/// Source: Bertogna and Cirinei 2007; points of jobs: Bertogna, Cirinei and Lipari 2009.
constexpr void global_point_responses(std::span<visit_demand> visits, std::int32_t units, ticks slope = 1) {
  detail::point_responses<true>(visits, units, slope, nullptr);
}
/// Computes responses where no visit is preempted.
constexpr void nonpreemptive_global_point_responses(std::span<visit_demand> visits, std::int32_t units,
                                                    ticks slope = 1) {
  detail::point_responses<false>(visits, units, slope, nullptr);
}

}  // namespace takt::inline TAKT_ABI::analysis
