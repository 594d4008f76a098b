// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <takt/core/choice.hpp>
#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/host/engine.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/simulation/common_unit.hpp>
#include <takt/simulation/graph/graph_jobs.hpp>
#include <takt/simulation/graph/graph_options.hpp>
#include <takt/simulation/graph/graph_stations.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>
#include <takt/simulation/graph/job_gates.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Release times of the invocations of each clock, ascending.
template <ExactNumber Number>
using invocations = std::vector<std::vector<Number>>;

namespace detail {

/// Returns whether a workload names only what it has, and its times and counts have the right signs. Each kernel step
/// has a stream below `streams`.
[[nodiscard]] inline auto check_graph_workload(const graph_workload<ticks>& w, const invocations<ticks>& releases,
                                               const graph_options& options, std::size_t streams) -> bool {
  if (w.clusters.size() > max_clusters) { return false; }
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
        t.parallelism < 0 || t.period <= 0 || t.offset < 0) {
      return false;
    }
    bool on_cpu = false;
    for (std::size_t s = t.first_step; s < t.first_step + t.steps; ++s) {
      const auto& step = w.steps[s];
      if (!is_known(step.kind)) { return false; }
      const bool queued = step.kind == node_kind::kernel || step.kind == node_kind::copy;
      if (step.length < (queued ? 1 : 0)) { return false; }
      const bool streamed = !options.per_task_streams || s < streams;
      if (step.kind == node_kind::kernel && (!streamed || !can_run(options.gpu, {step.block, step.blocks}))) {
        return false;
      }
      on_cpu = on_cpu || step.kind == node_kind::processor;
    }
    if (on_cpu && (0 > t.cluster || static_cast<std::size_t>(t.cluster) >= w.clusters.size())) { return false; }
    const bool one_queue = t.steps == 1 && (w.steps[t.first_step].kind == node_kind::kernel ||
                                            w.steps[t.first_step].kind == node_kind::copy);
    if (t.guarded && !one_queue) { return false; }
  }
  const bool all_made = !drops_releases(options.on_late) && options.invocation_limits.empty();
  const bool may_drop = all_made || std::ranges::all_of(w.tasks, [](const auto& t) { return t.clock != no_clock; });
  const bool has_room = options.invocation_limits.size() <= w.clocks.size() &&
                        std::ranges::all_of(options.invocation_limits, [](std::int64_t n) { return n >= 0; });
  const bool well_stopped = are_apart(options.stalls);
  if (!is_known(options.on_late) || !may_drop || !has_room || !well_stopped) { return false; }
  for (const auto& clock : releases) {
    for (std::size_t j = 0; j < clock.size(); ++j) {
      if (clock[j] < (j == 0 ? 0 : clock[j - 1])) { return false; }
    }
  }
  return true;
}

/// Room in which most workloads of tests and searches fit, and which takes a tenth of the time to set up.
inline constexpr std::size_t few_steps = 64;
inline constexpr std::size_t few_sms = 16;

/// Returns the most jobs of a workload; `max_jobs` where tokens alone release a task. Pre: `check_graph_workload`.
[[nodiscard]] inline auto most_jobs(const graph_workload<ticks>& w, const invocations<ticks>& releases) -> std::size_t {
  std::size_t out = 0;
  for (const auto& t : w.tasks) {
    if (t.clock == no_clock) { return job_gates::max_jobs; }
    TAKT_EXPECTS(static_cast<std::size_t>(t.clock) < releases.size());
    out += releases[static_cast<std::size_t>(t.clock)].size();
  }
  return out;
}

}  // namespace detail

/// Runs all jobs of all invocations on the engine to their ends. Order within one instant: CPU time and blocks that are
/// due end; invocations are released; everything that this makes active becomes so. Then new kernels and copies enter
/// their queues by graph, number of the job and task; blocks start; CPUs are handed out. The same arguments give the
/// same result everywhere. `recorder` hears of slices and marks; slices of blocks that share an SM overlap.
///
/// At most MaxSteps steps can be under way at once, else `too_many_jobs`; MaxSms SMs have room for `blocks_per_sm`
/// blocks on average. Cost: see `host::engine`. Memory for all jobs, wherever they may wait, is taken before the first
/// event, and none after it.
template <std::size_t MaxSteps = 2048, std::size_t MaxSms = 128, StepLengths<ticks> Lengths = full_lengths,
          TraceRecorder Recorder = const null_recorder>
[[nodiscard]] auto simulate_graphs(const graph_workload<ticks>& work, const invocations<ticks>& releases,
                                   const graph_options& options = {}, const Lengths& lengths = {},
                                   Recorder& recorder = no_recorder) -> graph_result<ticks> {
  constexpr std::size_t max_blocks = MaxSms * simulated_blocks_per_sm;
  const auto failed = [](model_fault f) {
    graph_result<ticks> out;
    out.fault = f;
    return out;
  };
  const bool has_sms =
      options.copy_engines >= 1 && options.gpu.sms >= 1 && static_cast<std::size_t>(options.gpu.sms) <= MaxSms;
  if (!has_sms || !detail::check_graph_workload(work, releases, options, MaxSteps)) {
    return failed(model_fault::malformed);
  }
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const auto& s : work.steps) {
    if (s.kind == node_kind::kernel) { least = std::min(least, options.gpu.each.held_by(s.block).threads); }
  }
  const std::size_t blocks = resident_blocks(options.gpu, least);
  if (blocks > max_blocks) { return failed(model_fault::platform_size_out_of_range); }
  if constexpr (MaxSteps > detail::few_steps && MaxSms > detail::few_sms) {
    const bool fits = std::max(detail::most_jobs(work, releases), work.steps.size()) <= detail::few_steps &&
                      options.gpu.sms <= static_cast<std::int32_t>(detail::few_sms) &&
                      blocks <= detail::few_sms * simulated_blocks_per_sm;
    if (fits) {
      return simulate_graphs<detail::few_steps, detail::few_sms>(work, releases, options, lengths, recorder);
    }
  }

  using jobs_type = graph_jobs<Lengths, Recorder, MaxSteps>;
  using stations_type = graph_stations<MaxSms, max_blocks>;
  std::vector<step_needs> needs;
  const auto table = std::make_unique<typename jobs_type::table_type>();
  jobs_type jobs{work, releases, options, lengths, recorder, *table, needs};
  jobs.set_up();
  if (!jobs.ok()) { return jobs.result(); }
  const stations_type stations{work.clusters, options.copy_engines, options.gpu, options.preemptive, needs};
  using engine_type = host::engine<stations_type, MaxSteps, MaxSteps, jobs_type>;
  const auto engine = std::make_unique<engine_type>(*table, stations, jobs);
  const slice_sink sink = jobs.sink();
  engine->begin(sink);
  for (ticks now = engine->next_instant(); jobs.ok() && now != no_event; now = engine->next_instant()) {
    jobs.pass(*engine, now);
    engine->step(now);
  }
  return jobs.result();
}

/// Simulates graphs with exact times, in the greatest unit in which all of them are whole. Error: `time_overflow` as
/// well where there is none in which they fit; `malformed` with stalls, which count in ticks.
template <std::size_t MaxSteps = 2048, std::size_t MaxSms = 128, ExactFraction Number>
[[nodiscard]] auto simulate_graphs(const graph_workload<Number>& work, const invocations<Number>& releases,
                                   const graph_options& options = {}) -> graph_result<Number> {
  detail::common_unit<Number> unit;
  for (const auto& s : work.steps) { unit.hold(s.length); }
  for (const auto& t : work.tasks) {
    for (const Number& time : {t.period, t.offset, t.priority_point}) { unit.hold(time); }
  }
  for (const auto& clock : releases) {
    for (const Number& time : clock) { unit.hold(time); }
  }
  bool fits = unit.fits();
  const auto whole = [&](const Number& time) {
    ticks out = 0;
    fits = fits && unit.whole(time, out);
    return out;
  };
  graph_workload<ticks> same{work.clusters, {}, {}, work.dependencies, work.clocks};
  for (const auto& s : work.steps) {
    same.steps.push_back({s.kind, whole(s.length), s.blocks, s.block, s.signals, s.segment});
  }
  for (const auto& t : work.tasks) {
    same.tasks.push_back({t.graph, t.first_step, t.steps, t.cluster, t.parallelism, t.clock, whole(t.period),
                          whole(t.offset), whole(t.priority_point), t.guarded, t.is_sink});
  }
  const auto all = [](const auto& times, const auto& change) {
    std::vector<decltype(change(times[0]))> made(times.size());
    std::ranges::transform(times, made.begin(), change);
    return made;
  };
  const auto exact = [&](ticks time) { return unit.time(time); };
  const auto times = all(releases, [&](const auto& clock) { return all(clock, whole); });
  graph_result<Number> out;
  out.fault = options.stalls.empty() ? model_fault::time_overflow : model_fault::malformed;
  if (!fits || !options.stalls.empty()) { return out; }
  const auto seen = simulate_graphs<MaxSteps, MaxSms>(same, times, options);
  out.fault = seen.fault;
  out.end = exact(seen.end);
  out.late = seen.late;
  out.responses = all(seen.responses, [&](const auto& of_graph) { return all(of_graph, exact); });
  out.invoked = all(seen.invoked, [&](const auto& clock) { return all(clock, exact); });
  out.dropped = seen.dropped;
  out.inversion = all(seen.inversion, exact);
  for (const auto& t : seen.tasks) {
    out.tasks.push_back({t.jobs, exact(t.response), exact(t.kernel_response), exact(t.enqueue_lateness)});
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::simulation
