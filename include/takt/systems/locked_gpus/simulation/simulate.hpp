// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/choice.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/host/void_bounds.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/overheads.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/simulation/release_times.hpp>
#include <takt/simulation/result.hpp>
#include <takt/systems/locked_gpus/host/engine_layout.hpp>
#include <takt/systems/locked_gpus/host/flatten.hpp>
#include <takt/systems/locked_gpus/host/system.hpp>
#include <takt/systems/locked_gpus/simulation/job_releases.hpp>
#include <takt/systems/locked_gpus/simulation/options.hpp>
#include <takt/systems/locked_gpus/simulation/run_system.hpp>
#include <takt/systems/locked_gpus/simulation/varied_work.hpp>
#include <takt/systems/locked_gpus/tasks/placed.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>
#include <takt/systems/locked_gpus/tasks/transfer.hpp>
#include <takt/systems/locked_gpus/tasks/validate.hpp>

namespace takt::inline TAKT_ABI {

/// Holds the longest s-oblivious blocking of one job of a task, by what it waits for.
struct gpusync_waits {
  ticks execution = 0;  ///< for execution engines, all sections together
  ticks copies = 0;     ///< for copy engines, all sections together
  ticks token = 0;
  ticks loan = 0;   ///< its priority is lent to a token holder
  ticks ready = 0;  ///< less important jobs run
  ticks total = 0;  ///< of all these together
};

/// Holds what else a task on locked GPUs waited for and did.
struct gpusync_activity {
  gpusync_waits worst{};
  ticks execution = 0;        ///< received of execution engines
  std::uint64_t stopped = 0;  ///< sections that ended with the budget
  std::uint64_t skipped = 0;  ///< jobs without a section, as an earlier one had their budgets
  std::uint64_t sections = 0;
  std::array<std::uint64_t, host::distance_limit> moved{};  ///< sections on another GPU than before, by distance

  [[nodiscard]] constexpr auto migrations() const noexcept -> std::uint64_t {
    std::uint64_t n = 0;
    for (const std::uint64_t m : moved) { n += m; }
    return n;
  }
};

/// Holds what a simulation of locked GPUs saw, task by task.
template <std::size_t MaxTasks>
struct gpusync_observation : simulation_result<MaxTasks> {
  inline_vector<gpusync_activity, MaxTasks> activities{};
  host::gpu_run run{};  ///< every job, request and token section; those that were not dropped come first
  /// Says from when to when bounds were void, since the process was stopped; in order, and spans do not touch.
  std::vector<host::time_span> void_bounds;

  [[nodiscard]] constexpr auto sections() const noexcept -> std::uint64_t {
    std::uint64_t n = 0;
    for (const gpusync_activity& a : activities) { n += a.sections; }
    return n;
  }
  [[nodiscard]] constexpr auto migrations() const noexcept -> std::uint64_t {
    std::uint64_t n = 0;
    for (const gpusync_activity& a : activities) { n += a.migrations(); }
    return n;
  }
};

}  // namespace takt::inline TAKT_ABI

namespace takt::inline TAKT_ABI::simulation::detail {

/// Returns the blocking of each job by what it waits for.
[[nodiscard]] inline auto waits_of(const host::gpu_system& system, const host::gpu_run& run)
    -> std::vector<gpusync_waits> {
  const host::detail::engine_layout layout(system);
  std::vector<gpusync_waits> out(run.locks.jobs.size());
  for (const host::request_outcome& q : run.locks.requests) {
    gpusync_waits& w = out[q.job];
    (layout.is_pool(q.resource)               ? w.token
     : layout.is_execution_engine(q.resource) ? w.execution
                                              : w.copies) += q.blocked;
  }
  for (std::size_t j = 0; j < out.size(); ++j) {
    const host::priority_inversion& i = run.locks.jobs[j].inversion;
    out[j].loan = i.donating;
    out[j].ready = i.ready;
    out[j].total = i.oblivious();
  }
  return out;
}

constexpr void keep_worst(gpusync_waits& worst, const gpusync_waits& w) noexcept {
  worst.execution = std::max(worst.execution, w.execution);
  worst.copies = std::max(worst.copies, w.copies);
  worst.token = std::max(worst.token, w.token);
  worst.loan = std::max(worst.loan, w.loan);
  worst.ready = std::max(worst.ready, w.ready);
  worst.total = std::max(worst.total, w.total);
}

/// Writes what each task waited for and did, from what each job and section did.
template <class Table, class Observation, TraceRecorder Recorder>
void summarize(const host::gpu_system& system, const clocked_releases& jobs, const Table& table, Observation& out,
               Recorder& recorder) {
  const host::gpu_run& run = out.run;
  const auto waits = waits_of(system, run);
  out.end = run.locks.end;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    observed_task<ticks> seen{.name = t.name};
    gpusync_activity activity;
    const host::task_jobs& l = run.tasks[i];
    const std::size_t begun = jobs.begun(i).size();
    seen.skipped = l.job_count - begun;
    seen.released = seen.skipped;
    for (std::size_t j = l.first_job; j < l.first_job + begun; ++j) {
      ++seen.released;
      keep_worst(activity.worst, waits[j]);
      const ticks release = jobs.of(static_cast<std::uint32_t>(i), j - l.first_job).release;
      const ticks finish = run.locks.jobs[j].finish;
      if (finish == no_instant) {
        ++seen.unfinished;
      } else {
        note_completion(seen, finish - release);
      }
      const ticks due = release + t.deadline;
      recorder.record(mark{mark_kind::deadline, static_cast<std::uint32_t>(i), j - l.first_job, due});
      if (finish == no_instant || finish > due) {
        seen.late += finish == no_instant ? 0U : 1U;
        note_miss(seen, due);
        recorder.record(mark{mark_kind::miss, static_cast<std::uint32_t>(i), j - l.first_job, due});
      }
    }
    // Bound: one per task of the table.
    out.tasks.unchecked_push_back(seen);
    out.activities.unchecked_push_back(activity);
  }
  for (const host::token_section& section : run.sections) {
    gpusync_activity& a = out.activities[section.task];
    ++a.sections;
    a.execution += section.execution;
    a.stopped += section.stopped ? 1 : 0;
    a.skipped += section.skipped ? 1 : 0;
    if (section.migrated()) { ++a.moved[static_cast<std::size_t>(section.distance)]; }
  }
}

}  // namespace takt::inline TAKT_ABI::simulation::detail

namespace takt::inline TAKT_ABI {

namespace simulation::detail {

template <class Table>
[[nodiscard]] auto options_fault(const gpusync_configuration& c, const Table& table,
                                 const gpusync_simulation_options& o) -> model_error {
  if (const auto error = releases_fault(o, table.size())) { return error; }
  if (const auto error = host::detail::choices_fault(c, o.gpus)) { return error; }
  if (!c.scheduler.reads_demand() && !o.fair_demands.empty()) { return unused("fair_demands"); }
  if (o.horizon.count() > longest_transfer_time) { return {.fault = model_fault::time_overflow}; }
  constexpr model_error demands{.fault = model_fault::demands_do_not_fit};
  if (!o.fair_demands.empty() && o.fair_demands.size() != table.size()) { return demands; }
  for (const ticks e : o.fair_demands) {
    if (e < 0) { return demands; }
  }
  if (!is_known(o.on_late)) { return {.fault = model_fault::choice_out_of_range}; }
  if (!are_apart(o.stalls)) { return {.fault = model_fault::time_overflow, .name = "stalls"}; }
  if (o.budgets.lenders_pay) { return {.fault = model_fault::budget_policy_unknown}; }
  for (std::size_t i = 0; i < o.aberrant.size(); ++i) {
    const aberrant_task& a = o.aberrant[i];
    const auto earlier = o.aberrant.first(i);
    const bool sound = a.repetitions >= 1 && a.every >= 1 && a.task < table.size() &&
                       !table.tasks[a.task].kernels.empty() &&
                       std::ranges::find(earlier, a.task, &aberrant_task::task) == earlier.end();
    if (!sound) { return {.fault = model_fault::aberration_out_of_range}; }
  }
  return {};
}

/// Returns whether sums of a few of them fit.
[[nodiscard]] inline auto are_short(const gpusync_overheads<ticks>& o) -> bool {
  return std::ranges::max({o.schedule, o.context_switch, o.system_call_in, o.system_call_out, o.lock, o.unlock}) <=
         longest_transfer_time / 8;
}

/// Checks whether pools are small enough, and all jobs together end in time.
[[nodiscard]] inline auto size_fault(const host::gpu_system& s, const std::vector<host::task_releases>& jobs,
                                     const gpusync_simulation_options& o) -> model_fault {
  if (!host::detail::pools_fit(s)) { return model_fault::too_many_tokens; }
  const host::request_costs& k = s.costs;
  ticks repetitions = 1;
  for (const aberrant_task& a : o.aberrant) { repetitions = std::max<ticks>(repetitions, a.repetitions); }
  ticks total = o.stalls.empty() ? 0 : o.stalls.back().begin + o.stalls.back().length;
  for (std::size_t t = 0; t < s.programs.size(); ++t) {
    const host::section_program& p = s.programs[t];
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
    if (!fits || total > never / 4) { return model_fault::time_overflow; }
  }
  return model_fault::none;
}

}  // namespace simulation::detail

/// Lets tasks run on a platform of locked GPUs in virtual time, placed by a plan, and tells `recorder` what
/// happens. CPU clusters use the scheduler of the configuration, tokens the R2DGLP or the CK-OMLP, and each engine
/// one lock. Migrations are in chunks, and GPUs are chosen by predicted cost. `TokenRules` are for rules as they
/// are printed.
///
/// Jobs released before the horizon run to their ends, late or not; the next job of a task waits for the one before.
/// Equal arguments give equal results everywhere. Where engines serve by priority, a copy from GPU to GPU takes its two
/// engines one after the other in the order of their numbers. Error: `error`. Cost: a few passes over the pending jobs
/// per request and instant; all jobs are kept on the heap.
template <class TokenRules = r2dglp_rules, GpusyncPlatform P, class Table, std::size_t N,
          TraceRecorder Recorder = const null_recorder>
  requires std::same_as<typename P::number, ticks> && std::same_as<typename Table::number, ticks>
[[nodiscard]] auto simulate(const P& platform, const Table& given, const plan<N>& p,
                            const gpusync_simulation_options& options = {}, Recorder& recorder = no_recorder)
    -> gpusync_observation<Table::max_tasks> {
  gpusync_observation<Table::max_tasks> out;
  out.error = gpusync_plan_fault(given, p);
  if (out.error) { return out; }
  const Table tasks = placed(given, p);
  const gpusync_configuration& c = platform.configuration();
  constexpr model_error too_long{.fault = model_fault::time_overflow};
  out.error = validate_gpusync(platform, tasks);
  if (!out.error) { out.error = simulation::detail::options_fault(c, tasks, options); }
  if (!out.error && options.overheads && !simulation::detail::are_short(platform.overheads)) { out.error = too_long; }
  if (!out.error && !simulation::jobs_fit(tasks.tasks, options.horizon)) {
    out.error = {.fault = model_fault::too_many_jobs};
  }
  if (out.error) { return out; }
  const host::gpu_system system = host::detail::flatten(platform, tasks, options.gpus, options.overheads);
  std::vector<host::task_releases> jobs;
  if (!simulation::detail::jobs_of(c, tasks, system, options, jobs)) { out.error = too_long; }
  if (!out.error) { out.error.fault = simulation::detail::size_fault(system, jobs, options); }
  if (out.error) { return out; }
  std::vector<ticks> budgets;
  for (const host::section_program& program : system.programs) {  // whose sums fit, as `jobs_of` has found
    budgets.push_back(program.cpu_before + program.longest_section + program.cpu_after);
  }
  const simulation::detail::varied_work work(options.execution, options.aberrant, options.seed);
  simulation::detail::clocked_releases by_clock{jobs, options.stalls, options.on_late};
  out.run = simulation::detail::run_by_clock<Table::max_tasks, TokenRules>(
      system, jobs, by_clock, work, {.policy = options.budgets, .budgets = budgets}, options.seed, recorder);
  out.error = out.run.locks.error;
  if (out.error) { return out; }
  simulation::detail::summarize(system, by_clock, tasks, out, recorder);
  out.void_bounds = by_clock.void_bounds(out.end);
  host::record_tokens(system, out.run, recorder);
  return out;
}

/// Simulates tasks on the clusters that they name.
template <class TokenRules = r2dglp_rules, GpusyncPlatform P, class Table, TraceRecorder Recorder = const null_recorder>
  requires std::same_as<typename P::number, ticks> && std::same_as<typename Table::number, ticks>
[[nodiscard]] auto simulate(const P& platform, const Table& tasks, const gpusync_simulation_options& options = {},
                            Recorder& recorder = no_recorder) -> gpusync_observation<Table::max_tasks> {
  return simulate<TokenRules>(platform, tasks, plan<1>{}, options, recorder);
}

}  // namespace takt::inline TAKT_ABI
