// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/systems/locked_gpus/host/engine_layout.hpp>
#include <takt/systems/locked_gpus/host/system.hpp>

namespace takt::inline TAKT_ABI::host {

/// Names the visits of a job on locked GPUs, in order: CPU time, a token around CPU time and operations of the GPU, and
/// CPU time. An operation is a lock around a step of the CPU that starts it, itself, and a step that hears of its end.
/// Jobs repeat this stretch as often as they have operations. Locks are asked for and given back on a CPU, so steps
/// need one even where they take no time. A job without a GPU makes the first visit alone.
enum class gpu_visit : std::uint8_t {
  before,
  first,         ///< with the token
  ask,           ///< for an engine
  lead,          ///< with the first of two engines: asks for the second
  launch,        ///< with all engines
  work,          ///< of the engine
  notification,  ///< of its end, and give it back
  go_on,         ///< without an engine
  last,          ///< gives the token back
  end,
};
inline constexpr std::size_t gpu_visits = 10;

namespace detail {

[[nodiscard]] constexpr auto mask_of(gpu_visit first, gpu_visit last) noexcept -> visit_mask {
  visit_mask out = 0;
  for (auto p = static_cast<unsigned>(first); p <= static_cast<unsigned>(last); ++p) { out |= visit_mask{1} << p; }
  return out;
}
/// Names what is made anew for each operation.
inline constexpr visit_mask operation_visits = mask_of(gpu_visit::ask, gpu_visit::go_on);

/// Says which lock a section of a task is about.
enum class section_lock : std::uint8_t { token, first_engine, engine };

}  // namespace detail

/// Writes task by task what `gpu_visit` says. Pre: the table is empty, and the system has at most `MaxTasks` programs.
template <std::size_t MaxTasks>
void write_chains(const gpu_system& system, visit_table<MaxTasks, MaxTasks * gpu_visits>& table) {
  TAKT_EXPECTS(table.size() == 0 && system.programs.size() <= MaxTasks);
  const auto elsewhere = static_cast<std::uint32_t>(system.clusters);
  for (const section_program& p : system.programs) {
    constexpr ticks any = 1;  // lengths and points are those of jobs
    static_cast<void>(table.add_task({.name = {}, .period = any, .deadline = any}));
    const auto task = static_cast<std::uint32_t>(table.size() - 1);
    const auto cpus = static_cast<std::uint32_t>(p.cpu_cluster);
    for (std::size_t v = 0; v < (p.gpu_cluster == no_cluster ? 1 : gpu_visits); ++v) {
      static_cast<void>(
          table.add_next(gpu_visit{static_cast<std::uint8_t>(v)} == gpu_visit::work ? elsewhere : cpus, 0, any));
      switch (gpu_visit{static_cast<std::uint8_t>(v)}) {
        case gpu_visit::first:
        case gpu_visit::work:
        case gpu_visit::go_on: break;
        case gpu_visit::launch: table.visits.back().need = unit_need::start; break;
        case gpu_visit::before:
        case gpu_visit::ask:
        case gpu_visit::lead:
        case gpu_visit::notification:
        case gpu_visit::last:
        case gpu_visit::end: table.visits.back().need = unit_need::step; break;
      }
    }
    if (p.gpu_cluster == no_cluster) { continue; }
    const auto add = [&](gpu_visit first, gpu_visit last) {
      table.sections.unchecked_push_back(
          {task, 0, detail::mask_of(first, last)});  // Bound: three per task, with room for ten.
    };
    add(gpu_visit::first, gpu_visit::last);
    add(system.peer_engines_together ? gpu_visit::launch : gpu_visit::lead, gpu_visit::notification);
    add(gpu_visit::launch, gpu_visit::notification);
  }
}

}  // namespace takt::inline TAKT_ABI::host
