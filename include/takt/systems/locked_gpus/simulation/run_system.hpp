// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/host/disturbed_jobs.hpp>
#include <takt/host/engine.hpp>
#include <takt/host/lock_stations.hpp>
#include <takt/host/stalled_clock.hpp>
#include <takt/host/void_bounds.hpp>
#include <takt/model/late_handling.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/systems/locked_gpus/host/gpu_jobs.hpp>
#include <takt/systems/locked_gpus/host/job_chain.hpp>
#include <takt/systems/locked_gpus/host/section_work.hpp>
#include <takt/systems/locked_gpus/host/system.hpp>

namespace takt::inline TAKT_ABI::simulation {

namespace detail {

/// Releases jobs by the clock, for a process that is stopped now and then.
class clocked_releases {
 public:
  host::stalled_clock clock;

  /// Pre: all that is passed by reference outlives it.
  explicit clocked_releases(std::span<const host::task_releases> all, std::span<const stall> stalls = {},
                            late_handling on_late = late_handling::catch_up)
      : clock{stalls}, all_{all}, on_late_{on_late}, begun_(all.size()) {
    if (!stalls.empty()) { disturbed_.emplace(all.size()); }
  }

  /// Asked again of a job, the next release is that of it.
  [[nodiscard]] auto gap(std::uint32_t task, std::uint64_t job) -> ticks {
    const host::task_releases& own = all_[task];
    std::vector<std::size_t>& begun = begun_[task];
    const std::size_t at = begun.empty() ? 0 : begun.back() + 1;
    begun.resize(static_cast<std::size_t>(job));
    if (at >= own.size()) { return never / 4 + 1; }
    begun.push_back(at);
    return own[at].release - (at == 0 ? 0 : own[at - 1].release);
  }
  [[nodiscard]] auto drops(std::uint32_t task, ticks nominal, ticks now) const -> bool {
    if (nominal >= now) { return false; }
    const std::size_t after = begun_[task].back() + 1;
    return drops_release(on_late_, true, after < all_[task].size() && all_[task][after].release < now);
  }
  [[nodiscard]] auto of(std::uint32_t task, std::uint64_t job) const -> const host::timed_job& {
    return all_[task][begun_[task][static_cast<std::size_t>(job)]];
  }
  [[nodiscard]] auto worked(ticks time) const -> ticks { return clock.worked(time); }
  [[nodiscard]] auto clock_at(ticks worked) const -> ticks { return clock.at(worked); }
  void passes(ticks now) {
    if (disturbed_) { host::report_stops(clock, worked(now), stops_, *disturbed_); }
  }
  void released(std::uint32_t task, ticks now) {
    if (disturbed_) { disturbed_->released(task, all_[task][begun_[task].back()].release, now); }
  }
  void completed(std::uint32_t task, ticks now) {
    if (disturbed_) { disturbed_->ended(task, now); }
  }

  /// Returns releases of a task that were not dropped.
  [[nodiscard]] auto begun(std::size_t task) const -> const std::vector<std::size_t>& { return begun_[task]; }
  /// Returns from when to when bounds were void.
  [[nodiscard]] auto void_bounds(ticks end) const -> std::vector<host::time_span> {
    return disturbed_ ? disturbed_->until(end) : std::vector<host::time_span>{};
  }

 private:
  std::span<const host::task_releases> all_;
  late_handling on_late_;
  std::vector<std::vector<std::size_t>> begun_;  ///< by task
  std::optional<host::disturbed_jobs> disturbed_;
  std::size_t stops_ = 0;  ///< that have passed
};

/// Lets the engine run jobs, up to an instant.
template <std::size_t MaxTasks, class TokenRules, host::detail::SectionWork Work, class Releases,
          TraceRecorder Recorder>
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

/// Pre: `releases` are those of `by_clock`.
template <std::size_t MaxTasks, class TokenRules, host::detail::SectionWork Work, TraceRecorder Recorder>
[[nodiscard]] auto run_by_clock(const host::gpu_system& s, std::span<const host::task_releases> releases,
                                clocked_releases& by_clock, const Work& work, const host::budget_rules& budgets,
                                std::uint64_t seed, Recorder& recorder) -> host::gpu_run {
  std::vector<std::size_t> jobs;
  for (const host::task_releases& own : releases) { jobs.push_back(own.size()); }
  const host::detail::gpu_run_setup setup{
      .shape = {.processors = s.processors, .clusters = s.clusters, .donates = s.donation_at_release},
      .budgets = budgets,
      .seed = seed};
  return run_gpu_jobs<MaxTasks, TokenRules>(s, jobs, by_clock, work, setup, recorder);
}

}  // namespace detail

/// Lets jobs run on clusters of CPUs and locked GPUs, as chains of visits on the engine of composed boards. There the
/// token protocol asks the heuristics, and every grant of a token or an engine leads the job to its next step. Pre: one
/// list of releases per program, at most MaxTasks of them, with priorities of different tasks that differ; tokens fit;
/// no job ends after `never / 4`.
template <std::size_t MaxTasks, class TokenRules = r2dglp_rules, host::detail::SectionWork Work, TraceRecorder Recorder>
[[nodiscard]] auto run_gpu_system(const host::gpu_system& s, std::span<const host::task_releases> releases,
                                  const Work& work, const host::budget_rules& budgets, std::uint64_t seed,
                                  Recorder& recorder) -> host::gpu_run {
  TAKT_EXPECTS(releases.size() == s.programs.size() && releases.size() <= MaxTasks);
  detail::clocked_releases by_clock{releases};
  return detail::run_by_clock<MaxTasks, TokenRules>(s, releases, by_clock, work, budgets, seed, recorder);
}

}  // namespace takt::inline TAKT_ABI::simulation
