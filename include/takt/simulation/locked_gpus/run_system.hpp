// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/host/engine.hpp>
#include <takt/host/lock_stations.hpp>
#include <takt/host/locked_gpus/gpu_jobs.hpp>
#include <takt/host/locked_gpus/job_chain.hpp>
#include <takt/host/locked_gpus/section_work.hpp>
#include <takt/host/locked_gpus/system.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/simulation/calendar.hpp>

namespace takt::inline TAKT_ABI::simulation {

namespace detail {

/// Jobs by the clock.
struct clocked_releases {
  std::span<const host::task_releases> all;

  [[nodiscard]] auto gap(std::uint32_t task, std::uint64_t job) const -> ticks {
    const host::task_releases& own = all[task];
    if (job >= own.size()) { return never / 4 + 1; }
    const auto at = static_cast<std::size_t>(job);
    return own[at].release - (at == 0 ? 0 : own[at - 1].release);
  }
  [[nodiscard]] auto of(std::uint32_t task, std::uint64_t job) const -> const host::timed_job& {
    return all[task][static_cast<std::size_t>(job)];
  }
  static void completed(std::uint32_t /*task*/, ticks /*now*/) {}
};

/// Lets the engine run jobs, up to an instant.
template <std::size_t MaxTasks, class TokenRules, host::SectionWork Work, class Releases, TraceRecorder Recorder>
[[nodiscard]] auto run_gpu_jobs(const host::gpu_system& s, std::span<const std::size_t> jobs, Releases& releases,
                                const Work& work, const host::detail::gpu_run_setup& setup, Recorder& recorder,
                                ticks until = never / 4) -> host::gpu_run {
  using jobs_type = host::detail::gpu_jobs<MaxTasks, TokenRules, Work, Releases, Recorder>;
  using stations = host::lock_stations<jobs_type, MaxTasks, static_cast<std::size_t>(max_gpusync_cpus)>;
  const auto all = std::make_unique<jobs_type>(s, jobs, releases, work, setup, recorder);
  const stations places{*all};
  using engine = host::engine<stations, MaxTasks, MaxTasks * host::gpu_visits, jobs_type>;
  const auto run = std::make_unique<engine>(all->table(), places, *all);
  static_cast<void>(run->run(until, all->sink()));
  return all->result();
}

}  // namespace detail

/// Lets jobs run on clusters of CPUs and locked GPUs: chains of visits on the engine of composed boards, in which the
/// token protocol asks the heuristics and every grant of a token or an engine leads the job to its next step. Pre: one
/// list of releases per program, at most MaxTasks of them, with priorities of different tasks that differ; tokens fit;
/// no job ends after `never / 4`.
template <std::size_t MaxTasks, class TokenRules = r2dglp_rules, host::SectionWork Work, TraceRecorder Recorder>
[[nodiscard]] auto run_gpu_system(const host::gpu_system& s, std::span<const host::task_releases> releases,
                                  const Work& work, const host::budget_rules& budgets, std::uint64_t seed,
                                  Recorder& recorder) -> host::gpu_run {
  TAKT_EXPECTS(releases.size() == s.programs.size() && releases.size() <= MaxTasks);
  std::vector<std::size_t> jobs;
  for (const host::task_releases& own : releases) { jobs.push_back(own.size()); }
  detail::clocked_releases by_clock{releases};
  const host::detail::gpu_run_setup setup{
      .shape = {.processors = s.processors, .clusters = s.clusters, .donates = s.donation_at_release},
      .budgets = budgets,
      .seed = seed};
  return detail::run_gpu_jobs<MaxTasks, TokenRules>(s, jobs, by_clock, work, setup, recorder);
}

}  // namespace takt::inline TAKT_ABI::simulation
