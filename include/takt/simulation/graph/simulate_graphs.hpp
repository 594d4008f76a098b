// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/simulation/graph/gpu_observer.hpp>
#include <takt/simulation/graph/graph_options.hpp>
#include <takt/simulation/graph/graph_result.hpp>
#include <takt/simulation/graph/graph_simulator.hpp>
#include <takt/simulation/graph/graph_workload.hpp>

namespace takt::simulation {

/// Release times of the invocations of each clock, ascending.
template <ExactNumber Number>
using invocations = std::vector<std::vector<Number>>;

/// Whether a workload names only what it has, and its times and counts have the right signs.
template <ExactNumber Number>
[[nodiscard]] auto check_graph_workload(const graph_workload<Number>& w, const invocations<Number>& releases,
                                        const graph_options& options) -> bool {
  const Number zero(0);
  for (const std::int32_t cpus : w.clusters) {
    if (cpus < 1) { return false; }
  }
  const auto clock_exists = [&](std::int32_t c) {
    return c == no_clock || (c >= 0 && static_cast<std::size_t>(c) < releases.size());
  };
  for (const std::int32_t c : w.clocks) {
    if (!clock_exists(c)) { return false; }
  }
  for (const auto& t : w.tasks) {
    if (t.graph >= w.clocks.size() || t.first_step + t.steps > w.steps.size() || !clock_exists(t.clock) ||
        t.parallelism < 0 || !(zero < t.period) || t.offset < zero) {
      return false;
    }
    bool on_cpu = false;
    for (std::size_t s = t.first_step; s < t.first_step + t.steps; ++s) {
      const auto& step = w.steps[s];
      if (!is_known(step.kind)) { return false; }
      const bool queued = step.kind == node_kind::kernel || step.kind == node_kind::copy;
      if (step.length < zero || (queued && !(zero < step.length))) { return false; }
      if (step.kind == node_kind::kernel && (step.block.threads < 1 || !options.gpu.each.fits(step.block))) {
        return false;
      }
      on_cpu = on_cpu || step.kind == node_kind::processor;
    }
    if (on_cpu && (0 > t.cluster || static_cast<std::size_t>(t.cluster) >= w.clusters.size())) { return false; }
    const bool one_queue = t.steps == 1 && (w.steps[t.first_step].kind == node_kind::kernel ||
                                            w.steps[t.first_step].kind == node_kind::copy);
    if (t.guarded && !one_queue) { return false; }
  }
  for (const auto& clock : releases) {
    for (std::size_t j = 0; j < clock.size(); ++j) {
      if (clock[j] < (j == 0 ? zero : clock[j - 1])) { return false; }
    }
  }
  return true;
}

/// Runs all jobs of all invocations to their ends in virtual time. The same arguments give the same result everywhere.
/// `recorder` hears of slices and marks, where times are ticks; `observer` of each kernel that enters the queue, and of
/// the GPU's state at the end of each instant.
///
/// At most MaxKernels kernels can be unfinished at once, and each kernel step has a stream below that number. Cost: per
/// event linear in graphs, CPUs and SMs, logarithmic in jobs. Memory for all jobs, wherever they may
/// wait, is taken before the first event, and none after it.
template <std::size_t MaxKernels = 2048, std::size_t MaxSms = 128, ExactNumber Number, StepLengths<Number> Lengths,
          TraceRecorder Recorder, class Observer>
[[nodiscard]] auto simulate_graphs(const graph_workload<Number>& work, const invocations<Number>& releases,
                                   const graph_options& options, const Lengths& lengths, Recorder& recorder,
                                   Observer& observer) -> graph_result<Number> {
  const bool has_sms =
      options.copy_engines >= 1 && options.gpu.sms >= 1 && static_cast<std::size_t>(options.gpu.sms) <= MaxSms;
  if (!has_sms || !check_graph_workload(work, releases, options)) {
    graph_result<Number> out;
    out.fault = model_fault::malformed;
    return out;
  }
  return graph_simulator<Number, Lengths, Recorder, Observer, MaxKernels, MaxSms>{work,    releases, options,
                                                                                  lengths, recorder, observer}
      .run();
}

template <ExactNumber Number, StepLengths<Number> Lengths = full_lengths>
[[nodiscard]] auto simulate_graphs(const graph_workload<Number>& work, const invocations<Number>& releases,
                                   const graph_options& options = {}, const Lengths& lengths = {})
    -> graph_result<Number> {
  no_trace unheard;
  no_gpu_observer unseen;
  return simulate_graphs(work, releases, options, lengths, unheard, unseen);
}

}  // namespace takt::simulation
