// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pthread.h>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/host/lock_stations.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/executor.hpp>
#include <takt/runtime/executor/job_hooks.hpp>
#include <takt/runtime/executor/lanes.hpp>
#include <takt/runtime/executor/live_choices.hpp>
#include <takt/runtime/executor/report_jobs.hpp>
#include <takt/runtime/executor/visit_worker.hpp>
#include <takt/runtime/machine_state.hpp>
#include <takt/runtime/rights.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_result.hpp>
#include <takt/runtime/trace_buffer.hpp>
#include <takt/systems/locked_gpus/host/flatten.hpp>
#include <takt/systems/locked_gpus/host/gpu_jobs.hpp>
#include <takt/systems/locked_gpus/host/job_chain.hpp>
#include <takt/systems/locked_gpus/host/point_rule.hpp>
#include <takt/systems/locked_gpus/host/section_work.hpp>
#include <takt/systems/locked_gpus/host/system.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/locked_gpus/tasks/placed.hpp>
#include <takt/systems/locked_gpus/tasks/platform.hpp>
#include <takt/systems/locked_gpus/tasks/validate.hpp>

namespace takt::inline TAKT_ABI::runtime::detail {

/// Draws times of pieces of jobs. A piece takes the same time whatever the order in which they are asked for.
struct drawn_work {
  length_choice lengths = length_choice::uniform;
  std::uint64_t seed = 1;

  [[nodiscard]] auto time(const host::work_item& item, ticks worst) const noexcept -> ticks {
    if (worst < 2) { return worst; }
    switch (lengths) {
      case length_choice::upper: return worst;
      case length_choice::lower: return 1;
      case length_choice::uniform: break;
    }
    random_stream random{seed ^ (item.task << 48U) ^ (item.job << 16U) ^ item.piece};
    static_cast<void>(random.next());
    return random.between(1, worst);
  }
  [[nodiscard]] static constexpr auto repetitions(const host::work_item& /*item*/) noexcept -> std::int32_t {
    return 1;
  }
};

/// Slices go into a trace whose marks come from elsewhere.
struct kept_slices {
  trace_buffer* trace = nullptr;

  void record(const slice& s) const { trace->add(s); }
  void record(const mark& /*m*/) const noexcept {}
};

/// Orders jobs by the points that count from their nominal releases.
struct pointed_releases {
  std::vector<host::detail::point_rule> rules;
  const live_choices* live = nullptr;

  /// Pre: points up to the end of the run fit.
  [[nodiscard]] auto of(std::uint32_t task, std::uint64_t /*job*/) const -> host::timed_job {
    host::timed_job out{.release = live->nominal(task), .priority = {0, static_cast<std::int32_t>(task)}};
    const bool fits = rules[task].point(out.release, out.priority.point);
    TAKT_EXPECTS(fits);
    return out;
  }
  static void completed(std::uint32_t /*task*/, ticks /*now*/) noexcept {}
};

/// Holds what is open in a run of locked GPUs in real time. Releases, misses and bounds are those of any board. The
/// rest is what jobs on locked GPUs do.
template <std::size_t MaxTasks>
class live_gpu_jobs : public live_choices {
 public:
  using jobs_type = host::detail::gpu_jobs<MaxTasks, r2dglp_rules, drawn_work, pointed_releases, kept_slices>;

  live_gpu_jobs(live_choices common, jobs_type& jobs) : live_choices{std::move(common)}, jobs_{&jobs} {}

  auto length(const visit_record& v, std::uint64_t job) -> ticks { return takes(v, job, jobs_->length(v, job)); }
  [[nodiscard]] auto skips(std::uint32_t v, std::uint64_t job) const -> bool { return jobs_->skips(v, job); }
  [[nodiscard]] auto again(std::uint32_t v, std::uint64_t job) -> visit_mask { return jobs_->again(v, job); }
  template <class Run>
  void passes(const Run& run, ticks now) {
    jobs_->passes(run, now);
  }
  void released(std::uint32_t task, std::uint64_t job, ticks now) {
    live_choices::released(task, job, now);
    jobs_->released(task, job, now);
  }
  void completed(std::uint32_t task, std::uint64_t job, ticks now) {
    live_choices::completed(task, job, now);
    jobs_->completed(task, job, now);
  }

 private:
  jobs_type* jobs_;
};

}  // namespace takt::inline TAKT_ABI::runtime::detail

namespace takt::inline TAKT_ABI::runtime {

/// Says how tasks run on locked GPUs. Every piece of a job takes a time between 1 tick and its longest by `lengths`;
/// what comes after the token section takes its longest. Expectations are of tasks alone.
struct locked_gpu_run_options : run_options {
  host::locked_gpu_choices gpus{};
};

/// Times count from the start. Visits are those of `host::gpu_visit`.
struct locked_gpu_run_result : run_result {
  host::gpu_run run{};  ///< every job, request of a token or an engine, and token section
};

namespace detail {

/// Requests that a run of locked GPUs keeps, at most; a job without any counts as one.
inline constexpr ticks most_kept_requests = ticks{1} << 22;

/// Is one run of tasks on locked GPUs.
template <std::size_t MaxTasks>
class locked_gpu_run {
 public:
  using jobs_type = typename live_gpu_jobs<MaxTasks>::jobs_type;

  locked_gpu_run(const host::gpu_system& system, const locked_gpu_run_options& options)
      : system_{&system}, options_{&options} {}

  /// Error: a priority at the end does not fit, or more jobs or requests would be kept than can be.
  template <class Table>
  [[nodiscard]] auto prepare(const gpusync_configuration& c, const Table& tasks) -> model_error {
    const ticks end = std::max<ticks>(options_->length.count(), 1);
    ticks requests = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const auto& t = tasks.tasks[i];
      const host::section_program& p = system_->programs[i];
      host::detail::point_rule rule;
      std::int64_t last = 0;
      ticks demand = 0;
      const bool adds_up =
          checked_add(p.cpu_before, p.longest_section, demand) && checked_add(demand, p.cpu_after, demand);
      if (!adds_up || !host::detail::point_rule_of(c, t, demand, rule) || !rule.point(end, last)) {
        return fault_at(model_fault::time_overflow, static_cast<std::uint32_t>(i));
      }
      releases_.rules.push_back(rule);
      const ticks jobs = (end - 1) / t.period + 1;
      ticks each = 0;
      const bool fits = checked_multiply(jobs, requests_of(p), each) && checked_add(requests, each, requests) &&
                        requests <= most_kept_requests;
      if (!fits) { return {.fault = model_fault::too_many_jobs}; }
      jobs_of_.push_back(static_cast<std::size_t>(jobs));
      sections_ += p.gpu_cluster == no_cluster ? 0 : static_cast<std::size_t>(jobs);
      deadlines_.push_back(t.deadline);
    }
    requests_ = static_cast<std::size_t>(requests);
    return {};
  }

  template <class Table, TraceRecorder Recorder>
  void run(const Table& tasks, Recorder& recorder, locked_gpu_run_result& result) {
    if constexpr (!std::is_same_v<const Recorder, const null_recorder>) { trace_.reserve(entries(), entries()); }
    const host::detail::gpu_run_setup setup{.shape = {.processors = system_->processors,
                                                      .clusters = system_->clusters,
                                                      .donates = system_->donation_at_release},
                                            .varies = true,
                                            .seed = options_->seed};
    const drawn_work work{options_->lengths, options_->seed};
    kept_slices slices{&trace_};
    const auto jobs = std::make_unique<jobs_type>(*system_, jobs_of_, releases_, work, setup, slices);
    jobs->reserve(requests_, sections_);
    const auto table = std::make_unique<typename jobs_type::table_type>(jobs->table());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      auto& t = table->tasks[i];
      t.name = tasks.tasks[i].name;
      t.period = tasks.tasks[i].period;
      t.deadline = tasks.tasks[i].deadline;
    }
    carried_visits how{std::vector<bool>(table->visits.size()), std::vector<bool>(table->visits.size()),
                       std::vector<bool>(static_cast<std::size_t>(system_->clusters) + 1)};
    for (std::size_t v = 0; v < how.told.size(); ++v) { how.told[v] = takes_time_on_cpu(table->visits[v]); }
    const lane_plan lanes = lanes_of(
        *table, [&how](std::size_t v) { return how.told[v]; },
        [](std::uint32_t task, std::uint32_t station) { return lane{.task = task, .station = station}; });
    const job_hooks null_sink;
    live_gpu_jobs<MaxTasks> choices{
        {*options_, *table, host::disturbed_jobs{table->size()}, deadlines_, std::move(how), null_sink, trace_}, *jobs};
    releases_.live = &choices;
    using stations_type = host::lock_stations<jobs_type, MaxTasks, static_cast<std::size_t>(max_gpusync_cpus)>;
    const stations_type stations{*jobs};
    const foreign_workers nobody{};
    executor host{*table,
                  stations,
                  choices,
                  lanes,
                  std::vector<code_of_visit>(table->visits.size()),
                  nobody,
                  std::span<const ticks>{},
                  std::span<const ticks>{}};
    if (!host.complete()) {
      result.ended = observation_status::no_threads;
      return;
    }
    std::vector<run_thread> threads;
    host.each_thread([&](std::uint32_t l, pthread_t handle) {
      const auto first = static_cast<std::int32_t>(lanes.lanes[l].station) * system_->processors;
      threads.push_back({handle, usual_priority - 1, first, system_->processors});
    });
    rights asked{std::move(threads), result.notes};
    ask_system(asked, *options_, true, usual_priority, "processors, tokens and engines by their rules", {}, result);
    result.notes.emplace_back("device: emulated: copies and kernels take their time on the clock");
    host.run(later(now(), start_lead), *options_, jobs->sink());
    asked.give_back();
    host.close();
    report_jobs(host, choices, *options_, result);
    result.run = jobs->result();
    note_sections(result);
    replay_kept(trace_, recorder, result);
    host::record_tokens(*system_, result.run, recorder);
  }

 private:
  /// Counts requests: a token, and one or two engines for each operation.
  [[nodiscard]] static auto requests_of(const host::section_program& p) -> ticks {
    if (p.gpu_cluster == no_cluster) { return 1; }
    std::size_t moves = p.state_in.size() + p.state_out.size();
    for (const auto& chunks : p.state_peer) { moves = std::max(moves, chunks.size()); }
    return static_cast<ticks>(1 + 2 * (p.steps.size() + moves));
  }
  [[nodiscard]] auto entries() const -> std::size_t {
    std::size_t jobs = 0;
    for (const std::size_t n : jobs_of_) { jobs += n; }
    return 64 + 8 * (jobs + requests_);
  }
  /// Returns false for steps around operations.
  [[nodiscard]] static auto takes_time_on_cpu(const visit_record& v) -> bool {
    switch (host::gpu_visit{static_cast<std::uint8_t>(v.position)}) {
      case host::gpu_visit::before:
      case host::gpu_visit::first:
      case host::gpu_visit::last:
      case host::gpu_visit::end: return true;
      case host::gpu_visit::ask:
      case host::gpu_visit::lead:
      case host::gpu_visit::launch:
      case host::gpu_visit::work:
      case host::gpu_visit::notification:
      case host::gpu_visit::go_on: return false;
    }
    return false;
  }

  static void note_sections(locked_gpu_run_result& result) {
    const auto& all = result.run.sections;
    const auto moved = std::ranges::count_if(all, &host::token_section::migrated);
    result.notes.push_back("token sections: " + std::to_string(all.size()) + ", of which " + std::to_string(moved) +
                           " on another GPU than the one before");
  }

  const host::gpu_system* system_;
  const locked_gpu_run_options* options_;
  pointed_releases releases_{};
  std::vector<std::size_t> jobs_of_;
  std::vector<ticks> deadlines_;
  std::size_t requests_ = 0;
  std::size_t sections_ = 0;
  trace_buffer trace_;
};

}  // namespace detail

/// Runs tasks on a platform of locked GPUs on this machine's threads, placed by a plan, by the engine that simulates
/// them: CPU time is consumed by a thread for each task, while a dispatcher gives it a CPU of its cluster by the
/// scheduler of the configuration. Tokens and engines go by their locks. Copies and kernels take their time on the
/// clock of emulated engines. A job that waits suspends itself. A job is released at the start and then once per
/// period, and waits for the one before of its task. Times of the result and the trace count from the start. What locks
/// and switches cost is what they cost on this machine. Error: `error`; more jobs and requests than are kept;
/// expectations of visits. Cost: memory for all jobs and requests is taken before the start.
template <GpusyncPlatform P, class Table, std::size_t N, TraceRecorder Recorder = const null_recorder>
  requires std::same_as<typename P::number, ticks> && std::same_as<typename Table::number, ticks>
[[nodiscard]] auto run(const P& platform, const Table& given, const plan<N>& p,
                       const locked_gpu_run_options& options = {}, Recorder& recorder = no_recorder)
    -> locked_gpu_run_result {
  locked_gpu_run_result result;
  result.error = gpusync_plan_fault(given, p);
  if (result.error) { return result; }
  const auto tasks = std::make_unique<Table>(placed(given, p));
  const gpusync_configuration& c = platform.configuration();
  result.error = validate_gpusync(platform, *tasks);
  if (!result.error) { result.error = options_fault(options, tasks->size()); }
  if (!result.error) { result.error = host::detail::choices_fault(c, options.gpus); }
  if (result.error) { return result; }
  const host::gpu_system system = host::detail::flatten(platform, *tasks, options.gpus);
  if (!host::detail::pools_fit(system)) { result.error = {.fault = model_fault::too_many_tokens}; }
  detail::locked_gpu_run<Table::max_tasks> one{system, options};
  if (!result.error) { result.error = one.prepare(c, *tasks); }
  if (result.error) { return result; }
  const bool fits = options.expected.size() <= tasks->size() &&
                    std::ranges::all_of(options.expected, [](const expectation& e) { return e.visits.empty(); });
  if (!fits) {
    result.ended = observation_status::wrong_binding;
    return result;
  }
  if (options.check_machine) {
    result.findings = check_machine(parts_used::cpus);
    result.notes = notes_on(result.findings);
  }
  one.run(*tasks, recorder, result);
  return result;
}

}  // namespace takt::inline TAKT_ABI::runtime
