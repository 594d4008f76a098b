// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/methods/whole_kernels/slot_edf.hpp>
#include <takt/analysis/methods/whole_kernels/whole_gpu_edf.hpp>
#include <takt/analysis/pools/edf_responses.hpp>
#include <takt/analysis/pools/kernel_terms.hpp>
#include <takt/analysis/pools/response_parts.hpp>
#include <takt/analysis/pools/responses.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/servers/kernel_server.hpp>

// Bounds of kernels that are stopped at the ends of waves only, or at a cost.

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Returns how long kernels keep the hardware busy without a break, whatever their order: while some are pending one of
/// them runs, or time is wasted for a start. No response is longer. `unbounded_response` or `given_up_response` where
/// that is not known.
template <class Terms>
[[nodiscard]] constexpr auto longest_busy_time(std::span<const visit_demand> visits, const Terms& terms) -> ticks {
  if constexpr (requires { terms.wasted(0); }) {
    ticks longest = 0;
    for (const visit_demand& v : visits) { longest = longest < v.limit ? v.limit : longest; }
    ticks w = 1;
    for (std::int32_t round = 0; round < most_rounds; ++round) {
      ticks work = 0;
      for (std::size_t k = 0; k < visits.size() && work <= longest; ++k) {
        work += work_of(jobs_before(visits[k], w), visits[k].wcet + terms.wasted(k));
      }
      if (work > longest) { return unbounded_response; }
      if (work <= w) { return w; }
      w = work;
    }
    return given_up_response;
  }
  return unbounded_response;
}

/// Notes a response that is no longer than the hardware is busy.
constexpr void note_response(visit_demand& v, ticks found, ticks busy) {
  const ticks response = found < busy ? found : busy;
  const ticks other = found < busy ? busy : found;
  v.response = response > v.limit ? takt::detail::beyond_limit(other) : response < v.response ? v.response : response;
}

/// Bounds visits in the order of fixed priorities. t0 is the last instant before a visit v becomes ready at which no
/// more important competitor is pending. From then on only such competitors, v and its own branches run, and once what
/// was under way at t0. That can be an own visit, even of the job before; it is done before v is ready.
template <class Terms>
constexpr void kernel_priority_responses(std::span<visit_demand> visits, Terms terms) {
  const std::size_t n = visits.size();
  const visit_demand* const d = visits.data();
  const ticks all_busy = longest_busy_time(visits, terms);
  for (std::size_t i = 0; i < n; ++i) {
    visit_demand& v = visits[i];
    if (!terms.look_at(i)) {
      v.response = unbounded_response;
      continue;
    }
    longest_blocker blocker;
    longest_blocker own_visit;
    for (std::size_t k = 0; k < n; ++k) {
      const bool less_important = !(d[k].point < v.point);
      if (less_important) { (d[k].task == v.task ? own_visit : blocker).look_at(d[k], terms.blocks(k)); }
    }
    const ticks own = own_visit.time;
    const auto end_after = [&](ticks x) {
      ticks w = 0;
      for (std::int32_t round = 0; round < most_rounds; ++round) {
        ticks work = x + v.wcet + terms.start(i);
        for (std::size_t k = 0; k < n && work <= v.limit + x; ++k) {
          const bool higher = d[k].point < v.point;
          if (!terms.competes(k) || !(higher || is_own_branch(d[k], v))) { continue; }
          work += work_of(higher ? jobs_before(d[k], w) : 1, d[k].wcet + terms.start(k));
        }
        ticks end = 0;
        if (work > v.limit + x || !terms.supply().time_for(work, end) || end > v.limit + x) {
          return unbounded_response;
        }
        if (end <= w) { return w; }
        w = end;
      }
      return given_up_response;
    };
    const ticks after_blocker = end_after(blocker.time);
    const ticks after_own = end_after(own);
    const ticks longer = takt::detail::longer_response(after_blocker, after_own);
    if (longer >= unbounded_response) {
      note_response(v, longer, all_busy);
      continue;
    }
    const bool behind_own = after_blocker < after_own - own;
    note_response(v, behind_own ? after_own - own : after_blocker, all_busy);
    if (!wants_parts(v)) { continue; }
    v.parts->clear();
    v.parts->add(term_kind::own_work, v.task, v.wcet);
    v.parts->add(term_kind::overheads, v.task, terms.start(i));
    if (!behind_own) { v.parts->add(term_kind::blocking, blocker.by, blocker.time); }
    for (std::size_t k = 0; k < n; ++k) {
      const bool higher = d[k].point < v.point;
      if (!terms.competes(k) || !(higher || is_own_branch(d[k], v))) { continue; }
      const ticks jobs = higher ? jobs_before(d[k], behind_own ? after_own : after_blocker) : 1;
      v.parts->add(term_kind::interference, d[k].task, work_of(jobs, d[k].wcet + terms.start(k)));
    }
    v.parts->add(term_kind::slot_wait, v.task, terms.supply().gaps_in(v.parts->sum() + (behind_own ? own : 0)));
  }
}

/// Bounds visits in the order of absolute deadlines. In a window for the deadline d run visits that are due by d, and
/// once what was under way at its start and is due later. Source: Spuri 1996, George et al. 1996, with charges and
/// blockers of the rule; see docs/composition.md.
template <class Terms>
constexpr void kernel_edf_responses(std::span<visit_demand> visits, Terms terms) {
  const std::size_t n = visits.size();
  const visit_demand* const d = visits.data();
  ticks longest = 0;
  for (const visit_demand& v : visits) { longest = longest < v.period ? v.period : longest; }
  const ticks all_busy = longest_busy_time(visits, terms);
  for (std::size_t i = 0; i < n; ++i) {
    visit_demand& v = visits[i];
    if (!terms.look_at(i)) {
      v.response = unbounded_response;
      continue;
    }
    /// The end of a window in which so many jobs of each visit and one blocker run.
    std::int32_t rounds = 0;
    const auto end_of = [&](ticks blocker, ticks limit, const auto& jobs) {
      for (ticks t = 1; rounds < most_edf_rounds; ++rounds) {
        ticks work = blocker;
        for (std::size_t k = 0; k < n; ++k) {
          if (terms.competes(k)) { work += work_of(jobs(k, t), d[k].wcet + terms.start(k)); }
          if (work > limit) { return unbounded_response; }
        }
        ticks end = 0;
        if (!terms.supply().time_for(work, end) || end > limit) { return unbounded_response; }
        if (end <= t) { return t; }
        t = end;
      }
      return given_up_response;
    };
    const auto blocker_of = [&](ticks deadline) {
      ticks held = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const bool later = d[k].task != v.task && d[k].deadline > deadline;
        if (later && held < terms.blocks(k)) { held = terms.blocks(k); }
      }
      return held;
    };
    const ticks busy = end_of(blocker_of(-longest_visit_time * 4), longest * 8,
                              [&](std::size_t k, ticks t) { return jobs_before(d[k], t); });
    if (busy >= unbounded_response) {
      note_response(v, busy, all_busy);
      continue;
    }
    const auto finish = [&](ticks deadline, ticks limit) {
      return end_of(blocker_of(deadline), limit, [&](std::size_t k, ticks t) {
        const ticks due = jobs_due(d[k], deadline);
        const ticks come = jobs_before(d[k], t);
        return k == i || due < come ? due : come;
      });
    };
    note_response(v, longest_over_deadlines(visits, v, busy, finish).of_ready, all_busy);
    if (!wants_parts(v)) { continue; }
    longest_blocker blocker;
    v.parts->clear();
    v.parts->add(term_kind::own_work, v.task, v.wcet);
    v.parts->add(term_kind::overheads, v.task, terms.start(i));
    for (std::size_t k = 0; k < n; ++k) {
      if (d[k].task != v.task && d[k].deadline > v.deadline) { blocker.look_at(d[k], terms.blocks(k)); }
      if (!terms.competes(k)) { continue; }
      const ticks due = k == i ? jobs_due(d[k], v.deadline) - 1 : jobs_due(d[k], v.deadline);
      const ticks come = jobs_before(d[k], v.response);
      v.parts->add(term_kind::interference, d[k].task,
                   work_of(k == i || due < come ? due : come, d[k].wcet + terms.start(k)));
    }
    v.parts->add(term_kind::blocking, blocker.by, blocker.time);
    v.parts->add(term_kind::slot_wait, v.task, terms.supply().gaps_in(v.parts->sum()));
  }
}

using kernel_table = task_rows<accelerator_task<ticks>, most_decided_visits>;

/// Adds visits of the lane of v, or all, as independent kernels with so much more cost per start. False: no room.
[[nodiscard]] constexpr auto kernels_of(std::span<const visit_demand> visits, const visit_demand* v, ticks start,
                                        kernel_table& out) -> bool {
  for (const visit_demand& u : visits) {
    if (v != nullptr && !on_one_lane(u, *v)) { continue; }
    if (!out.add({.name = {},
                  .wcet = u.wcet + start,
                  .period = u.period,
                  .deadline = u.deadline,
                  .preemption_cost = wave_of(u)})) {
      return false;
    }
  }
  return true;
}
/// Returns whether a test passes the visits of each lane.
template <class Test>
[[nodiscard]] constexpr auto each_lane(std::span<const visit_demand> visits, const Test& test) -> bool {
  for (std::size_t i = 0; i < visits.size(); ++i) {
    bool first = true;
    for (std::size_t k = 0; first && k < i; ++k) { first = !on_one_lane(visits[k], visits[i]); }
    kernel_table lane;
    if (first && !(kernels_of(visits, &visits[i], 0, lane) && test(lane, needs_gpu(visits[i])))) { return false; }
  }
  return true;
}

}  // namespace detail

/// Computes responses of kernels that are nested by stream priorities. Pre: levels >= 1, the costs are known.
constexpr void level_priority_responses(std::span<visit_demand> visits, std::int32_t levels,
                                        preemption_cost_model costs) {
  TAKT_EXPECTS(levels >= 1 && is_known(costs));
  if (visits.size() > most_decided_visits) { return detail::no_responses(visits); }
  detail::kernel_priority_responses(visits, detail::stack_terms_of<detail::below_in_priority>{visits, levels, costs});
}
constexpr void level_edf_responses(std::span<visit_demand> visits, std::int32_t levels, preemption_cost_model costs) {
  if (visits.size() > most_decided_visits) { return detail::no_responses(visits); }
  detail::kernel_edf_responses(visits, detail::stack_terms_of<detail::below_in_deadline>{visits, levels, costs});
}
/// Returns whether all meet their local deadlines. Source: Zahaf and Lipari 2020, Lemma 1, corrected.
[[nodiscard]] constexpr auto level_edf_decides(std::span<const visit_demand> visits, std::int32_t levels,
                                               preemption_cost_model costs) -> bool {
  detail::kernel_table all;
  return detail::kernels_of(visits, nullptr, 0, all) &&
         level_stack_edf<edf_report::verdict_only>(all, levels, costs).schedulable();
}

/// Computes responses of kernels in slots. Pre: the slots are without fault.
constexpr void slot_priority_responses(std::span<visit_demand> visits, const slot_reservation<ticks>& pinned,
                                       const slot_reservation<ticks>& gang) {
  TAKT_EXPECTS(!takt::detail::slot_fault(pinned) && !takt::detail::slot_fault(gang));
  detail::kernel_priority_responses(visits, detail::slot_terms{visits, pinned, gang});
}
constexpr void slot_edf_responses(std::span<visit_demand> visits, const slot_reservation<ticks>& pinned,
                                  const slot_reservation<ticks>& gang) {
  detail::kernel_edf_responses(visits, detail::slot_terms{visits, pinned, gang});
}
/// Returns whether all meet their local deadlines. Source: Zahaf and Lipari 2020, Theorems 2 and 3, with a guard band.
[[nodiscard]] constexpr auto slot_edf_decides(std::span<const visit_demand> visits,
                                              const slot_reservation<ticks>& pinned,
                                              const slot_reservation<ticks>& gang) -> bool {
  return detail::each_lane(visits, [&](const detail::kernel_table& lane, bool on_all) {
    return detail::slot_guarded_edf<edf_report::verdict_only>(lane, on_all ? gang : pinned).schedulable();
  });
}

/// Computes responses of kernels on single cores and on all of them, whenever one comes or goes.
constexpr void gang_priority_responses(std::span<visit_demand> visits) {
  detail::kernel_priority_responses(visits, detail::gang_terms<detail::by_fixed_priority>{visits});
}
constexpr void gang_edf_responses(std::span<visit_demand> visits) {
  detail::kernel_edf_responses(visits, detail::gang_terms<detail::by_deadline>{visits});
}
/// Returns whether all meet their local deadlines: lane by lane where there are only pinned kernels or only others,
/// else as if they ran one after the other.
[[nodiscard]] constexpr auto gang_edf_decides(std::span<const visit_demand> visits) -> bool {
  bool mixed = false;
  ticks wave = 0;
  for (const visit_demand& v : visits) {
    mixed = mixed || detail::needs_gpu(v) != detail::needs_gpu(visits[0]);
    wave = wave < detail::wave_of(v) ? detail::wave_of(v) : wave;
  }
  if (mixed) {
    detail::kernel_table all;
    return detail::kernels_of(visits, nullptr, 2 * wave, all) &&
           detail::gang_serial_edf<edf_report::verdict_only>(all).schedulable();
  }
  return detail::each_lane(visits, [](const detail::kernel_table& lane, bool /*on_all*/) {
    const auto unlimited = static_cast<std::int32_t>(lane.size()) + 1;
    return level_stack_edf<edf_report::verdict_only>(lane, unlimited, preemption_cost_model::ideal).schedulable();
  });
}

}  // namespace takt::inline TAKT_ABI::analysis
