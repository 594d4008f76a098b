// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/accelerator_fault.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/kernel_board.hpp>
#include <takt/rules/accelerator/policy.hpp>
#include <takt/rules/accelerator/strategy.hpp>
#include <takt/rules/board_stations.hpp>
#include <takt/rules/host/engine.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/result.hpp>
#include <takt/simulation/whole_kernels/jobs.hpp>
#include <takt/simulation/whole_kernels/options.hpp>
#include <takt/simulation/whole_kernels/releases.hpp>

namespace takt::simulation {

namespace detail {

/// What is asked of an accelerator in vain.
template <AcceleratorStrategy Strategy, ExactNumber Number>
[[nodiscard]] constexpr auto unused_option(const accelerator_options<Number>& o) -> model_error {
  const auto given = [](const slot_reservation<Number>& s) {
    return s.offset != Number(0) || s.budget != Number(0) || s.period != Number(0);
  };
  if (!o.has_limit && o.limit != Number(0)) { return unused("limit"); }
  if constexpr (!SlotStrategy<Strategy>) {
    if (given(o.pinned_slot)) { return unused("pinned_slot"); }
    if (given(o.gang_slot)) { return unused("gang_slot"); }
    if (o.guard_band) { return unused("guard_band"); }
  }
  return {};
}

template <class Strategy, std::size_t MaxTasks>
[[nodiscard]] constexpr auto kernels_fault(const Strategy& strategy, const accelerator_table<ticks, MaxTasks>& table,
                                           const accelerator_options<ticks>& options) -> model_error {
  if (const auto error = unused_option<Strategy>(options)) { return error; }
  if (const auto error = attribute_fault(table)) { return error; }
  if (!is_known(options.costs)) { return {.fault = model_fault::choice_out_of_range}; }
  for (const auto& t : table.tasks) {
    if (t.core >= strategy.cores()) { return {.fault = model_fault::core_out_of_range, .task = t.id}; }
    if (!times_fit(t)) { return {.fault = model_fault::time_overflow, .task = t.id}; }
  }
  if constexpr (SlotStrategy<Strategy>) { return slots_fault(options.pinned_slot, options.gang_slot); }
  return {};
}

/// Points that come from outside.
struct given_points {
  const ticks* of_tasks;

  [[nodiscard]] constexpr auto point(const job_timing& t, ticks /*release*/, priority_point& out) const noexcept
      -> bool {
    out = {of_tasks[t.task], 0};
    return true;
  }
};

}  // namespace detail

/// Lets kernels run on an accelerator in virtual time, under a policy and a strategy, and tells `recorder` what happens
/// where times are ticks. Order within one instant: slots close and open; jobs complete, core by core, after all cores
/// together; kernels that were asked to yield do; jobs are released one by one in the given order. After each of these
/// the strategy decides. Only then do the kernels on top go on or start, but under `race` costs what a completed job
/// leaves on top of its streams starts a wave before that. The same arguments give the same result everywhere.
///
/// A late job goes on; the next job of its kernel waits for it, and asks at once when it has ended. The run ends when
/// all jobs are complete, or at a limit. Error: `invalid_model`, with the fault in `error`; slots are looked at where
/// the strategy has them. Cost: see `host::engine`; nothing is allocated unless the recorder does.
template <class Policy, AcceleratorStrategy Strategy, std::size_t MaxTasks, ReleaseSource<ticks> Releases,
          TraceRecorder Recorder>
  requires AcceleratorPolicy<Policy, ticks> && (Strategy::max_tasks == MaxTasks)
constexpr auto simulate_accelerator(const Policy& policy, const Strategy& strategy,
                                    const accelerator_table<ticks, MaxTasks>& table, const Releases& releases,
                                    const accelerator_options<ticks>& options, Recorder& recorder)
    -> simulation_result<MaxTasks> {
  if (const auto error = detail::kernels_fault(strategy, table, options)) { return {.error = error}; }
  using jobs_type = detail::kernel_jobs<Policy, MaxTasks, Releases, Recorder>;
  jobs_type jobs{policy, table, releases, strategy.cores(), takt::detail::most_lanes<Strategy>() > 1, recorder};
  const auto board = platform(pool(
      accelerator(strategy.cores()),
      given_strategy<Strategy, detail::given_points>{
          strategy, options.costs, options.pinned_slot, options.gang_slot, {jobs.points()}, strategy.levels(), false}));
  using stations_type = board_stations<std::remove_cvref_t<decltype(board)>, 1>;
  stations_type stations{board};
  static_cast<void>(stations.number_of({}));
  const auto visits =
      kernel_visits{.free_stopping = options.free_preemption, .guard_band = options.guard_band}.of(table);
  host::engine<stations_type, MaxTasks, MaxTasks, jobs_type> engine{visits, stations, jobs};
  const slice_sink sink = jobs.sink();

  ticks now = 0;
  ticks come_by = jobs_type::never;  // nobody runs any more, or
  engine.begin(sink);
  while (come_by == jobs_type::never) {
    ticks next = engine.next_instant();
    if (options.stop_at_first_miss && jobs.first_due() < next) { next = jobs.first_due(); }
    if (next >= jobs_type::never || jobs.error()) { break; }
    now = next;
    jobs.come_before(now);
    engine.step(now);
    jobs.come_before(now + 1);
    const bool missed = options.stop_at_first_miss && jobs.first_due() <= now;
    if (missed || (options.has_limit && options.limit < now && !jobs.is_idle())) { come_by = now; }
  }
  engine.close();
  if (jobs.error()) { return {.error = jobs.error()}; }
  jobs.come_before(come_by);

  simulation_result<MaxTasks> out;
  out.end = now;
  const ticks due_by = options.stop_at_first_miss ? now : no_event;
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    observed_task<ticks> seen = engine.seen().tasks[i];
    seen.visit_count = seen.first_visit = 0;
    out.end = std::max(out.end, jobs.note_unfinished(i, come_by, due_by, seen));
    static_cast<void>(out.tasks.push_back(seen));
  }
  return out;
}

template <class Policy, AcceleratorStrategy Strategy, std::size_t MaxTasks, ReleaseSource<ticks> Releases>
  requires AcceleratorPolicy<Policy, ticks> && (Strategy::max_tasks == MaxTasks)
[[nodiscard]] constexpr auto simulate_accelerator(const Policy& policy, const Strategy& strategy,
                                                  const accelerator_table<ticks, MaxTasks>& table,
                                                  const Releases& releases,
                                                  const accelerator_options<ticks>& options = {})
    -> simulation_result<MaxTasks> {
  no_trace unheard;
  return simulate_accelerator(policy, strategy, table, releases, options, unheard);
}

}  // namespace takt::simulation
