// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/graph/release_rule.hpp>
#include <takt/rules/locking/progress.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/simulation/options.hpp>
#include <takt/systems/locked_gpus/host/section_work.hpp>
#include <takt/systems/locked_gpus/host/system.hpp>
#include <takt/systems/locked_gpus/simulation/graph_releases.hpp>
#include <takt/systems/locked_gpus/simulation/run_system.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Says what frees an engine: the job that holds its lock, on a CPU, or the hardware as soon as the work is done.
enum class engine_service : std::uint8_t { locks, hardware_queue };
[[nodiscard]] constexpr auto last_of(engine_service) noexcept -> engine_service {
  return engine_service::hardware_queue;
}

namespace detail {

struct locked_graph_options {
  ticks until = 0;  ///< the run ends here, whatever is under way
  ticks slice = 0;  ///< above 0: round robin, see `turn_server`
  engine_service engines = engine_service::locks;
  bool spins = false;  ///< jobs that wait for an engine keep their CPUs
  host::bus_interference bus{};
  std::uint64_t seed = 1;
};

struct graph_run {
  host::gpu_run run;
  std::vector<std::vector<node_release<ticks>>> releases;  ///< of each task, in the order of its jobs
};

[[nodiscard]] constexpr auto progress_of(engine_service s) noexcept -> any_progress {
  switch (s) {
    case engine_service::locks: return priority_inheritance{};
    case engine_service::hardware_queue: return boost_when_granted{};
  }
  return no_progress{};
}

/// Lets the jobs of graphs run on CPUs and locked GPUs: `run_gpu_system` with releases by tokens, and work before token
/// sections that varies too. Pre: a program for each node, graph by graph, at most MaxTasks of them; tokens fit.
/// Error: `choice_out_of_range` where `o.engines` is unknown; a slice with donation at release; an instant below 0; a
/// bus that is not valid.
template <std::size_t MaxTasks, host::detail::SectionWork Work, TraceRecorder Recorder>
[[nodiscard]] auto run_gpu_graphs(const host::gpu_system& s, std::span<const token_graph> graphs, const Work& work,
                                  const locked_graph_options& o, Recorder& recorder) -> graph_run {
  TAKT_EXPECTS(s.programs.size() <= MaxTasks);
  graph_run out;
  if (!is_known(o.engines)) { out.run.locks.error = {.fault = model_fault::choice_out_of_range}; }
  if (o.until < 0 || o.slice < 0) { out.run.locks.error = {.fault = model_fault::time_out_of_range}; }
  if (!o.bus.valid()) { out.run.locks.error = {.fault = model_fault::options_out_of_range}; }
  if (s.donation_at_release && o.slice > 0) { out.run.locks.error = detail::unused("slice"); }
  if (out.run.locks.error) { return out; }
  std::vector<std::size_t> jobs;
  for (const token_graph& g : graphs) { jobs.insert(jobs.end(), g.nodes, g.jobs); }
  graph_releases releases(graphs);
  const host::detail::gpu_run_setup setup{
      .shape = {.processors = s.processors, .clusters = s.clusters, .donates = s.donation_at_release, .slice = o.slice},
      .engines = {.progress = detail::progress_of(o.engines), .spins = o.spins},
      .varies = true,
      .bus = o.bus,
      .seed = o.seed};
  out.run = detail::run_gpu_jobs<MaxTasks, r2dglp_rules>(s, jobs, releases, work, setup, recorder, o.until);
  for (std::size_t t = 0; t < s.programs.size(); ++t) { out.releases.push_back(releases.releases(t)); }
  return out;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::simulation
