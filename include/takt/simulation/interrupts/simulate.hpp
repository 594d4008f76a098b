// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/model/trace_record.hpp>
#include <takt/simulation/interrupts/bottom_halves.hpp>
#include <takt/simulation/interrupts/interrupt_simulator.hpp>
#include <takt/simulation/interrupts/result.hpp>
#include <takt/simulation/interrupts/workload.hpp>
#include <takt/simulation/interrupts/workload_check.hpp>

namespace takt::simulation {

struct interrupt_simulation_options {
  std::int32_t processors = 1;
  callback_threads callbacks{};
};

/// Lets jobs use devices whose bottom halves are handled by `policy`, each device's by a copy of it. The run ends when
/// nothing more can happen. Order within one instant: see `interrupt_simulator`. Error: what `check` says, or that a
/// job does not end, with what happened until then.
template <BottomHalfPolicy Policy, TraceRecorder Recorder>
[[nodiscard]] auto simulate_interrupts(const interrupt_workload& workload, const Policy& policy,
                                       const interrupt_simulation_options& options, Recorder& recorder)
    -> interrupt_result {
  if (const model_error e = check(workload, options.processors)) { return {.error = e}; }
  return interrupt_simulator<Policy, Recorder>{workload, options.processors, policy, options.callbacks, recorder}.run();
}

template <BottomHalfPolicy Policy>
[[nodiscard]] auto simulate_interrupts(const interrupt_workload& workload, const Policy& policy,
                                       const interrupt_simulation_options& options = {}) -> interrupt_result {
  no_trace unheard;
  return simulate_interrupts(workload, policy, options, unheard);
}

}  // namespace takt::simulation
