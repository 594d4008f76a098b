// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/model_fault.hpp>
#include <takt/model/observation.hpp>
#include <takt/rules/accelerator/policy.hpp>
#include <takt/rules/accelerator/strategy.hpp>
#include <takt/simulation/result.hpp>
#include <takt/simulation/whole_kernels/options.hpp>
#include <takt/simulation/whole_kernels/releases.hpp>
#include <takt/simulation/whole_kernels/simulate.hpp>

namespace takt::simulation {

namespace detail {

/// A unit of time in which fractions are whole.
class fine_unit {
 public:
  constexpr void hold(const rational& time) {
    ticks finer = 0;
    const std::int64_t step = time.overflowed() ? 0 : time.denominator() / std::gcd(time.denominator(), per_);
    fits_ = fits_ && step > 0 && checked_multiply(per_, step, finer);
    if (fits_) { per_ = finer; }
  }
  template <class Slot>
  constexpr void hold_slot(const Slot& s) {
    hold(s.offset);
    hold(s.budget);
    hold(s.period);
  }
  /// The largest time where it does not fit, or is not whole.
  [[nodiscard]] constexpr auto whole(const rational& time) const -> ticks {
    const rational in_units = time * rational{per_};
    return fits_ && !in_units.overflowed() && in_units.denominator() == 1 ? in_units.numerator()
                                                                          : std::numeric_limits<ticks>::max();
  }
  [[nodiscard]] constexpr auto slot(const slot_reservation<rational>& s) const -> slot_reservation<ticks> {
    return {whole(s.offset), whole(s.budget), whole(s.period)};
  }
  [[nodiscard]] constexpr auto fraction(ticks time) const -> rational { return {time, per_}; }
  [[nodiscard]] constexpr auto fits() const noexcept -> bool { return fits_; }

 private:
  std::int64_t per_ = 1;
  bool fits_ = true;
};

template <class Releases>
struct fine_releases {
  const Releases* from;
  const fine_unit* unit;

  [[nodiscard]] constexpr auto job(std::size_t task, std::int64_t number, planned_job<ticks>& out) const -> bool {
    planned_job<rational> j{};
    if (!from->job(task, number, j)) { return false; }
    out = {unit->whole(j.release), unit->whole(j.work)};
    return true;
  }
};
static_assert(ReleaseSource<fine_releases<periodic_releases<rational, 1>>, ticks>);

template <class Policy, class Table>
struct fine_policy {
  const Policy* from;
  const Table* table;
  const fine_unit* unit;

  [[nodiscard]] constexpr auto point(const accelerator_task<ticks>& t, const ticks& release, ticks& out) const -> bool {
    rational at{};
    if (!from->point(table->tasks[t.id], unit->fraction(release), at)) { return false; }
    out = unit->whole(at);
    return out != std::numeric_limits<ticks>::max();
  }
};

}  // namespace detail

/// The same in fractions of a tick. Error: `time_overflow` as well where times have no common unit of a usable size;
/// it holds all times of the table and the options, and the first job of each kernel.
template <class Policy, AcceleratorStrategy Strategy, std::size_t MaxTasks, ReleaseSource<rational> Releases>
  requires AcceleratorPolicy<Policy, rational> && (Strategy::max_tasks == MaxTasks)
[[nodiscard]] constexpr auto simulate_accelerator(const Policy& policy, const Strategy& strategy,
                                                  const accelerator_table<rational, MaxTasks>& table,
                                                  const Releases& releases,
                                                  const accelerator_options<rational>& options = {})
    -> simulation_result<MaxTasks, 0, rational> {
  detail::fine_unit unit;
  unit.hold_slot(options.pinned_slot);
  unit.hold_slot(options.gang_slot);
  unit.hold(options.limit);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const accelerator_task<rational>& t = table.tasks[i];
    planned_job<rational> first{};
    static_cast<void>(releases.job(i, 0, first));
    for (const rational& time : {t.wcet, t.period, t.deadline, t.preemption_cost, first.release, first.work}) {
      unit.hold(time);
    }
  }
  if (!unit.fits()) { return {.error = {.fault = model_fault::time_overflow}}; }

  accelerator_table<ticks, MaxTasks> whole;
  for (const accelerator_task<rational>& t : table.tasks) {
    static_cast<void>(whole.tasks.push_back({t.name, unit.whole(t.wcet), unit.whole(t.period), unit.whole(t.deadline),
                                             unit.whole(t.preemption_cost), t.width, t.core, t.priority, t.id}));
  }
  const accelerator_options<ticks> o{.costs = options.costs,
                                     .free_preemption = options.free_preemption,
                                     .pinned_slot = unit.slot(options.pinned_slot),
                                     .gang_slot = unit.slot(options.gang_slot),
                                     .guard_band = options.guard_band,
                                     .has_limit = options.has_limit,
                                     .limit = unit.whole(options.limit),
                                     .stop_at_first_miss = options.stop_at_first_miss};
  const auto seen =
      simulate_accelerator(detail::fine_policy<Policy, accelerator_table<rational, MaxTasks>>{&policy, &table, &unit},
                           strategy, whole, detail::fine_releases<Releases>{&releases, &unit}, o);

  simulation_result<MaxTasks, 0, rational> out;
  out.error = seen.error;
  out.end = unit.fraction(seen.end).floor();
  for (const observed_task<ticks>& t : seen.tasks) {
    static_cast<void>(out.tasks.push_back(
        {.name = t.name,
         .released = t.released,
         .completed = t.completed,
         .misses = t.misses,
         .unfinished = t.unfinished,
         .worst_response = unit.fraction(t.worst_response),
         .best_response = unit.fraction(t.best_response),
         .total_response = unit.fraction(t.total_response),
         .first_miss = t.first_miss == no_instant ? no_instant : unit.fraction(t.first_miss).floor()}));
  }
  return out;
}

}  // namespace takt::simulation
