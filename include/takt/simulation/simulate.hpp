// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/task_set.hpp>
#include <takt/model/task_table.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/simulation/composition.hpp>
#include <takt/simulation/layout.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/result.hpp>
#include <takt/simulation/simulator.hpp>

namespace takt {

namespace simulation {

[[nodiscard]] constexpr auto options_fault(const simulation_options& options) noexcept -> model_error {
  if (!is_known(options.releases) || !is_known(options.execution)) {
    return {.fault = model_fault::choice_out_of_range};
  }
  if (options.horizon.count() > longest_time) { return {.fault = model_fault::time_overflow}; }
  for (std::uint32_t i = 0; i < options.offsets.size(); ++i) {
    if (options.offsets[i].count() < 0) { return {.fault = model_fault::negative_time, .task = i}; }
  }
  return {};
}

}  // namespace simulation

/// Lets a task set run on a platform in virtual time, and tells `recorder` what happens. The composition of the
/// platform decides how: the very state machines behind its rules arbitrate, all in the priority order of the table.
/// Order within one instant: see `simulation::simulator`. The same arguments give the same result everywhere.
///
/// A job that misses its deadline goes on; the next job of its task waits for it. An unfinished job whose deadline is
/// not after the end counts as a miss. Pre: `table` is in priority order. Error: `invalid_model`, with the fault in
/// `error`. Cost: an event per release, completion, copy, kernel and preemption, each logarithmic in the tasks;
/// nothing is allocated unless the recorder does, or by the CK-OMLP for its loans before the first event.
template <Platform P, std::size_t MaxTasks, std::size_t MaxSegments, std::size_t MaxSamples, std::size_t MaxShares,
          TraceRecorder Recorder>
constexpr auto simulate(const P& platform, const task_table<ticks, MaxTasks, MaxSegments, MaxSamples>& table,
                        const plan<MaxShares>& p, const simulation_options& options, Recorder& recorder,
                        detail::refusal&& /*refused*/ = detail::refusal{detail::check_composition<P>::passed})
    -> simulation_result<MaxTasks, MaxSegments> {
  simulation_result<MaxTasks, MaxSegments> out;
  if constexpr (KnownComposition<P>) {
    using table_type = task_table<ticks, MaxTasks, MaxSegments, MaxSamples>;
    out.error = platform.validate();
    if (!out.error) { out.error = simulation::options_fault(options); }
    if (out.error) { return out; }
    const platform_record record = platform.record();
    const simulation::layout<table_type> steps(table, record, p, simulation::kernels_on<P>);
    out.error = steps.error();
    if (!out.error) {
      out = simulation::simulator<P, table_type, MaxShares, Recorder>(table, steps, record, p, options, recorder).run();
    }
  }
  return out;
}

template <Platform P, std::size_t MaxTasks, std::size_t MaxSegments, std::size_t MaxSamples, std::size_t MaxShares>
[[nodiscard]] constexpr auto simulate(
    const P& platform, const task_table<ticks, MaxTasks, MaxSegments, MaxSamples>& table, const plan<MaxShares>& p,
    const simulation_options& options = {},
    detail::refusal&& /*refused*/ = detail::refusal{detail::check_composition<P>::passed})
    -> simulation_result<MaxTasks, MaxSegments> {
  no_trace unheard;
  return simulate(platform, table, p, options, unheard);
}

/// The same for a typed set, in the priority order of the platform's processors.
template <Platform P, TaskSet T, std::size_t MaxShares, TraceRecorder Recorder>
constexpr auto simulate(const P& platform, const T& tasks, const plan<MaxShares>& p, const simulation_options& options,
                        Recorder& recorder,
                        detail::refusal&& /*refused*/ = detail::refusal{detail::check_composition<P>::passed &&
                                                                        detail::check_chains<T>::passed}) {
  if constexpr (!AcceleratorTaskSet<T>) {
    auto table = tasks.template table<ticks>();
    prioritize(table, P::cpu_rule::order);
    return simulate(platform, table, p, options, recorder);
  }
}

template <Platform P, TaskSet T, std::size_t MaxShares>
[[nodiscard]] constexpr auto simulate(const P& platform, const T& tasks, const plan<MaxShares>& p,
                                      const simulation_options& options = {},
                                      detail::refusal&& /*refused*/ = detail::refusal{
                                          detail::check_composition<P>::passed && detail::check_chains<T>::passed}) {
  no_trace unheard;
  return simulate(platform, tasks, p, options, unheard);
}

}  // namespace takt
