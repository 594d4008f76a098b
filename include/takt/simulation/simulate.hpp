// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/task_set.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/validate.hpp>
#include <takt/rules/accelerator/planned_kernels.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/planned_table.hpp>
#include <takt/rules/share_tags.hpp>
#include <takt/simulation/composition.hpp>
#include <takt/simulation/layout.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/result.hpp>
#include <takt/simulation/simulator.hpp>

namespace takt::inline TAKT_ABI {

/// Lets a task set run on a platform in virtual time under a plan, and tells `recorder` what happens. The composition
/// of the platform decides how: the state machines of its rules arbitrate, on the cores and in the order that the plan
/// and the platform's processors say. Order within one instant: see `simulation::simulator`. The same arguments give
/// the same result everywhere.
///
/// The run ends at the horizon. A job that misses its deadline goes on; the next job of its task waits for it. An
/// unfinished job whose deadline is not after the end counts as a miss. Error: `invalid_model`, with the fault in
/// `error`: in the platform, the set, the options or the plan. Cost: an event per release, completion, copy, kernel and
/// preemption, each logarithmic in the tasks. Nothing is allocated unless the recorder does, or by the CK-OMLP for its
/// loans before the first event.
template <Platform P, TaskSet T, std::size_t N, TraceRecorder Recorder = const null_recorder>
  requires(!HasGpuShares<P> && !ComposedBoard<P, T>)
constexpr auto simulate(const P& platform, const T& tasks, const plan<N>& p, const simulation_options& options = {},
                        Recorder& recorder = no_recorder,
                        detail::refusal&& /*refused*/ = detail::refusal{detail::check_composition<P>::passed &&
                                                                        detail::check_chains<T>::passed}) {
  if constexpr (KnownComposition<P> && !AcceleratorTaskSet<T>) {
    const auto table = planned_table(platform, tasks, p);
    using table_type = std::remove_const_t<decltype(table)>;
    simulation_result<table_type::max_tasks, table_type::max_segments> out;
    constexpr simulation::option_parts used{.stop_at_first_miss = true};
    out.error = platform.validate();
    if (!out.error) { out.error = validate(table); }
    if (!out.error) { out.error = simulation::options_fault(options, table.size(), used); }
    if (!out.error) { out.error = parts_fault(p, chain_plan_parts<P>(), table.size()); }
    if (out.error) { return out; }
    const platform_record record = platform.record();
    const simulation::layout<table_type> steps(table, record, p, composition_of<P>.kernels);
    out.error = located(steps.error(), table.tasks);
    if (!out.error) { out.error = plan_fault(platform, table, p); }
    if (!out.error) {
      out = simulation::simulator<P, table_type, N, Recorder>(table, steps, record, p, options, recorder).run();
    }
    return out;
  }
}

}  // namespace takt::inline TAKT_ABI
