// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/accelerator_fault.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/accelerator_scheduler.hpp>
#include <takt/simulation/accelerator/simulator.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/result.hpp>

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

}  // namespace detail

/// Lets kernels run on an accelerator in virtual time, under a policy and a strategy, and tells `recorder` what happens
/// where times are ticks. Order within one instant: see `accelerator_simulator`. The same arguments give the same
/// result everywhere.
///
/// A late job goes on; the next job of its kernel waits for it. The run ends when all jobs are complete, or at a limit.
/// Error: `invalid_model`, with the fault in `error`; slots are looked at where the strategy has them. Cost: per
/// release, completion, wave and slot edge linear in tasks and cores; nothing is allocated unless the recorder does.
template <class Policy, AcceleratorStrategy Strategy, ExactNumber Number, std::size_t MaxTasks, class Releases,
          TraceRecorder Recorder>
  requires AcceleratorPolicy<Policy, Number> && ReleaseSource<Releases, Number> && (Strategy::max_tasks == MaxTasks)
constexpr auto simulate_accelerator(const Policy& policy, const Strategy& strategy,
                                    const accelerator_table<Number, MaxTasks>& table, const Releases& releases,
                                    const accelerator_options<Number>& options, Recorder& recorder)
    -> simulation_result<MaxTasks, 0, Number> {
  model_error error = detail::unused_option<Strategy>(options);
  if (!error) { error = attribute_fault(table); }
  if (!is_known(options.costs)) { error = {.fault = model_fault::choice_out_of_range}; }
  for (std::size_t i = 0; !error && i < table.size(); ++i) {
    if (table.tasks[i].core >= strategy.cores()) {
      error = {.fault = model_fault::core_out_of_range, .task = table.tasks[i].id};
    }
  }
  if constexpr (SlotStrategy<Strategy>) {
    if (!error) { error = slots_fault(options.pinned_slot, options.gang_slot); }
  }
  if (error) { return {.error = error}; }
  using simulator = accelerator_simulator<Policy, Strategy, Number, MaxTasks, Releases, Recorder>;
  return simulator{policy, strategy, table, releases, options, recorder}.run();
}

template <class Policy, AcceleratorStrategy Strategy, ExactNumber Number, std::size_t MaxTasks, class Releases>
  requires AcceleratorPolicy<Policy, Number> && ReleaseSource<Releases, Number> && (Strategy::max_tasks == MaxTasks)
[[nodiscard]] constexpr auto simulate_accelerator(const Policy& policy, const Strategy& strategy,
                                                  const accelerator_table<Number, MaxTasks>& table,
                                                  const Releases& releases,
                                                  const accelerator_options<Number>& options = {})
    -> simulation_result<MaxTasks, 0, Number> {
  no_trace unheard;
  return simulate_accelerator(policy, strategy, table, releases, options, unheard);
}

}  // namespace takt::simulation
