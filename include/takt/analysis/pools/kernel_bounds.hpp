// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/accelerator/slot_edf.hpp>
#include <takt/analysis/accelerator/whole_gpu_edf.hpp>
#include <takt/analysis/demand/supply.hpp>
#include <takt/analysis/pools/deadlines.hpp>
#include <takt/analysis/pools/edf_responses.hpp>
#include <takt/analysis/pools/responses.hpp>
#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/servers/kernel_server.hpp>

// Bounds of kernels that are stopped at the ends of waves only, or at a cost. A rule says, for each visit, which others
// compete with it, what each of their jobs costs beyond its time, and for how long a less important visit or an own
// earlier one holds the others up; the bound of an order does the rest.

namespace takt::analysis {

namespace detail {

/// Longest time of one wave: what holds others up where a kernel stops at the end of it.
[[nodiscard]] constexpr auto wave_of(const visit_demand& v) noexcept -> ticks {
  const ticks cost = kernel_needs_of(v.view).cost;
  return cost < v.wcet ? cost : v.wcet;
}
[[nodiscard]] constexpr auto needs_gpu(const visit_demand& v) noexcept -> bool {
  return kernel_needs_of(v.view).core == any_core;
}
[[nodiscard]] constexpr auto on_one_lane(const visit_demand& a, const visit_demand& b) noexcept -> bool {
  return kernel_needs_of(a.view).core == kernel_needs_of(b.view).core;
}

/// Whether both are of one task, and no path joins them.
[[nodiscard]] constexpr auto is_own_branch(const visit_demand& u, const visit_demand& v) noexcept -> bool {
  return u.task == v.task && concurrent(u, v);
}

/// Work of so many jobs; at most `unbounded_response`.
[[nodiscard]] constexpr auto work_of(ticks jobs, ticks each) noexcept -> ticks {
  ticks work = 0;
  return checked_multiply(jobs, each, work) && work < unbounded_response ? work : unbounded_response;
}

/// Whether u can have been started below v when v was started above it, and is less important. Under EDF: it came
/// first and has the later absolute deadline.
struct below_in_priority {
  [[nodiscard]] static constexpr auto below(const visit_demand& u, const visit_demand& v) noexcept -> bool {
    return v.point < u.point;
  }
};
struct below_in_deadline {
  [[nodiscard]] static constexpr auto below(const visit_demand& u, const visit_demand& v) noexcept -> bool {
    return u.task != v.task && v.deadline - v.jitter < u.deadline;
  }
};

/// Whether at least so many tasks have a visit that can be started below v. Cost: visits^2.
template <class Below>
[[nodiscard]] constexpr auto has_below(std::span<const visit_demand> visits, const visit_demand& v, std::int32_t wanted)
    -> bool {
  for (std::size_t k = 0; k < visits.size() && wanted > 0; ++k) {
    if (!Below::below(visits[k], v)) { continue; }
    bool first = true;
    for (std::size_t j = 0; first && j < k; ++j) {
      first = visits[j].task != visits[k].task || !Below::below(visits[j], v);
    }
    wanted -= first ? 1 : 0;
  }
  return wanted <= 0;
}

/// What a stack of kernels costs. A kernel holds others up for its whole time only from the top of a full stack, above
/// tasks that are less important still; it may first have waited for the wave of one of them. Where a cost is lost
/// (overhead) or spent on the wrong kernel (race), each start can pay the longest cost of a less important kernel.
/// Source: Zahaf and Lipari 2020, Lemma 1, corrected; see docs/errata.md and docs/composition.md.
template <class Below>
class stack_terms_of {
 public:
  constexpr stack_terms_of(std::span<const visit_demand> visits, std::int32_t levels, preemption_cost_model model) {
    for (std::size_t k = 0; k < visits.size(); ++k) {
      const visit_demand& v = visits[k];
      ticks lost = 0;
      for (const visit_demand& u : visits) {
        const bool paid = levels > 1 && Below::below(u, v) && lost < wave_of(u);
        if (paid) { lost = wave_of(u); }
      }
      const auto charge = charges_of(model, lost, levels > 1 ? wave_of(v) : ticks{0});
      starts_[k] = charge.job;
      blocks_[k] = has_below<Below>(visits, v, levels - 1) ? v.wcet + lost : charge.blocking;
    }
  }

  constexpr auto look_at(std::size_t /*visit*/) const noexcept -> bool { return true; }
  [[nodiscard]] constexpr auto competes(std::size_t /*k*/) const noexcept -> bool { return true; }
  [[nodiscard]] constexpr auto start(std::size_t k) const noexcept -> ticks { return starts_[k]; }
  [[nodiscard]] constexpr auto blocks(std::size_t k) const noexcept -> ticks { return blocks_[k]; }
  [[nodiscard]] static constexpr auto supply() noexcept -> dedicated_processor<ticks> { return {}; }

 private:
  ticks starts_[most_decided_visits]{};
  ticks blocks_[most_decided_visits]{};
};

/// The longest wave of visits that compete on one lane: no wave of theirs starts so shortly before the end of a slot.
[[nodiscard]] constexpr auto guard_of(std::span<const visit_demand> visits, const visit_demand& v) -> ticks {
  ticks guard = 0;
  for (const visit_demand& u : visits) {
    if (on_one_lane(u, v) && guard < wave_of(u)) { guard = wave_of(u); }
  }
  return guard;
}

/// Each core by itself, and all of them together, in a slot that ends a guard band early. A wave that is under way
/// holds others up.
class slot_terms {
 public:
  constexpr slot_terms(std::span<const visit_demand> visits, const slot_reservation<ticks>& pinned,
                       const slot_reservation<ticks>& gang)
      : visits_{visits}, pinned_{pinned}, gang_{gang} {}

  constexpr auto look_at(std::size_t visit) -> bool {
    at_ = visit;
    const slot_reservation<ticks>& slot = needs_gpu(visits_[visit]) ? gang_ : pinned_;
    budget_ = slot.budget - guard_of(visits_, visits_[visit]);
    period_ = slot.period;
    return budget_ > 0;
  }
  [[nodiscard]] constexpr auto competes(std::size_t k) const noexcept -> bool {
    return on_one_lane(visits_[k], visits_[at_]);
  }
  [[nodiscard]] static constexpr auto start(std::size_t /*k*/) noexcept -> ticks { return 0; }
  [[nodiscard]] constexpr auto blocks(std::size_t k) const noexcept -> ticks {
    return competes(k) ? wave_of(visits_[k]) : 0;
  }
  [[nodiscard]] constexpr auto supply() const noexcept -> static_slot<ticks> { return {budget_, period_}; }

 private:
  std::span<const visit_demand> visits_;
  slot_reservation<ticks> pinned_;
  slot_reservation<ticks> gang_;
  std::size_t at_ = 0;
  ticks budget_ = 0;
  ticks period_ = 1;
};

/// Pinned kernels and kernels for all cores, event by event. Where those that can come before a visit are all on its
/// lane, it competes with them alone, and waits for one wave of what it takes the cores from. Else all kernels count as
/// if they ran one after the other: the first in the order always runs, but whenever another kernel becomes the first,
/// by coming or because one has ended, it can find a wave of a less important one on its cores.
template <class Order>
class gang_terms {
 public:
  constexpr explicit gang_terms(std::span<const visit_demand> visits) : visits_{visits} {}

  constexpr auto look_at(std::size_t visit) -> bool {
    at_ = visit;
    alone_ = true;
    start_ = 0;
    const visit_demand& v = visits_[visit];
    for (const visit_demand& u : visits_) {
      const bool before = &u == &v || Order::can_come_before(u, v);
      if (before && needs_gpu(u) != needs_gpu(v)) { alone_ = false; }
      if (!Order::always_before(u, v) && start_ < 2 * wave_of(u)) { start_ = 2 * wave_of(u); }
    }
    return true;
  }
  [[nodiscard]] constexpr auto competes(std::size_t k) const noexcept -> bool {
    return !alone_ || on_one_lane(visits_[k], visits_[at_]);
  }
  [[nodiscard]] constexpr auto start(std::size_t /*k*/) const noexcept -> ticks { return alone_ ? 0 : start_; }
  [[nodiscard]] constexpr auto blocks(std::size_t k) const noexcept -> ticks {
    const bool in_the_way = needs_gpu(visits_[at_]) || needs_gpu(visits_[k]) || on_one_lane(visits_[k], visits_[at_]);
    return alone_ && in_the_way ? wave_of(visits_[k]) : 0;
  }
  [[nodiscard]] static constexpr auto supply() noexcept -> dedicated_processor<ticks> { return {}; }

 private:
  std::span<const visit_demand> visits_;
  std::size_t at_ = 0;
  ticks start_ = 0;
  bool alone_ = true;
};
struct by_fixed_priority {
  [[nodiscard]] static constexpr auto always_before(const visit_demand& u, const visit_demand& v) noexcept -> bool {
    return u.point < v.point;
  }
  [[nodiscard]] static constexpr auto can_come_before(const visit_demand& u, const visit_demand& v) noexcept -> bool {
    return u.point < v.point || is_own_branch(u, v);
  }
};
struct by_deadline {
  [[nodiscard]] static constexpr auto always_before(const visit_demand& /*u*/, const visit_demand& /*v*/) noexcept
      -> bool {
    return false;
  }
  [[nodiscard]] static constexpr auto can_come_before(const visit_demand& /*u*/, const visit_demand& /*v*/) noexcept
      -> bool {
    return true;
  }
};

/// Visits in the order of fixed priorities. t0 is the last instant before a visit v becomes ready at which no more
/// important competitor is pending: from then on nothing else runs than these, v, its own branches, and once what was
/// under way at t0. That can be an own visit, even of the job before; it is done before v is ready.
template <class Terms>
constexpr void kernel_priority_responses(std::span<visit_demand> visits, Terms terms) {
  const std::size_t n = visits.size();
  const visit_demand* const d = visits.data();
  for (std::size_t i = 0; i < n; ++i) {
    visit_demand& v = visits[i];
    if (!terms.look_at(i)) {
      v.response = unbounded_response;
      continue;
    }
    ticks blocker = 0;
    ticks own = 0;
    for (std::size_t k = 0; k < n; ++k) {
      ticks& longest = d[k].task == v.task ? own : blocker;
      const bool less_important = !(d[k].point < v.point);
      if (less_important && longest < terms.blocks(k)) { longest = terms.blocks(k); }
    }
    const auto end_after = [&](ticks x) {
      for (ticks w = 0;;) {
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
    };
    const ticks after_blocker = end_after(blocker);
    const ticks after_own = end_after(own);
    if (after_blocker == unbounded_response || after_own == unbounded_response) {
      v.response = unbounded_response;
      continue;
    }
    const ticks response = after_blocker < after_own - own ? after_own - own : after_blocker;
    v.response = response > v.limit ? unbounded_response : response < v.response ? v.response : response;
  }
}

/// Visits in the order of absolute deadlines. In a window for the deadline d run visits that are due by d, and once
/// what was under way at its start and is due later. Source: Spuri 1996, George et al. 1996, with charges and blockers
/// of the rule; see docs/composition.md.
template <class Terms>
constexpr void kernel_edf_responses(std::span<visit_demand> visits, Terms terms) {
  const std::size_t n = visits.size();
  const visit_demand* const d = visits.data();
  ticks longest = 0;
  for (const visit_demand& v : visits) { longest = longest < v.period ? v.period : longest; }
  for (std::size_t i = 0; i < n; ++i) {
    visit_demand& v = visits[i];
    if (!terms.look_at(i)) {
      v.response = unbounded_response;
      continue;
    }
    /// The end of a window in which so many jobs of each visit and one blocker run.
    const auto end_of = [&](ticks blocker, ticks limit, const auto& jobs) {
      for (ticks t = 1;;) {
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
    if (busy == unbounded_response) {
      v.response = busy;
      continue;
    }
    const auto finish = [&](ticks deadline, ticks limit) {
      return end_of(blocker_of(deadline), limit, [&](std::size_t k, ticks t) {
        const ticks due = jobs_due(d[k], deadline);
        const ticks come = jobs_before(d[k], t);
        return k == i || due < come ? due : come;
      });
    };
    const ticks response = longest_over_deadlines(visits, v, busy, finish);
    v.response = response > v.limit ? unbounded_response : response < v.response ? v.response : response;
  }
}

using kernel_table = accelerator_table<ticks, most_decided_visits>;

/// Visits of the lane of v, or all, as independent kernels, each start of which costs so much more. False: no room.
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
/// Whether a test passes the visits of each lane.
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

/// Responses of kernels that are nested by stream priorities. Pre: levels >= 1, the costs are known.
constexpr void level_priority_responses(std::span<visit_demand> visits, std::int32_t levels,
                                        preemption_cost_model costs) {
  if (visits.size() > most_decided_visits) { return no_responses(visits); }
  detail::kernel_priority_responses(visits, detail::stack_terms_of<detail::below_in_priority>{visits, levels, costs});
}
constexpr void level_edf_responses(std::span<visit_demand> visits, std::int32_t levels, preemption_cost_model costs) {
  if (visits.size() > most_decided_visits) { return no_responses(visits); }
  detail::kernel_edf_responses(visits, detail::stack_terms_of<detail::below_in_deadline>{visits, levels, costs});
}
/// Whether all meet their local deadlines. Source: Zahaf and Lipari 2020, Lemma 1, corrected.
[[nodiscard]] constexpr auto level_edf_decides(std::span<const visit_demand> visits, std::int32_t levels,
                                               preemption_cost_model costs) -> bool {
  detail::kernel_table all;
  return detail::kernels_of(visits, nullptr, 0, all) &&
         level_stack_edf<edf_report::verdict_only>(all, levels, costs).schedulable();
}

/// Responses of kernels in slots. Pre: the slots are without fault.
constexpr void slot_priority_responses(std::span<visit_demand> visits, const slot_reservation<ticks>& pinned,
                                       const slot_reservation<ticks>& gang) {
  detail::kernel_priority_responses(visits, detail::slot_terms{visits, pinned, gang});
}
constexpr void slot_edf_responses(std::span<visit_demand> visits, const slot_reservation<ticks>& pinned,
                                  const slot_reservation<ticks>& gang) {
  detail::kernel_edf_responses(visits, detail::slot_terms{visits, pinned, gang});
}
/// Whether all meet their local deadlines. Source: Zahaf and Lipari 2020, Theorems 2 and 3, with a guard band.
[[nodiscard]] constexpr auto slot_edf_decides(std::span<const visit_demand> visits,
                                              const slot_reservation<ticks>& pinned,
                                              const slot_reservation<ticks>& gang) -> bool {
  return detail::each_lane(visits, [&](const detail::kernel_table& lane, bool on_all) {
    return slot_guarded_edf<edf_report::verdict_only>(lane, on_all ? gang : pinned).schedulable();
  });
}

/// Responses of kernels on single cores and on all of them, whenever one comes or goes.
constexpr void gang_priority_responses(std::span<visit_demand> visits) {
  detail::kernel_priority_responses(visits, detail::gang_terms<detail::by_fixed_priority>{visits});
}
constexpr void gang_edf_responses(std::span<visit_demand> visits) {
  detail::kernel_edf_responses(visits, detail::gang_terms<detail::by_deadline>{visits});
}
/// Whether all meet their local deadlines: lane by lane where there are only pinned kernels or only others, else as if
/// they ran one after the other.
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
           gang_serial_edf<edf_report::verdict_only>(all).schedulable();
  }
  return detail::each_lane(visits, [](const detail::kernel_table& lane, bool /*on_all*/) {
    const auto unlimited = static_cast<std::int32_t>(lane.size()) + 1;
    return level_stack_edf<edf_report::verdict_only>(lane, unlimited, preemption_cost_model::ideal).schedulable();
  });
}

}  // namespace takt::analysis
