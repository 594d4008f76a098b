// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/interrupts.hpp>
#include <takt/core/checked.hpp>
#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/model/limited_preemption.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/overheads.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/model/to_runtime_tasks.hpp>

namespace takt::inline TAKT_ABI {

namespace analysis::detail {

/// Sums that remember whether all of them fitted.
struct time_sum {
  ticks value = 0;
  bool fits = true;

  constexpr auto add(const ticks& t, std::int64_t times = 1) -> time_sum& {
    ticks product = 0;
    fits = checked_multiply(t, times, product) && checked_add(value, product, value) && fits;
    return *this;
  }
};

/// Times of tasks with what the operating system adds.
template <class Tasks>
class overhead_charges {
  using overheads = gpusync_overheads<ticks>;

 public:
  constexpr overhead_charges(const Tasks& tasks, const overheads& o, kernel_handover kernels)
      : tasks_{&tasks}, o_{o}, kernels_{kernels}, interrupts_{o} {
    operation_.add(o.top_half).add(o.bottom_half).add(o.interrupt_cache_loss).add(call());
    operation_.add(o.schedule, 2).add(o.context_switch, 2);
    for (std::uint32_t i = 0; i < tasks.size(); ++i) { add_interrupts(i); }
  }

  [[nodiscard]] constexpr auto run() -> runtime_conversion<Tasks> {
    runtime_conversion<Tasks> out{.tasks = *tasks_};
    if (!interrupts_.fits() || !operation_.fits) { return refused(out, {.fault = model_fault::time_overflow}); }
    if (!interrupts_.leaves_time()) { return refused(out, {.fault = model_fault::interrupts_leave_no_time}); }
    time_sum handover{o_.ipi};
    ticks pending = 0;
    if (!interrupts_.delay(pending) || !handover.add(pending).fits) {
      return refused(out, {.fault = model_fault::time_overflow});
    }
    for (std::uint32_t i = 0; i < tasks_->size(); ++i) {
      runtime_task& t = out.tasks.tasks[i];
      bool fits = checked_add(t.jitter, o_.event_latency, t.jitter);
      for (std::uint32_t p = 0; p < t.visit_count; ++p) {
        runtime_visit& v = out.tasks.visits[t.first_visit + p];
        const ticks before = v.time.upper;
        fits =
            (on_processor(v) ? charge_processor(i, p, v) : charge_device(i, p, handover.value, v, out.tasks)) && fits;
        if (!fits) { return refused(out, located(fault_at(model_fault::time_overflow, i, p), tasks_->tasks)); }
        v.region = takt::detail::region_in(v.region, before, v.time.upper);
      }
    }
    return out;
  }

 private:
  [[nodiscard]] static constexpr auto refused(runtime_conversion<Tasks>& out, const model_error& error)
      -> const runtime_conversion<Tasks>& {
    out.error = error;
    return out;
  }
  [[nodiscard]] static constexpr auto on_processor(const runtime_visit& v) -> bool {
    return v.where == resource_kind::processor;
  }
  [[nodiscard]] constexpr auto call() const -> ticks { return o_.system_call_in + o_.system_call_out; }

  /// Returns the visit of a processor that asks for visit p on a device. It is the last one that comes before p on all
  /// paths or one of them; p if there is none.
  [[nodiscard]] constexpr auto asker_of(std::uint32_t i, std::uint32_t p) const -> std::uint32_t {
    visit_mask before = tasks_->visit(i, p).predecessors;
    for (std::uint32_t q = p; q-- > 0;) {
      if ((before >> q & 1U) == 0) { continue; }
      if (on_processor(tasks_->visit(i, q))) { return q; }
      before |= tasks_->visit(i, q).predecessors;
    }
    return p;
  }
  /// Adds a timer for each visit, since a plan may hold it back, and ends of operations, both at any time of a job. An
  /// operation that no visit asks for counts twice: an interrupt also begins it.
  constexpr void add_interrupts(std::uint32_t i) {
    const runtime_task& t = tasks_->tasks[i];
    time_sum timer;
    timer.add(o_.release, t.visit_count).add(o_.interrupt_cache_loss, t.visit_count);
    time_sum latest{t.period};
    interrupts_.add(timer.value, t.period, latest.add(o_.event_latency).value);
    operation_.fits = operation_.fits && timer.fits && latest.fits;
    std::int64_t count = 0;
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      if (on_processor(tasks_->visit(i, p))) { continue; }
      count += asker_of(i, p) == p ? 2 : 1;
    }
    time_sum all;
    if (count > 0) { interrupts_.add(all.add(operation_.value, count).value, t.period, t.period); }
    operation_.fits = operation_.fits && all.fits;
  }
  [[nodiscard]] constexpr auto charge_processor(std::uint32_t i, std::uint32_t p, runtime_visit& v) const -> bool {
    if (!v.known.has(visit_fact::time)) { return true; }
    std::int64_t calls = 0;
    for (std::uint32_t q = 0; q < tasks_->tasks[i].visit_count; ++q) {
      const runtime_visit& other = tasks_->visit(i, q);
      if (on_processor(other)) { continue; }
      calls += asker_of(i, q) == p ? 1 : 0;
      calls += q < p && (v.predecessors >> q & 1U) != 0 ? 1 : 0;
    }
    time_sum work{v.time.upper};
    return work.add(call(), calls).fits &&
           gpusync::detail::dispatched_time(interrupts_, o_, work.value, 0, gpusync::interrupt_handling::shared,
                                            v.time.upper);
  }
  [[nodiscard]] constexpr auto charge_device(std::uint32_t i, std::uint32_t p, ticks handover, runtime_visit& v,
                                             Tasks& tasks) const -> bool {
    time_sum late;
    late.add(handover, (is_handed_on(v) ? 1 : 0) + (asker_of(i, p) == p ? 1 : 0));
    return late.fits && (late.value == 0 || lengthen(v, late.value, tasks));
  }
  [[nodiscard]] constexpr auto is_handed_on(const runtime_visit& v) const -> bool {
    if (v.where != resource_kind::gpu) { return true; }
    switch (kernels_) {
      case kernel_handover::hardware: return false;
      case kernel_handover::host: break;
    }
    return true;
  }
  /// Lengthens all that is known of the time of a visit.
  [[nodiscard]] static constexpr auto lengthen(runtime_visit& v, ticks by, Tasks& tasks) -> bool {
    bool fits = true;
    const auto grow = [&](ticks& time) { fits = checked_add(time, by, time) && fits; };
    if (v.known.has(visit_fact::time)) { grow(v.time.upper); }
    if (v.where != resource_kind::gpu) { return fits; }
    if (v.known.has(visit_fact::wcet)) { grow(v.wcet); }
    if (v.known.has(visit_fact::work)) { grow(v.work.upper); }
    if (v.known.has(visit_fact::work) || v.known.has(visit_fact::grid)) {
      v.overhead = v.known.has(visit_fact::overhead) ? v.overhead : 0;
      v.known.add(visit_fact::overhead);
      grow(v.overhead);
    }
    for (std::uint32_t s = 0; s < v.samples && v.known.has(visit_fact::times_on_sms); ++s) {
      ticks& upper = tasks.samples[v.first_sample + s].upper;
      if (upper != unbounded_time) { grow(upper); }
    }
    if (!v.known.has(visit_fact::wcet_by_share)) { return fits; }
    std::array<ticks, wcet_row::shares> times{};
    for (std::size_t s = 0; s < times.size(); ++s) {
      times[s] = tasks.rows[v.row].at(share::bounded(static_cast<std::int32_t>(s + 1)));
      if (times[s] != unbounded_time) { grow(times[s]); }
    }
    tasks.rows[v.row] = wcet_row::measured(times);
    return fits;
  }

  const Tasks* tasks_;
  overheads o_;
  kernel_handover kernels_;
  gpusync::interrupt_load<ticks> interrupts_;
  time_sum operation_{};  ///< of the host at the end of an operation: its interrupt, and what hands the device on
};

}  // namespace analysis::detail

/// Returns the workload with all that the system adds, wherever tasks are. Each visit of a processor is dispatched,
/// preempts another and is interrupted. Its system calls take time, and devices wait for the host to hand them on. Ends
/// of device operations interrupt any processor at the highest priority, and the code that hands devices on runs at it,
/// too; locks are not charged. Timers are late by `event_latency`, so with that no guards prove anything; and bounds of
/// a closed part prove nothing, since late jobs of others interrupt it more often. Pre: deadlines are proven as no
/// later than periods. Errors: `choice_out_of_range`, `negative_overhead`, `interrupts_leave_no_time`, `time_overflow`.
/// Proof: docs/composition.md, overheads. Source: Brandenburg 2011, preemption-centric accounting; Elliott 2015,
/// section 2.1.8.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto with_overheads(const runtime_task_set<N, V, R, S>& tasks,
                                            const gpusync_overheads<ticks>& o,
                                            kernel_handover kernels = kernel_handover::host)
    -> runtime_conversion<runtime_task_set<N, V, R, S>> {
  if (!is_known(kernels)) { return {.tasks = tasks, .error = {.fault = model_fault::choice_out_of_range}}; }
  if (!o.valid()) { return {.tasks = tasks, .error = {.fault = model_fault::negative_overhead}}; }
  return analysis::detail::overhead_charges<runtime_task_set<N, V, R, S>>{tasks, o, kernels}.run();
}

}  // namespace takt::inline TAKT_ABI
