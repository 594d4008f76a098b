// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/methods/demand/supply.hpp>
#include <takt/analysis/methods/whole_kernels/parts.hpp>
#include <takt/analysis/pools/deadlines.hpp>
#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/servers/kernel_server.hpp>

// What kernels cost each other that are stopped at the ends of waves only, or at a cost: for each visit, which others
// compete with it, what each of their jobs costs beyond its time, and for how long a less important visit or an own
// earlier one holds the others up. `kernel_bounds.hpp` makes bounds of it.

namespace takt::inline TAKT_ABI::analysis::detail {

/// Returns the longest time of one wave: what holds others up where a kernel stops at the end of it.
[[nodiscard]] constexpr auto wave_of(const visit_demand& v) noexcept -> ticks {
  const ticks cost = kernel_needs_of(v.view).cost;
  return cost < v.wcet ? cost : v.wcet;
}
[[nodiscard]] constexpr auto needs_gpu(const visit_demand& v) noexcept -> bool {
  return kernel_needs_of(v.view).core == unassigned_core;
}
[[nodiscard]] constexpr auto on_one_lane(const visit_demand& a, const visit_demand& b) noexcept -> bool {
  return kernel_needs_of(a.view).core == kernel_needs_of(b.view).core;
}

/// Returns whether both are of one task, and no path joins them.
[[nodiscard]] constexpr auto is_own_branch(const visit_demand& u, const visit_demand& v) noexcept -> bool {
  return u.task == v.task && concurrent(u, v);
}

/// Returns the work of so many jobs; at most `unbounded_response`.
[[nodiscard]] constexpr auto work_of(ticks jobs, ticks each) noexcept -> ticks {
  ticks work = 0;
  return checked_multiply(jobs, each, work) && work < unbounded_response ? work : unbounded_response;
}

/// Says whether u can have been started below v when v was started above it, and is less important. Under EDF: it came
/// first and has no earlier absolute deadline.
struct below_in_priority {
  [[nodiscard]] static constexpr auto below(const visit_demand& u, const visit_demand& v) noexcept -> bool {
    return v.point < u.point;
  }
};
struct below_in_deadline {
  [[nodiscard]] static constexpr auto below(const visit_demand& u, const visit_demand& v) noexcept -> bool {
    return u.task != v.task && v.deadline - v.jitter <= u.deadline;
  }
};

/// Returns whether at least so many tasks have a visit that can be started below v. Cost: visits^2.
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

/// Says what a stack of kernels costs. A kernel holds others up for its whole time only from the top of a full stack,
/// above tasks that are less important still. It may first have waited for the wave of one of them. Where a cost is
/// lost (overhead) or spent on the wrong kernel (race), each start can pay the longest cost of a less important kernel.
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
      wasted_[k] = takt::detail::costs_a_wave(model) ? 0 : lost;
      blocks_[k] = has_below<Below>(visits, v, levels - 1) ? v.wcet + lost : charge.blocking;
    }
  }

  constexpr auto look_at(std::size_t /*visit*/) const noexcept -> bool { return true; }
  [[nodiscard]] constexpr auto competes(std::size_t /*k*/) const noexcept -> bool { return true; }
  /// Pre, here and below: k < most_decided_visits.
  [[nodiscard]] constexpr auto start(std::size_t k) const noexcept -> ticks {
    TAKT_EXPECTS(k < most_decided_visits);
    return starts_[k];
  }
  [[nodiscard]] constexpr auto blocks(std::size_t k) const noexcept -> ticks {
    TAKT_EXPECTS(k < most_decided_visits);
    return blocks_[k];
  }
  /// Returns the part of a start's cost in which no kernel runs. If kernels stop at ends of waves, all waves count.
  [[nodiscard]] constexpr auto wasted(std::size_t k) const noexcept -> ticks {
    TAKT_EXPECTS(k < most_decided_visits);
    return wasted_[k];
  }
  [[nodiscard]] static constexpr auto supply() noexcept -> dedicated_processor<ticks> { return {}; }

 private:
  ticks starts_[most_decided_visits]{};
  ticks wasted_[most_decided_visits]{};
  ticks blocks_[most_decided_visits]{};
};

/// Returns the longest wave of visits that compete on one lane: none starts so shortly before the end of a slot.
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
/// if they ran one after the other, since the first in the order always runs. But a kernel that becomes the first, by
/// coming or because one has ended, can find a wave of a less important one on its cores.
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
  [[nodiscard]] static constexpr auto wasted(std::size_t /*k*/) noexcept -> ticks { return 0; }
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

}  // namespace takt::inline TAKT_ABI::analysis::detail
