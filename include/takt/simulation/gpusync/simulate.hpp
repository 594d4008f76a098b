// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/gpusync/overheads.hpp>
#include <takt/model/gpusync/platform.hpp>
#include <takt/model/gpusync/transfer.hpp>
#include <takt/model/gpusync/validate.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/simulation/gpusync/flatten.hpp>
#include <takt/simulation/gpusync/job_releases.hpp>
#include <takt/simulation/gpusync/options.hpp>
#include <takt/simulation/gpusync/result.hpp>
#include <takt/simulation/gpusync/run_system.hpp>
#include <takt/simulation/gpusync/section_work.hpp>
#include <takt/simulation/gpusync/summary.hpp>

namespace takt {

namespace simulation::detail {

template <class Table>
[[nodiscard]] auto options_fault(const gpusync_configuration& c, const Table& table,
                                 const gpusync_simulation_options& o) -> gpusync_run_fault {
  if (o.horizon.count() > longest_gpusync_time) { return gpusync_run_fault::time_overflow; }
  for (const duration offset : o.offsets) {
    if (offset.count() < 0) { return gpusync_run_fault::negative_offset; }
  }
  const auto gpus = static_cast<std::size_t>(c.gpu_cluster_size);
  if (!o.distances.empty() && o.distances.size() != gpus * gpus) { return gpusync_run_fault::distances; }
  for (const std::int32_t d : o.distances) {
    if (d < 0 || d >= static_cast<std::int32_t>(distance_limit)) { return gpusync_run_fault::distances; }
  }
  if (!o.fair_demands.empty() && o.fair_demands.size() != table.size()) { return gpusync_run_fault::demands; }
  for (const ticks e : o.fair_demands) {
    if (e < 0) { return gpusync_run_fault::demands; }
  }
  switch (o.budgets) {
    case overrun_policy::none:
    case overrun_policy::signal:
    case overrun_policy::early_release: break;
    case overrun_policy::bandwidth_inheritance: return gpusync_run_fault::budget_policy;
  }
  for (const aberrant_task& a : o.aberrant) {
    if (a.repetitions < 1 || a.every < 1 || a.task >= table.size()) { return gpusync_run_fault::aberration; }
  }
  return gpusync_run_fault::none;
}

[[nodiscard]] constexpr auto choices_known(const gpusync_simulation_options& o) noexcept -> bool {
  return is_known(o.releases) && is_known(o.execution) && is_known(o.choice) && is_known(o.layout) &&
         is_known(o.queues) && is_known(o.budgets);
}

/// Whether sums of a few of them fit.
[[nodiscard]] inline auto are_short(const gpusync_overheads<ticks>& o) -> bool {
  return std::ranges::max({o.schedule, o.context_switch, o.system_call_in, o.system_call_out, o.lock, o.unlock}) <=
         longest_gpusync_time / 8;
}

/// Whether pools are small enough, and all jobs together end in time.
[[nodiscard]] inline auto size_fault(const gpu_system& s, const std::vector<task_releases>& jobs,
                                     const gpusync_simulation_options& o) -> gpusync_run_fault {
  for (const simulated_pool& p : s.pools) {
    const bool fits = p.tokens.valid() && p.tokens.tokens() <= static_cast<replica_id>(most_simulated_tokens);
    if (!fits) { return gpusync_run_fault::too_many_tokens; }
  }
  const request_costs& k = s.costs;
  ticks repetitions = 1;
  for (const aberrant_task& a : o.aberrant) { repetitions = std::max<ticks>(repetitions, a.repetitions); }
  ticks total = 0;
  for (std::size_t t = 0; t < s.programs.size(); ++t) {
    const section_program& p = s.programs[t];
    const auto peer_copies = p.state_peer.empty() ? 0 : p.state_peer.front().size();  // as many over all distances
    const auto copies = p.state_in.size() + p.state_out.size() + peer_copies;
    const auto operations = static_cast<ticks>(p.steps.size() + copies) * repetitions + 1;
    ticks each = 0;
    ticks extra = 0;
    const bool fits =
        checked_multiply(p.longest_section, repetitions, each) && checked_add(each, p.cpu_before + p.cpu_after, each) &&
        checked_multiply(k.before_lock + k.after_grant + k.after_wait + k.after_unlock, operations, extra) &&
        checked_add(each, extra, each) && checked_multiply(each, static_cast<ticks>(jobs[t].size()), each) &&
        checked_add(total, each, total);
    if (!fits || total > never / 4) { return gpusync_run_fault::time_overflow; }
  }
  return gpusync_run_fault::none;
}

}  // namespace simulation::detail

/// Lets tasks run on a platform of locked GPUs in virtual time, and tells `recorder` what happens: CPU clusters under
/// the scheduler of the configuration, tokens by the R2DGLP or under the CK-OMLP, one lock per engine, migrations in
/// chunks, and the choice of GPUs by predicted cost. `TokenRules` are for rules as they are printed.
///
/// Jobs released before the horizon run to their ends, late or not; the next job of a task waits for the one before.
/// The same arguments give the same result everywhere. Where engines serve by priority, a copy from GPU to GPU takes
/// its two engines one after the other in the order of their numbers.
/// Error: `fault`. Cost: a few passes over the pending jobs per request and instant; all jobs are kept on the heap.
template <class TokenRules = r2dglp_rules, GpusyncPlatform P, class Table, TraceRecorder Recorder>
  requires std::same_as<typename P::number, ticks> && std::same_as<typename Table::number, ticks>
[[nodiscard]] auto simulate(const P& platform, const Table& tasks, const gpusync_simulation_options& options,
                            Recorder& recorder) -> gpusync_simulation_result<Table::max_tasks> {
  gpusync_simulation_result<Table::max_tasks> out;
  out.error = validate_gpusync(platform, tasks);
  if (out.error) {
    out.fault = gpusync_run_fault::model;
    return out;
  }
  if (!simulation::detail::choices_known(options)) {
    out.error = {gpusync_fault::choice_out_of_range};
    out.fault = gpusync_run_fault::model;
    return out;
  }
  const gpusync_configuration& c = platform.configuration();
  out.fault = simulation::detail::options_fault(c, tasks, options);
  if (options.overheads && !simulation::detail::are_short(platform.overheads)) {
    out.fault = gpusync_run_fault::time_overflow;
  }
  if (out.fault != gpusync_run_fault::none) { return out; }
  const simulation::gpu_system system = simulation::detail::flatten(platform, tasks, options);
  std::vector<simulation::task_releases> jobs;
  if (!simulation::detail::jobs_of(c, tasks, system, options, jobs)) {
    out.fault = gpusync_run_fault::time_overflow;
    return out;
  }
  out.fault = simulation::detail::size_fault(system, jobs, options);
  if (out.fault != gpusync_run_fault::none) { return out; }
  std::vector<ticks> budgets;
  for (const simulation::section_program& p : system.programs) {
    budgets.push_back(p.cpu_before + p.longest_section + p.cpu_after);
  }
  const simulation::varied_work work(options.execution, options.aberrant, options.seed);
  out.run = simulation::run_gpu_system<Table::max_tasks, TokenRules>(
      system, jobs, work, {.policy = options.budgets, .budgets = budgets}, options.seed, recorder);
  if (out.run.locks.error) {
    out.fault = gpusync_run_fault::locks;
    return out;
  }
  simulation::detail::summarize(system, tasks, out.run, out.tasks);
  return out;
}

template <class TokenRules = r2dglp_rules, GpusyncPlatform P, class Table>
  requires std::same_as<typename P::number, ticks> && std::same_as<typename Table::number, ticks>
[[nodiscard]] auto simulate(const P& platform, const Table& tasks, const gpusync_simulation_options& options = {})
    -> gpusync_simulation_result<Table::max_tasks> {
  no_trace unheard;
  return simulate<TokenRules>(platform, tasks, options, unheard);
}

}  // namespace takt
