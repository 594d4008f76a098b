// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/budget.hpp>
#include <takt/rules/graph/release_rule.hpp>
#include <takt/rules/locking/progress.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/simulation/gpusync/affinity_memory.hpp>
#include <takt/simulation/gpusync/graph_releases.hpp>
#include <takt/simulation/gpusync/run_system.hpp>
#include <takt/simulation/gpusync/section_hooks.hpp>
#include <takt/simulation/gpusync/section_work.hpp>
#include <takt/simulation/gpusync/system.hpp>
#include <takt/simulation/locking/lock_hooks.hpp>
#include <takt/simulation/locking/simulate_locks.hpp>

namespace takt::simulation {

/// Who frees an engine: the job that holds its lock, on a CPU, or the hardware as soon as the work is done.
enum class engine_service : std::uint8_t { locks, hardware_queue };
[[nodiscard]] constexpr auto last_of(engine_service) noexcept -> engine_service {
  return engine_service::hardware_queue;
}

struct graph_run_options {
  ticks until = 0;  ///< the run ends here, whatever is under way
  ticks slice = 0;  ///< of round robin, see `lock_simulation_options`
  engine_service engines = engine_service::locks;
  bool spins = false;  ///< jobs that wait for an engine keep their CPUs
  std::uint64_t seed = 1;
};

struct graph_run {
  gpu_run run;
  std::vector<std::vector<node_release<ticks>>> releases;  ///< of each task, in the order of its jobs
};

namespace detail {

[[nodiscard]] constexpr auto progress_of(engine_service s) noexcept -> any_progress {
  switch (s) {
    case engine_service::locks: return priority_inheritance{};
    case engine_service::hardware_queue: return boost_when_granted{};
  }
  return no_progress{};
}

/// Token sections as `section_hooks` lead them, of jobs that `graph_releases` releases. What a job runs before its
/// section varies from job to job too.
template <std::size_t MaxTasks, SectionWork Work>
class graph_hooks {
 public:
  graph_hooks(section_hooks<MaxTasks, Work>& sections, graph_releases& releases, const lock_workload& workload,
              std::span<const ticks> before, const Work& work)
      : sections_{&sections}, releases_{&releases}, workload_{&workload}, before_{before}, work_{&work} {}

  void granted(const lock_event& e, inserted_operations& front) { sections_->granted(e, front); }
  void releasing(const lock_event& e) { sections_->releasing(e); }
  void started(std::vector<event_release>& out) { releases_->started(out); }
  void began(request_id t, std::size_t job, inserted_operations& front) {
    const auto task = static_cast<std::size_t>(t);
    const work_item item{task, job - workload_->tasks()[task].first_job, std::numeric_limits<std::uint16_t>::max()};
    const ticks time = before_[task] > 0 ? work_->time(item, before_[task]) : 0;
    if (time > 0) { front.push_back({.what = operation_kind::execute, .time = time}); }
  }
  void completed(request_id t, std::size_t /*job*/, ticks now, std::vector<event_release>& out) {
    releases_->completed(t, now, out);
  }

 private:
  section_hooks<MaxTasks, Work>* sections_;
  graph_releases* releases_;
  const lock_workload* workload_;
  std::span<const ticks> before_;
  const Work* work_;
};

}  // namespace detail

/// Lets the jobs of graphs run on CPUs and locked GPUs: `run_gpu_system` with releases by tokens. Order within one
/// instant: see `lock_simulator`. Pre: a program for each node, graph by graph, at most MaxTasks of them; tokens fit.
/// Error: what `simulate_locks` says; `malformed` also where `o.engines` is unknown.
template <std::size_t MaxTasks, SectionWork Work, TraceRecorder Recorder>
[[nodiscard]] auto run_gpu_graphs(gpu_system s, std::span<const token_graph> graphs, const Work& work,
                                  const graph_run_options& o, Recorder& recorder) -> graph_run {
  graph_run out;
  if (!is_known(o.engines)) {
    out.run.locks.error = {.fault = model_fault::choice_out_of_range};
    return out;
  }
  std::vector<ticks> before;
  for (section_program& p : s.programs) { before.push_back(std::exchange(p.cpu_before, 0)); }
  std::vector<task_releases> jobs;
  for (const token_graph& g : graphs) {
    for (std::uint32_t v = 0; v < g.nodes; ++v) { jobs.emplace_back(g.jobs, lock_job{.release = on_event}); }
  }
  out.run.workload = detail::make_workload(s, jobs);
  std::vector<affinity_memory<MaxTasks>> memories;
  memories.reserve(s.pools.size());
  for (const simulated_pool& p : s.pools) { memories.emplace_back(s, p, o.seed); }
  const resource_options engines{.progress = detail::progress_of(o.engines), .spins = o.spins};
  auto bank = detail::make_bank<MaxTasks, r2dglp_rules>(s, memories, engines);
  section_hooks<MaxTasks, Work> sections(s, out.run.workload, memories, work, overrun_policy::none, {});
  graph_releases releases(graphs);
  detail::graph_hooks<MaxTasks, Work> hooks(sections, releases, out.run.workload, before, work);
  const lock_simulation_options options{.processors = s.processors,
                                        .clusters = s.clusters,
                                        .donation_at_release = s.donation_at_release,
                                        .ordered = false,
                                        .until = o.until,
                                        .slice = o.slice};
  out.run.locks = simulate_locks(out.run.workload, bank, options, recorder, hooks);
  out.run.sections = std::move(sections.sections());
  for (std::size_t t = 0; t < s.programs.size(); ++t) { out.releases.push_back(releases.releases(t)); }
  return out;
}

}  // namespace takt::simulation
